// Package query answers questions about a ledger in a subset of KQL, Microsoft's Kusto
// Query Language. A query that is accepted means what it means in Kusto, except where the
// table of differences below says otherwise; an operator or function of Kusto that is not
// here is refused by name as "not supported here".
//
//	entries
//	| where time > ago(7d) and args.path has "secrets"
//	| summarize calls = count(), tools = make_set(tool) by session
//	| top 10 by calls
//
// # Statements
//
// A text is statements with ; between them, of up to 1 MiB. Each query gives a result, in
// the order of the text.
//
//	let NAME = VALUE                                a value that is the same for all rows
//	let NAME = QUERY                                a table, read anew where it is used
//	let NAME = (PARAMETER, ...) { ...; BODY }       a function of values and tables
//	declare query_parameters(NAME:TYPE = VALUE, ..) values that the caller gives
//	QUERY
//	explain QUERY                                   the plan of a query in place of its rows
//
// A parameter is NAME:TYPE, perhaps with = VALUE, or of a table NAME:(COLUMN:TYPE, ...) or
// NAME:(*). A function may have let statements before its body and does not call itself.
//
// A plan shows what of a table is read and what is left out of the scan by which condition,
// counted where there is a ledger, what each operator holds and what stops early. Queries in
// toscalar and in lists have been read for it.
//
// materialize(QUERY) reads a table once, toscalar(QUERY) makes a value of its first one.
// Names of columns come before names that let gave. // begins a comment.
//
// # Sources
//
// A query is a source and operators, with | between. A source is the name of a table, a
// function that gives one, a query in parentheses, or one of
//
//	datatable(NAME:TYPE, ...) [VALUE, ...]  gives the rows that are written in the query
//	print [NAME =] EXPRESSION, ...          gives one row of values
//	range NAME from A to B step C           gives a row for each value from A to B
//	search [kind=case_sensitive] [in (TABLE, ...)] "TERM" [and|or CONDITION ...]
//	                                        passes the rows on that have a term in any
//	                                        column: "x", "x*", "*x", "*x*", "a*b";
//	                                        COLUMN:"x" looks in one; $table tells where a
//	                                        row is from
//	union [kind=outer or inner] [withsource=NAME] [isfuzzy=true] TABLE, ...
//	                                        passes the rows of several tables on, one table
//	                                        after the other
//
// # Operators
//
// Each takes the rows of what stands before it; so may union and search:
//
//	as                   gives the rows so far a name, for union withsource
//	count                counts the rows; the column is Count if it is not given a name
//	distinct             passes each different row on once
//	extend               adds columns, or computes those of the names anew
//	getschema            gives the columns and their types
//	join                 puts the rows of two tables side by side where their keys are equal
//	lookup               adds the columns of a table of facts, without its keys
//	make-series          makes arrays of aggregations, one element for each step on an axis,
//	                     and default, or 0, where there is no row; rows outside from..to do
//	                     not count, without them each array goes from its first row to its
//	                     last
//	mv-expand            makes a row of each element of an array, or of each member of a bag
//	mvexpand             is the old name of mv-expand: without a limit it makes 128 rows of
//	                     a row at most
//	parse                takes a text apart by a pattern; the columns of a text that has it
//	                     not are null
//	parse-kv             takes values by their keys out of a text; without delimiters, all
//	                     but letters and digits divide it
//	parse-where          takes a text apart as parse does, and drops the rows whose text has
//	                     not the pattern
//	project              chooses and computes columns
//	project-away         leaves columns out; a name may have *
//	project-keep         leaves all columns but those out
//	project-rename       gives columns other names
//	project-reorder      puts columns first
//	scan                 finds sequences of rows: a row that meets the condition of a step
//	                     takes the sequence there; STEP.COLUMN is of the last row of a step
//	serialize            says that the order of the rows means something, and adds columns
//	                     as extend does
//	sort (order)         puts the rows in order, the greatest first unless asc is said;
//	                     equal rows stay in their order
//	summarize            makes groups of rows and computes aggregations of each
//	take (limit)         passes the first N rows on and stops the scan
//	top                  passes the first N rows on, in the order of sort
//	top-nested           chooses the N values with the greatest aggregations, within each of
//	                     them the N values of the next level, and so on; with others adds a
//	                     row of what is left, if there is any
//	where (filter)       passes the rows on for which the condition is true
//
// # Functions
//
// They stand in expressions, and make a value for each row:
//
//	abs, acos, ago, around, array_concat, array_iff, array_iif, array_index_of,
//	array_length, array_reverse, array_rotate_left, array_rotate_right, array_shift_left,
//	array_shift_right, array_slice, array_sort_asc, array_sort_desc, array_split, array_sum,
//	arraylength, asin, assert, atan, atan2, bag_has_key, bag_keys, bag_merge, bag_pack,
//	bag_pack_columns, bag_remove_keys, bag_set_key, bag_zip, base64_decode_toarray,
//	base64_decode_tostring, base64_encode_fromarray, base64_encode_fromguid,
//	base64_encode_tostring, beta_cdf, beta_inv, beta_pdf, bin, bin_at, binary_and,
//	binary_not, binary_or, binary_shift_left, binary_shift_right, binary_xor,
//	bitset_count_ones, case, ceiling, coalesce, column_ifexists, column_names_of,
//	convert_angle, convert_energy, convert_force, convert_length, convert_mass,
//	convert_speed, convert_temperature, convert_volume, cos, cot, countof, datetime_add,
//	datetime_diff, datetime_local_to_utc, datetime_part, datetime_utc_to_local, dayofmonth,
//	dayofweek, dayofyear, degrees, dynamic_to_json, endofday, endofmonth, endofweek,
//	endofyear, erf, erfc, exp, exp10, exp2, extract, extract_all, extract_json, extractjson,
//	floor, format_bytes, format_datetime, format_ipv4, format_ipv4_mask, format_timespan,
//	gamma, getmonth, gettype, getyear, gzip_decompress_from_base64_string, has_any_index,
//	has_any_ipv4, has_any_ipv4_prefix, has_ipv4, has_ipv4_prefix, hash, hash_md5, hash_sha1,
//	hash_sha256, hash_xxhash64, hourofday, iff, iif, indexof, indexof_regex, ipv4_compare,
//	ipv4_is_in_any_range, ipv4_is_in_range, ipv4_is_match, ipv4_is_private,
//	ipv4_netmask_suffix, ipv4_range_to_cidr_list, ipv6_compare, ipv6_is_in_any_range,
//	ipv6_is_in_range, ipv6_is_match, isascii, isempty, isfinite, isinf, isnan, isnotempty,
//	isnotnull, isnull, isutf8, jaccard_index, log, log10, log2, loggamma, make_datetime,
//	make_string, make_timespan, materialize, max_of, min_of, monthofyear, next, not,
//	notempty, notnull, now, pack, pack_all, pack_array, pack_dictionary, parse_command_line,
//	parse_csv, parse_ipv4, parse_ipv4_mask, parse_ipv6, parse_ipv6_mask, parse_json,
//	parse_path, parse_url, parse_urlquery, parse_version, parsejson, pi, pow, prev,
//	punycode_domain_from_string, punycode_domain_to_string, punycode_from_string,
//	punycode_to_string, radians, range, regex_quote, repeat, replace, replace_regex,
//	replace_string, replace_strings, reverse, round, row_cumsum, row_number, row_rank_dense,
//	row_rank_min, row_window_session, set_difference, set_has_element, set_intersect,
//	set_union, sign, sin, split, sqrt, startofday, startofmonth, startofweek, startofyear,
//	strcat, strcat_array, strcat_delim, strcmp, string_size, strlen, strrep, substring,
//	table, tan, to_utf8, tobool, toboolean, todatetime, todecimal, todouble, todynamic,
//	toguid, tohex, toint, tolong, tolower, toobject, toreal, toscalar, tostring, totimespan,
//	toupper, translate, treepath, trim, trim_end, trim_start, typeof,
//	unicode_codepoints_from_string, unicode_codepoints_to_string,
//	unixtime_microseconds_todatetime, unixtime_milliseconds_todatetime,
//	unixtime_nanoseconds_todatetime, unixtime_seconds_todatetime, url_decode, url_encode,
//	url_encode_component, week_of_year, weekofyear, welch_test, zip,
//	zlib_decompress_from_base64_string
//
// # Aggregations
//
// They stand in summarize, and make a value of a group of rows. An expression may be made of
// several, as 100.0 * countif(x > 1) / count().
//
//	anyif, arg_max, arg_min, avg, avgif, binary_all_and, binary_all_or, binary_all_xor,
//	count, count_distinct, count_distinctif, countif, covariance, covarianceif, covariancep,
//	covariancepif, dcount, dcountif, make_bag, make_bag_if, make_dictionary, make_list,
//	make_list_if, make_list_with_nulls, make_set, make_set_if, makelist, makeset, max,
//	maxif, min, minif, percentile, percentiles, percentiles_array, percentilesw,
//	percentilesw_array, percentilew, stdev, stdevif, stdevp, stdevpif, sum, sumif, take_any,
//	take_anyif, variance, varianceif, variancep, variancepif
//
// # Expressions
//
// The operators, from those that bind least. Those of one line have the same strength and
// go from left to right:
//
//	or
//	and
//	== != <> in !in in~ !in~ has_any has_all between !between
//	< > <= >=
//	+ -
//	* / %
//	=~ !~ has contains startswith endswith hasprefix hassuffix, with ! and _cs; matches regex
//	+ - before an operand
//	.member [index] function(argument, ...)
//
// So a has "x" + "y" is (a has "x") + "y". not is a function. Before an operator *
// is any column of text or dynamic, as in * has "x". A term, for has, is a run of letters and digits;
// has and contains do not see case, == does. in takes values, arrays, and a query in
// parentheses of its own.
//
// Literals: 12, 0x1F, 1.5, 1e3; 'text', "text" with escapes, @'text' without, ```text```
// over several lines; 1d, 2h, 3m, 4s, 5ms and so on; datetime(2026-01-02 03:04:05),
// timespan(1.02:03:04), dynamic([1, {"a": 2}]), guid(...), long(...), int(...), real(nan),
// bool(...), and TYPE(null). A column with an odd name is written ['a b'].
//
// # Types and nulls
//
//	bool int long real decimal string datetime timespan dynamic guid
//
// A dynamic is any JSON value; x.name and x[0] are its parts, and dynamics themselves, so
// that sort and join want tostring(x.name) or tolong(x.name). Int and long make longs,
// which wrap around. A decimal has 34 digits; with longs it makes decimals, with reals
// it is refused. In JSON it is a text.
//
// Every type but string has a null. With null, == is false and != is true against a value,
// and both are null against a null; other operators give null, but for and with false and
// or with true. Aggregations pass over nulls. An absent string is the empty one. A null is
// a group of its own, and matches a null in a join.
//
// # Names of results
//
//	print       print_0, print_1, ... by place
//	others      that of the column; x_member of x.member; that of the first argument of
//	            tostring, bin and some others; else Column1, Column2, ...
//	summarize   count_, sum_x, percentile_x_95, ...; x of take_any(x)
//	join        a name that the left table has gets 1 behind it
//	union       columns of one name and several types get the type behind it, x_long
//
// # Tables of a ledger
//
// [LedgerTables] gives entries, one row an entry in the order of the ledger, without the
// ledger's own session; control, which has that; calls, one row a call; and sessions, one
// row a session. Columns of entries and control are the members of an entry, with
// the type dynamic for args, response, metadata and context, and
//
//	digest, prev    its digest, and the one before it in its session
//	seq             its place in the ledger
//	has_response    whether there is or was one, which may be null
//	removed         pointers of the values that were removed by policy, null if it has all
//
// A removed value is null, a text "". Only the formats table and line tell it from one that was
// never there: they draw ⟨removed⟩.
//
// A call is the entries of a session that share a request; an ATTEMPT, or a START after the
// end, begins the next with that request. An entry without request is a call of its own.
// Each member is that of the call's last entry that has it, and
//
//	ordinal         which call with this request it is in its session, from 0
//	index, seq      of its first entry, in the session and in the ledger
//	start           the time of its first entry
//	answered, end   whether it came to COMPLETE or ERROR, and when: null if not. An entry
//	                without request or phase counts as its end if it has a response
//
// All entries of a session are read for its calls, also beside a condition on start: what
// answers a call may be later.
//
// A condition behind a table that compares a column, or a member as args.path, with
// values leaves out blocks of which no row can pass, without reading them; one on session
// or time reads only what is in that range.
//
// # Differences from Kusto
//
// A query that is accepted means what it means in Kusto, but that
//
//	here                                                in Kusto
//	rows have the order of the ledger, which every      no order without sort
//	  operator but sort, top, summarize and join keeps
//	sort is stable, top too                             not promised
//	summarize has groups in the order of their first    no order
//	  rows; join gives left rows in order, and with
//	  each its right rows in order; union goes table
//	  by table
//	a bag keeps the order of its members                does not
//	numbers in dynamics keep their digits               become long or real
//	datetimes have nanoseconds; two digits more are     ticks of 100 ns
//	  shown where they are not 0
//	dcount is exact, so are percentiles                 estimates
//	arg_max and take_any take the first of several      any
//	take N gives the first N                            any N
//	of left rows with the same key join takes the       any; with such a where one for which it is true
//	  first; with a where on left columns right behind
//	  it, the first for which that is true
//	explain before a query shows its plan               translates SQL
//
// # What is missing
//
// These are refused by name:
//
//	operators: assert-schema, consume, evaluate, execute-and-cache, externaldata, facet,
//	  find, fork, graph-mark-components, graph-match, graph-shortest-paths, graph-to-table,
//	  graph-where-edges, graph-where-nodes, invoke, macro-expand, make-graph, mv-apply,
//	  mvapply, partition, partition-by, project-by-names, project-smart, reduce, render,
//	  sample, sample-distinct, top-hitters
//	functions: all, any, array_strcat, base64_decode_toguid, base64_decodestring,
//	  base64_encodestring, bin_auto, cluster, current_*, cursor_*, database, datepart,
//	  datetime_list_timezones, dcount_hll, entity_group, estimate_data_size, extent_id,
//	  extent_tags, extentid, external_table, extractall, geo_*, graph,
//	  gzip_compress_to_base64_string, hash_combine, hash_many, hll_isvalid, hll_merge,
//	  ingestion_time, inner_nodes, iscolumnexists, labels, map, materialized_view,
//	  merge_tdigest, new_guid, node_*, parse_user_agent, parse_xml, parseurl, parseurlquery,
//	  percentile_tdigest, percentiles_array_tdigest, percentrank_tdigest, rand,
//	  rank_tdigest, row_id, row_rank, rowstore_ordinal_range, series_*, set_equals,
//	  stored_query_result, tdigest_isvalid, tdigest_merge, totime,
//	  zlib_compress_to_base64_string
//	aggregations: buildschema, cnt, hll, hll_if, hll_merge, merge_tdigest, tdigest,
//	  tdigest_merge
//	further: plugins of evaluate; other clusters and databases; set and management commands
//
// # Reading the source
//
// [Language.Compile] parses (lex.go, parse.go), binds (bind.go, op_*.go) and returns a
// [Result] for each query; [Result.Batches] runs it. What is wrong with a text are [Faults]:
// [Language.Check] finds all (check.go, recover.go). Rows go by columns, in a [Batch]. A
// function is a row of a table ([Func], func_*.go), an aggregation too ([Agg], agg*.go), an
// output format too ([Format], format_*.go).
package query

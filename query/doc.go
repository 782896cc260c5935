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
//
// A parameter is NAME:TYPE, perhaps with = VALUE, or of a table NAME:(COLUMN:TYPE, ...) or
// NAME:(*). A function may have let statements before its body and does not call itself.
// materialize(QUERY) reads a table once, toscalar(QUERY) makes a value of its first one.
// Names of columns come before names that let gave. // begins a comment.
//
// # Sources
//
// A query is a source and operators, with | between. A source is the name of a table, a
// function that gives one, a query in parentheses, or one of
//
//	print [NAME =] EXPRESSION, ...          one row
//	datatable(NAME:TYPE, ...) [VALUE, ...]  rows that are written out
//	range NAME from A to B step C           a row for each value
//	union, search                           several tables
//
// # Operators
//
// Each is a row of the table that [Op] describes, in files named op_*.go:
//
//	where (filter)             rows for which a condition is true; null is not
//	take (limit)               the first rows
//	extend, project            computes columns, beside the others or alone
//	project-away, -keep, -rename, -reorder
//	summarize, distinct        groups, and aggregations of each
//	count                      how many rows
//	sort (order), top          in order; descending unless asc is said
//	join, lookup               two tables side by side; nine kinds of join
//	union                      tables one behind the other
//	search                     rows that have a word in any column
//	mv-expand (mvexpand)       a row for each element of an array
//	parse, parse-where         takes a text apart by a pattern
//	parse-kv                   takes values by their keys out of a text
//	serialize                  the order means something: row_number, row_cumsum, prev, next,
//	                           row_rank_dense, row_rank_min, row_window_session
//	as, getschema              names a table; shows its columns
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
// row a session. Columns of entries and control are the members of an entry (package chain),
// with the type dynamic for args, response, metadata and context, and
//
//	digest, prev    its digest, and the one before it in its session
//	seq             its place in the ledger
//	has_response    whether there is one, which may be null
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
//	of left rows with the same key join takes the       any; with such a where one for
//	  first; with a where on left columns right behind    which it is true
//	  it, the first for which that is true
//
// What is missing: render, time series (make-series, series_*), mv-apply, evaluate and
// plugins, partition, fork and facet, reduce, sample, scan, top-nested, graphs, geo_*, hll
// and tdigest, external data, other clusters and databases, set and management commands.
//
// # Reading the source
//
// [Language.Compile] parses (lex.go, parse.go), binds (bind.go, op_*.go) and returns a
// [Result] for each query; [Result.Batches] runs it. What is wrong with a text are [Faults]:
// [Language.Check] finds all (check.go, recover.go). Rows go by columns, in a [Batch]. A
// function is a row of a table ([Func], func_*.go), an aggregation too ([Agg], agg*.go), an
// output format too ([Format], format_*.go).
package query

package query

import (
	"strings"
)

// A scope is the columns that an expression may name.
type scope struct {
	*binder
	rel     *relation      // nil: none
	right   *relation      // of a join: behind $right
	offset  int            // of right's columns in a batch
	windows *[]*windowExpr // where row_number and the like may be used; else nil
}

// scope returns a scope over the columns of rel.
func (b *binder) scope(rel *relation) *scope { return &scope{binder: b, rel: rel} }

// expr binds an expression.
func (s *scope) expr(n node) (expr, error) {
	switch n := n.(type) {
	case *literalNode:
		if n.text == leastLong {
			return nil, errorAt(n, "%s does not fit a long", n.text)
		}
		return &constExpr{n.value}, nil
	case *nameNode:
		return s.column(n)
	case *unaryNode:
		return s.unary(n)
	case *binaryNode:
		return s.binary(n)
	case *memberNode:
		return s.member(n)
	case *elementNode:
		return s.element(n)
	case *callNode:
		return s.call(n)
	case *listNode:
		return s.list(n)
	case *betweenNode:
		return s.between(n)
	case *starNode:
		return nil, errorAt(n, "* cannot stand here")
	case *tableNode:
		return nil, errorAt(n, "a query cannot stand here; toscalar(...) makes a value of it")
	}
	return nil, errorAt(n, "expected a value")
}

// condition binds an expression that must be a bool.
func (s *scope) condition(n node) (expr, error) {
	e, err := s.expr(n)
	if err == nil && e.kind() != Bool {
		if e.kind() == Dynamic || e.kind().isNumber() {
			return s.apply(Bool, func(a []Value) Value { return convert(a[0], Bool) }, false, e), nil
		}
		return nil, errorAt(n, "expected a condition, found %s of type %s", n, e.kind())
	}
	return e, err
}

func (s *scope) column(n *nameNode) (expr, error) {
	if s.rel != nil {
		if i := s.rel.field(n.name); i >= 0 {
			return &colExpr{i, s.rel.fields[i].Kind}, nil
		}
	}
	if d := s.names.find(n.name); d != nil {
		switch {
		case d.value != nil:
			return &constExpr{*d.value}, nil
		case d.bound != nil:
			return d.bound, nil
		case d.function != nil:
			return s.callScalar(n, d.function, nil)
		}
		return nil, errorAt(n, "'%s' is a table, expected a value", n.name)
	}
	var near string
	if s.rel != nil {
		near = didYouMean(n.name, s.rel.columns())
	}
	return nil, errorAt(n, "unknown column '%s'%s", n.name, near)
}

// member binds x.name. What is no dynamic may be $left or $right of a join.
func (s *scope) member(n *memberNode) (expr, error) {
	if side, ok := n.x.(*nameNode); ok && (side.name == "$left" || side.name == "$right") {
		rel, offset := s.rel, 0
		if side.name == "$right" {
			rel, offset = s.right, s.offset
		}
		if rel == nil {
			return nil, errorAt(n, "%s is for the condition of a join", side.name)
		}
		i := rel.field(n.name)
		if i < 0 {
			return nil, errorAt(n, "unknown column '%s'%s", n.name, didYouMean(n.name, rel.columns()))
		}
		return &colExpr{offset + i, rel.fields[i].Kind}, nil
	}
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	if x.kind() != Dynamic {
		return nil, errorAt(n, "%s is of type %s and has no members; parse_json(%[1]s) makes a dynamic of a string", n.x, x.kind())
	}
	name := n.name
	return s.apply(Dynamic, func(a []Value) Value { return memberOf(a[0], name) }, false, x), nil
}

func (s *scope) element(n *elementNode) (expr, error) {
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	i, err := s.expr(n.i)
	if err != nil {
		return nil, err
	}
	if x.kind() != Dynamic {
		return nil, errorAt(n, "%s is of type %s and has no elements", n.x, x.kind())
	}
	switch i.kind() {
	case Int, Long:
		return s.apply(Dynamic, func(a []Value) Value { return elementOf(a[0], a[1].N) }, false, x, i), nil
	case String, Dynamic:
		return s.apply(Dynamic, func(a []Value) Value {
			at := scalarOf(a[1])
			if at.Kind == Long {
				return elementOf(a[0], at.N)
			}
			return memberOf(a[0], toString(at))
		}, false, x, i), nil
	}
	return nil, errorAt(n.i, "an index is an integer or a string, found %s", i.kind())
}

// apply makes an expression of a function.
func (s *scope) apply(k Kind, f func([]Value) Value, nulls bool, args ...expr) expr {
	return folded(&applyExpr{k, args, f, nulls})
}

// call binds a function with its arguments.
func (s *scope) call(n *callNode) (expr, error) {
	if d := s.names.find(n.name); d != nil && d.function != nil {
		return s.callScalar(n, d.function, n.args)
	}
	if special := specialFuncs[n.name]; special != nil {
		return special(s, n)
	}
	f := s.lang.funcs[n.name]
	if f == nil {
		return nil, s.noFunction(n)
	}
	args := make([]expr, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = s.expr(a.node); err != nil {
			return nil, err
		}
	}
	e, err := bindFunc(f, args)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	return e, nil
}

func (s *scope) noFunction(n *callNode) error {
	switch {
	case s.lang.aggs[n.name] != nil || multiAggs[n.name]:
		return errorAt(n, "%s is an aggregation: it stands in summarize", n.name)
	case isKustoFunction(n.name):
		return errorAt(n, "'%s' is KQL but not supported here", n.name)
	}
	return errorAt(n, "no function named '%s'%s", n.name, didYouMean(n.name, s.lang.functionNames()))
}

// bindFunc applies a function to arguments, which are converted to what it takes.
func bindFunc(f *Func, args []expr) (expr, error) {
	known := make([]Arg, len(args))
	for i, a := range args {
		known[i] = argOf(a)
	}
	if err := checkArgs(f.Name, f.Usage, f.Params, f.Min, f.Variadic, known); err != nil {
		return nil, err
	}
	for i := range args {
		if p := f.Params[min(i, len(f.Params)-1)]; !p.has(known[i].Kind) && p.has(Real) {
			args[i] = folded(&applyExpr{Real, []expr{args[i]}, func(a []Value) Value { return RealOf(a[0].Real()) }, false})
			known[i] = argOf(args[i])
		}
	}
	k, err := f.Result(known)
	if err != nil {
		return nil, err
	}
	eval := f.Eval
	if f.Bind != nil {
		if eval, err = f.Bind(known); err != nil {
			return nil, err
		}
	}
	return folded(&applyExpr{k, args, eval, f.Nulls}), nil
}

// resultName returns the name of a result to which none is given, "" for one that is
// numbered.
func (s *scope) resultName(n node) string {
	switch n := n.(type) {
	case *nameNode:
		if s.rel == nil || s.rel.field(n.name) < 0 { // a name that let gave
			return ""
		}
		return n.name
	case *memberNode:
		if side, ok := n.x.(*nameNode); ok && strings.HasPrefix(side.name, "$") {
			return n.name
		}
		if left := s.resultName(n.x); left != "" {
			return left + "_" + n.name
		}
	case *elementNode:
		if l, ok := n.i.(*literalNode); ok {
			if left := s.resultName(n.x); left != "" {
				return left + "_" + strings.Trim(l.text, `"`)
			}
		}
	case *callNode:
		if f := s.lang.funcs[n.name]; f != nil && f.KeepsName && len(n.args) > 0 {
			return s.resultName(n.args[0].node)
		}
	}
	return ""
}

var kustoFunctions = words("rand new_guid hll hll_merge hll_if dcount_hll tdigest tdigest_merge merge_tdigest percentile_tdigest percentrank_tdigest percentile_array_tdigest rank_tdigest " +
	"series_abs series_acos series_add series_asin series_atan series_ceiling series_cos series_cosine_similarity series_decompose series_decompose_anomalies series_decompose_forecast series_divide series_dot_product series_equals series_exp series_fft series_fill_backward series_fill_const series_fill_forward series_fill_linear series_fir series_fit_2lines series_fit_2lines_dynamic series_fit_line series_fit_line_dynamic series_fit_poly series_floor series_greater series_greater_equals series_ifft series_iir series_less series_less_equals series_log series_magnitude series_multiply series_not_equals series_outliers series_pearson_correlation series_periods_detect series_periods_validate series_pow series_product series_seasonal series_sign series_sin series_stats series_stats_dynamic series_subtract series_sum series_tan " +
	"geo_distance_2points geo_point_to_geohash geo_geohash_to_central_point geo_point_in_polygon geo_point_in_circle geo_line_length geo_polygon_area " +
	"parse_user_agent parse_path parse_url parse_urlquery parse_version parse_xml parse_csv parse_command_line parse_ipv4 parse_ipv4_mask parse_ipv6 parse_ipv6_mask ipv4_compare ipv4_is_match ipv4_is_in_range ipv4_is_in_any_range ipv4_is_private ipv4_netmask_suffix ipv4_range_to_cidr_list ipv6_compare ipv6_is_match ipv6_is_in_range ipv6_is_in_any_range format_ipv4 format_ipv4_mask format_bytes format_datetime has_ipv4 has_ipv4_prefix has_any_ipv4 has_any_ipv4_prefix geo_info_from_ip_address " +
	"cursor_after cursor_before_or_at cursor_current current_cluster_endpoint current_database current_principal current_principal_details current_principal_is_member_of estimate_data_size extent_id extent_tags ingestion_time " +
	"todecimal gzip_compress_to_base64_string gzip_decompress_from_base64_string zlib_compress_to_base64_string zlib_decompress_from_base64_string base64_decode_toarray base64_encode_fromarray base64_encode_fromguid base64_decode_toguid hash hash_many hash_combine hash_sha1 hash_xxhash64 hash_md5 punycode_from_string punycode_to_string punycode_domain_from_string punycode_domain_to_string welch_test bartlett_test levene_test beta_cdf beta_inv beta_pdf erf erfc gamma loggamma " +
	"assert column_names_of regex_quote buildschema variancepif stdevpif make_bag_if row_rank_dense row_rank_min row_window_session percentiles_array percentilesw percentilew percentiles_arrayw covariance covarianceif covariancep covariancepif buildschema binary_all_xor bag_pack_columns bin_auto datetime_list rank url_encode_component unixtime_seconds_todatetime sequence_detect series_shapes to_utf8 translate treepath dynamic_to_json make_timespan datetime_local_to_utc datetime_utc_to_local array_split array_rotate_left array_rotate_right array_shift_left array_shift_right")

// isKustoFunction tells whether Kusto has a function of a name, or a family of them.
func isKustoFunction(name string) bool {
	for _, family := range [...]string{"geo_", "series_", "ipv6_", "graph_", "convert_", "punycode_", "base64_", "gzip_", "zlib_", "hll", "tdigest", "percentile", "datetime_", "current_", "cursor_", "row_", "hash_", "format_", "parse_", "unixtime_", "url_", "covariance", "has_", "binary_"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return kustoFunctions[name]
}

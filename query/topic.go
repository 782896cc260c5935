package query

import (
	"slices"
	"strings"
)

// A Topic is a name of the language and what there is to say of it. Those of operators,
// functions and aggregations are rows of the tables by which queries are bound.
type Topic struct {
	Kind    string // operator, function, aggregation, comparison, statement
	Name    string
	Aliases []string
	Usage   string
	Doc     string // one line
	Example string // a query, or an expression that is true
}

// Topics returns all names, in the order in which the manual has them: of the core, and of
// the operators besides.
func Topics(besides ...Operator) (list []Topic) {
	list = append(list, statementTopics...)
	for _, op := range operators {
		list = append(list, Topic{"operator", op.Name, op.Aliases, op.Usage, op.Doc, op.Example})
	}
	for _, op := range besides {
		list = append(list, Topic{"operator", op.Name, nil, op.Usage, op.Doc, op.Example})
	}
	list = append(list, comparisonTopics...)
	functions := slices.Concat(specialTopics, tableTopics)
	for _, fs := range coreFuncs() {
		for _, f := range fs {
			functions = append(functions, Topic{"function", f.Name, nil, f.Usage, f.Doc, f.Example})
		}
	}
	aggregations := slices.Clone(multiTopics)
	for _, as := range coreAggregations() {
		for _, a := range as {
			if multiAggs[a.Name] {
				continue
			}
			aggregations = append(aggregations, Topic{"aggregation", a.Name, nil, a.Usage, a.Doc, a.Example})
		}
	}
	for _, group := range [][]Topic{functions, aggregations} {
		slices.SortFunc(group, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
		list = append(list, group...)
	}
	return list
}

// names are the names that a topic is found by.
func (t *Topic) names() []string { return append([]string{t.Name}, t.Aliases...) }

// statementTopics are what a text is made of beside queries.
var statementTopics = []Topic{
	{"statement", "let", nil, "let NAME = VALUE or QUERY or (PARAMETER:TYPE, ...) { BODY }", "gives a name to a value, a table or a function", "let twice = (x:long) { x * 2 }; print twice(21)"},
	{"statement", "declare", nil, "declare query_parameters(NAME:TYPE = VALUE, ...)", "names values that --param gives", "declare query_parameters(n:long = 3); range x from 1 to n step 1"},
	{"statement", "explain", nil, "explain QUERY", "shows how a query runs in place of its rows: what is read, what is left out, what is held", "explain range x from 1 to 5 step 1 | top 2 by x"},
}

// comparisonTopics are the operators between two values that are words. Each is negated by
// a ! before it; of those for texts the ones with _cs regard case.
var comparisonTopics = []Topic{
	{"comparison", "has", []string{"!has", "has_cs", "!has_cs"}, "TEXT has TERM", "Whether a text has a term: letters and digits with none beside it.", `"read_file(a.txt)" has "FILE"`},
	{"comparison", "hasprefix", []string{"!hasprefix", "hasprefix_cs", "!hasprefix_cs"}, "TEXT hasprefix TEXT", "Whether a term of a text begins so.", `"the reader" hasprefix "read"`},
	{"comparison", "hassuffix", []string{"!hassuffix", "hassuffix_cs", "!hassuffix_cs"}, "TEXT hassuffix TEXT", "Whether a term of a text ends so.", `"the reader" hassuffix "der"`},
	{"comparison", "contains", []string{"!contains", "contains_cs", "!contains_cs", "containscs"}, "TEXT contains TEXT", "Whether a text has another anywhere.", `"the reader" contains "EAD"`},
	{"comparison", "startswith", []string{"!startswith", "startswith_cs", "!startswith_cs"}, "TEXT startswith TEXT", "Whether a text begins so.", `"reader" startswith "READ"`},
	{"comparison", "endswith", []string{"!endswith", "endswith_cs", "!endswith_cs"}, "TEXT endswith TEXT", "Whether a text ends so.", `"reader" endswith "ER"`},
	{"comparison", "has_any", []string{"!has_any"}, "TEXT has_any (TERM, ...)", "Whether a text has one of some terms.", `"red fox" has_any ("wolf", "FOX")`},
	{"comparison", "has_all", []string{"!has_all"}, "TEXT has_all (TERM, ...)", "Whether a text has all of some terms.", `"red fox" has_all ("fox", "red")`},
	{"comparison", "in", []string{"!in", "in~", "!in~"}, "VALUE in (VALUE, ...) or VALUE in ((QUERY))", "Whether a value is one of some, or in the first column of a query; in~ does not see case.", `2 in (1, 2)`},
	{"comparison", "between", []string{"!between"}, "VALUE between (A .. B)", "Whether a value is from A to B, both included; B of a datetime may be how long.", "2 between (1 .. 3)"},
	{"comparison", "matches", nil, "TEXT matches regex PATTERN", "Whether a text has a part that a regular expression describes.", `"a12" matches regex "[0-9]+$"`},
	{"comparison", "and", nil, "CONDITION and CONDITION", "Whether both are, and null where that is not known.", "1 < 2 and 2 < 3"},
	{"comparison", "or", nil, "CONDITION or CONDITION", "Whether one is, and null where that is not known.", "1 < 2 or 2 < 1"},
}

// tableTopics are the functions that give a table.
var tableTopics = []Topic{
	{"function", "materialize", nil, "materialize(QUERY)", "The rows of a query, which is read once, however often they are used.", "let few = materialize(range x from 1 to 3 step 1); few | join kind=inner few on x"},
	{"function", "table", nil, `table("NAME")`, "The table with that name.", `let few = range x from 1 to 3 step 1; table("few") | count`},
}

// specialTopics are those of specialFuncs.
var specialTopics = []Topic{
	{"function", "now", nil, "now([offset])", "The time when the query began, or so long after it.", "now() > ago(1h)"},
	{"function", "ago", nil, "ago(timespan)", "The time so long before the query began.", "ago(1d) < now()"},
	{"function", "toscalar", nil, "toscalar(QUERY)", "The first value of a query, which is read before the rest.", "toscalar(range x from 1 to 3 step 1 | summarize max(x)) == 3"},
	{"function", "typeof", nil, "typeof(TYPE)", "A type, for functions that take one.", `tolong(extract("[0-9]+", 0, "a12", typeof(long))) == 12`},
	{"function", "column_ifexists", []string{"columnifexists"}, `column_ifexists("NAME", default)`, "The column of a name, or the default where there is none.", `toscalar(print a = 1 | extend b = column_ifexists("c", 2) | project b) == 2`},
	{"function", "pack_all", nil, "pack_all([ignore_null_empty])", "A bag of all columns.", "toscalar(print a = 1 | extend b = tostring(pack_all()) | project b) == '{\"a\":1}'"},
	{"function", "prev", nil, "prev(column [, offset [, default]])", "The value of a row before, where rows are in an order.", "toscalar(range x from 1 to 2 step 1 | serialize p = prev(x) | summarize sum(p)) == 1"},
	{"function", "next", nil, "next(column [, offset [, default]])", "The value of a row behind, where rows are in an order.", "toscalar(range x from 1 to 2 step 1 | serialize n = next(x) | summarize sum(n)) == 2"},
	{"function", "row_number", nil, "row_number([start [, restart]])", "The number of a row, where rows are in an order.", "toscalar(range x from 5 to 7 step 1 | serialize n = row_number() | summarize max(n)) == 3"},
	{"function", "row_cumsum", nil, "row_cumsum(column [, restart])", "The sum of all rows up to this one, where rows are in an order.", "toscalar(range x from 1 to 3 step 1 | serialize s = row_cumsum(x) | summarize max(s)) == 6"},
	{"function", "row_rank_dense", nil, "row_rank_dense(column [, restart])", "Which of the different values of rows in an order it is.", "toscalar(datatable(x:long)[5, 5, 7] | sort by x asc | extend r = row_rank_dense(x) | summarize max(r)) == 2"},
	{"function", "row_rank_min", nil, "row_rank_min(column [, restart])", "Which row, in an order, has the value first.", "toscalar(datatable(x:long)[5, 5, 7] | sort by x asc | extend r = row_rank_min(x) | summarize max(r)) == 3"},
	{"function", "row_window_session", nil, "row_window_session(datetime, longest, longest_between [, restart])", "The time of the first row of a session of rows, in an order.", "toscalar(range t from datetime(2024-01-01) to datetime(2024-01-01 00:08) step 2m | summarize dcount(t)) == toscalar(range t from datetime(2024-01-01) to datetime(2024-01-01 00:08) step 2m | extend s = row_window_session(t, 1h, 5m) | count)"},
	{"function", "bag_pack_columns", nil, "bag_pack_columns(column, ...)", "A bag of columns, by their names.", "toscalar(print a = 1 | project b = tostring(bag_pack_columns(a))) == '{\"a\":1}'"},
	{"function", "column_names_of", nil, "column_names_of(TABLE)", "An array of the names of a table's columns.", `array_length(column_names_of((print a = 1, b = 2))) == 2`},
	{"function", "assert", nil, "assert(condition, message)", "True, or the query is refused with the message.", `assert(1 < 2, "one is less")`},
}

// multiTopics are those of multiAggs.
var multiTopics = []Topic{
	{"aggregation", "arg_max", []string{"argmax"}, "arg_max(value, column, ... or *)", "Columns of the row with the greatest value, of the first if several have it.", "range x from 1 to 4 step 1 | extend y = -x | summarize arg_max(x, y) | project y == -4"},
	{"aggregation", "arg_min", []string{"argmin"}, "arg_min(value, column, ... or *)", "Columns of the row with the least value, of the first if several have it.", "range x from 1 to 4 step 1 | extend y = -x | summarize arg_min(x, y) | project y == -1"},
	{"aggregation", "percentiles", nil, "percentiles(value, percent, ...)", "percentile for several shares, a column each.", "range x from 1 to 4 step 1 | summarize percentiles(x, 25, 50) | project percentile_x_50 == 2"},
	{"aggregation", "percentilesw", nil, "percentilesw(value, weight, percent, ...)", "percentilew for several shares, a column each.", "range x from 1 to 4 step 1 | summarize percentilesw(x, 1, 25, 50) | project percentile_x_50 == 2"},
	{"aggregation", "take_any", []string{"any"}, "take_any(column, ... or *)", "The first value of each column that is not null.", "range x from 1 to 4 step 1 | summarize take_any(x) == 1"},
}

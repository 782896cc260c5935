package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	tables := []Table{{Name: "entries", Fields: []Field{{"tool", String}, {"args", Dynamic}, {"time", Datetime}, {"n", Long}}}}
	for i := range tables {
		tables[i].scan = func() *scan { return &scan{name: "entries", fields: tables[i].Fields} }
	}
	for _, tt := range []struct{ query, want string }{
		{"entries | where tol == 'x'", "1:17: unknown column 'tol', did you mean 'tool'?"},
		{"entries | where xyzzy == 'x'", "1:17: unknown column 'xyzzy'"},
		{"entires | take 1", "1:1: unknown table 'entires', did you mean 'entries'?"},
		{"Nothing", "1:1: unknown table 'Nothing'"},
		{"entries | wher n > 1", "1:11: no operator named 'wher', did you mean 'where'?"},
		{"entries | frobnicate", "1:11: no operator named 'frobnicate'"},
		{"entries | reduce by tool", "1:11: 'reduce' is KQL but not supported here"},
		{"entries | mv-apply x = args on (take 1)", "1:11: 'mv-apply' is KQL but not supported here"},
		{"entries | extend x = series_sum(args)", "1:22: 'series_sum' is KQL but not supported here"},
		{"entries | extend x = strlenn(tool)", "1:22: no function named 'strlenn', did you mean 'strlen'?"},
		{"entries | extend x = count()", "1:22: count is an aggregation: it stands in summarize"},
		{"entries | where (n > 1", "1:23: expected ')' for the '(' at 1:17, found the end of the query"},
		{"entries | where strlen(tool > 1", "1:32: expected ')' for the '(' at 1:23, found the end of the query"},
		{"entries | where n > 1)", "1:22: expected '|', ';' or the end of the query, found ')'"},
		{"entries | where n = 1", "1:19: use == to compare; expected '|', ';' or the end of the query, found '='"},
		{"entries where n == 1", "1:9: expected '|' before where, found 'where'"},
		{"entries | where", "1:16: expected a value, found the end of the query"},
		{"entries |", "1:10: expected an operator after '|', as where or summarize, found the end of the query"},
		{"entries | | take 1", "1:11: expected an operator after '|', as where or summarize, found '|'"},
		{"entries | where tool == 'x", "1:25: a string that does not end"},
		{"entries\n| where tool == \"x\n| take 1", "2:17: a string that does not end on its line"},
		{"entries\n| where tool\n    == 1", "2:9: string and long do not compare with '=='; convert one of them"},
		{"entries | where tool has n", "1:26: 'has' is for strings, found long; tostring(n) makes one of it"},
		{"entries | where tool", "1:17: expected a condition, found tool of type string"},
		{"entries | where tool.x == 1", "1:17: tool is of type string and has no members; parse_json(tool) makes a dynamic of a string"},
		{"entries | extend x = tool + 1", "1:22: '+' is not for string and long"},
		{"entries | extend x = strlen()", "1:22: strlen: expected strlen(text), found 0 arguments"},
		{"entries | extend x = substring(tool)", "1:22: substring: expected substring(text, start [, length]), found 1 arguments"},
		{"entries | take -1", "1:16: take wants a count, as take 10"},
		{"entries | take n", "1:16: unknown column 'n'"},
		{"entries | sort n", "1:16: expected 'by' and what to sort by, found 'n'"},
		{"entries | sort by args", "1:19: a dynamic has no order; convert it with tostring() or tolong()"},
		{"entries | summarize n", "1:21: expected an aggregation, as count() or sum(x), found n"},
		{"entries | summarize sum(tool)", "1:21: sum: argument 1 is of type string, expected int or long or real or timespan or decimal"},
		{"entries | project a = 1, a = 2", "1:30: the column 'a' is named twice"},
		{"entries | project-away x", "1:24: unknown column 'x'"},
		{"entries | where tool in 'x'", "1:25: expected '(' and a list after in, found ''x''"},
		{"entries | where n between 1 and 2", "1:27: expected '(' after between, found '1'"},
		{"entries | where n between (1, 2)", "1:29: expected '..' between the bounds, found ','"},
		{"entries | where tool matches 'x'", "1:30: expected 'regex' after matches, found ''x''"},
		{"entries | where tool matches regex '('", "1:36: the regular expression \"(\": missing closing ): ("},
		{"entries | where tool == 'a' && n > 1", "1:29: use and; expected '|', ';' or the end of the query, found '&&'"},
		{"entries | where tool == 'a' || n > 1", "1:29: use or; expected '|', ';' or the end of the query, found '||'"},
		{"entries | where n == 1L", "1:22: unknown column '1L', which is no number and no timespan either"},
		{"entries | where tool == null", "1:25: unknown column 'null'; a null has a type, as in long(null)"},
		{"entries | extend a = n, b = a", "1:29: unknown column 'a': what an operator makes is a column behind it"},
		{"entries | summarize cuont()", "1:21: no function named 'cuont', did you mean 'count'?"},
		{"entries | summarize hll(n)", "1:21: 'hll' is KQL but not supported here"},
		{"entries | top-hitters 2 of tool", "1:11: 'top-hitters' is KQL but not supported here"},
		{"entries | evaluate bag_unpack(args)", "1:11: 'evaluate' is KQL but not supported here"},
		{"let threshold = 3; entries | where n > treshold", "1:40: unknown column 'treshold', did you mean 'threshold'?"},
		{"let Known = entries; Knwon | take 1", "1:22: unknown table 'Knwon', did you mean 'Known'?"},
		{"let double = (x:long) { x * 2 }; print duoble(1)", "1:40: no function named 'duoble', did you mean 'double'?"},
		{"print dynamic([1, 1e400])", "1:7: dynamic([1, 1e400]) is not a dynamic"},
		{"find 'x'", "1:1: 'find' is KQL but not supported here"},
		{"database('x').T", "1:1: 'database' is KQL but not supported here"},
		{"let x = Nothing; print 1", "1:9: unknown table 'Nothing'"},
		{"union isfuzzy=true Nothing, Nowhere", "1:20: unknown table 'Nothing'"},
		{"entries | project-reorder tool granny-asc", "1:32: 'granny-asc' is KQL but not supported here"},
		{"entries | where tool likecs 'x'", "1:17: 'likecs' is KQL but not supported here"},
		{"entries | where !(n > 1)", "1:17: '!' does not belong here"},
		{"entries | where tool like 'x'", "1:17: 'like' is KQL but not supported here"},
		{"print datetime(hello)", "1:7: datetime(hello) is not a datetime"},
		{"print decimal(1) + 1.5", "1:7: '+' of a decimal and a real is not supported here; todecimal() or todouble() makes them one"},
		{"print sqrt(decimal(1))", "1:7: sqrt: argument 1 is of type decimal, which is not supported here; todouble() makes it a real"},
		{"print decimal(1x)", "1:7: decimal(1x) is not a decimal"},
		{"print 9223372036854775808", "1:7: 9223372036854775808 does not fit a long"},
		{"print dynamic(```)", "1:7: dynamic(```) is not a dynamic"},
		{"print datetime('2026-01-02' 'x')", "1:7: datetime('2026-01-02' 'x') is not a datetime"},
		{"print 1.5x", "1:7: \"1.5x\" is no number"},
		{"print '\\q'", "1:7: a string with an escape that is none; write \\\\ for a backslash, or @ before the quote"},
		{"print é = 1", "1:7: 'é' does not belong here"},
		{"let x = 1; let y = z + x; print y", "1:20: unknown column 'z'"},
		{"let f = (a:long) { a }; print f()", "1:31: the argument a is missing"},
		{"let f = () { f() }; print f()", "1:14: a function must not call itself"},
		{".show tables", "1:1: '.show' is KQL but not supported here"},
		{"entries; .drop table entries", "1:10: '.drop' is KQL but not supported here"},
		{".5", "1:1: expected a value, found '.'"},
		{".", "1:1: expected a value, found '.'"},
		{"let n = 'entries'; table(n)", "1:20: table: expected a name in quotes"},
		{"set notruncation; entries", "1:1: 'set' is KQL but not supported here"},
		{"declare query_parameters(p:long); print p", "1:1: the parameter p has no value: give it with --param p=VALUE"},
		{"entries | where Ärger == 1", "1:17: 'Ä' does not belong here"},
		{"print row_number()", "1:7: row_number cannot stand here"},
		{"datatable(a:long)[1, 2, tool]", "1:25: unknown column 'tool'"},
		{"datatable(a:long, b:long)[1, 2, 3]", "1:10: 3 values do not fill rows of 2 columns"},
		{"datatable(a:number)[1]", "1:13: expected a type, as string or long, found 'number'"},
		{"range x from 'a' to 2 step 1", "1:14: range is for numbers, datetimes and timespans, found string and long"},
		{"entries | where tool == toscalar(print a = zz)", "1:44: unknown column 'zz'"},
		{"print (print 1)", "1:8: a query cannot stand here; toscalar(...) makes a value of it"},
		{"cluster('x').database('y').T", "1:1: 'cluster' is KQL but not supported here"},
		{"externaldata(a:string)['x']", "1:1: 'externaldata' is KQL but not supported here"},
		{"range x from 1 to 2 step 0", "1:26: expected a step that is not 0"},
		{"entries | getschema x", "1:21: expected '|', ';' or the end of the query, found 'x'"},
	} {
		_, err := New(Options{Tables: tables}).Compile(context.Background(), tt.query, nil)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: expected an error of the query, found %v", tt.query, err)
			continue
		}
		line, column := e.Line()
		if got := fmt.Sprintf("%d:%d: %s", line, column, e.Msg); got != tt.want {
			t.Errorf("%q: %s, expected %s", tt.query, got, tt.want)
		}
	}
}

// TestErrorText shows the line with what is meant underlined; of a long line, a part.
func TestErrorText(t *testing.T) {
	for query, want := range map[string]string{
		"print a = 1\n| where bc > 1\n| take 1": "2:9: unknown column 'bc'\n    | where bc > 1\n            ^~",
		"print a = 1 |\twhere 'é' == bcd":       "1:28: unknown column 'bcd'\n    print a = 1 | where 'é' == bcd\n                               ^~~",
		"print a = 1 |":                         "1:14: expected an operator after '|', as where or summarize, found the end of the query\n    print a = 1 |\n                 ^",
	} {
		_, err := New(Options{}).Compile(context.Background(), query, nil)
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n%v\nexpected\n%s", query, err, want)
		}
	}
	_, err := New(Options{}).Compile(context.Background(), "print x = 1"+strings.Repeat(" + 1", 500)+" + y"+strings.Repeat(" + 2", 500), nil)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || len(lines[1]) > 130 || lines[1][strings.IndexByte(lines[2], '^')] != 'y' {
		t.Errorf("a long line is shown as\n%v", err)
	}
}

// TestHuge asks what a program may have written: none of it may take long.
func TestHuge(t *testing.T) {
	const deep = 100_000
	words := make([]string, deep)
	for i := range words {
		words[i] = fmt.Sprintf("'%x'", i)
	}
	list := strings.Join(words, ",")
	for query, want := range map[string]string{
		strings.Repeat("(", deep): "brackets may be nested 200 deep",
		"print " + strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep): "brackets may be nested 200 deep",
		"print " + strings.Repeat("-", deep) + "1":                             "an expression may be nested 200 deep",
		"print " + strings.Repeat("not(", deep):                                "brackets may be nested 200 deep",
		"print " + strings.Repeat("datetime(", deep):                           "brackets may be nested 200 deep",
		"let x = " + strings.Repeat("(", deep):                                 "brackets may be nested 200 deep",
		"print a" + strings.Repeat("[", deep):                                  "brackets may be nested 200 deep",
		strings.Repeat("print x=1 | join (", deep/2):                           "brackets may be nested 200 deep",
		callsOfCalls(24):                         "functions are called more than 10000 times",
		"print '" + strings.Repeat("x", MaxText): "a query may have 1048576 bytes",
		"print r = strlen('" + strings.Repeat("x", 400_000) + "') == 400000":  "",
		"print r = strlen('" + strings.Repeat(`\n`, 200_000) + "') == 200000": "",
		"print r = strlen(" + strings.Repeat("'a' ", deep) + ") == 100000":    "",
		"print r = 'beef' in (" + list + ")":                                  "",
		"print r = 'no' !in~ (" + strings.ReplaceAll(list, ",", ",\n") + ")":  "",
		"print r = 'x beef' has_any (" + list + ")":                           "",
		"print r = 1" + strings.Repeat("+1", deep) + " == 100001":             "",
		"print r = true" + strings.Repeat(" and true", deep):                  "",
		"print r = true" + strings.Repeat(" | where r", deep/2):               "",
		strings.Repeat("let r = true; ", deep/2) + "print r = r":              "",
	} {
		_, rows, err := rowsOf(Options{}, query)
		name := query[:min(len(query), 40)]
		switch {
		case want != "":
			if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Msg, want) {
				t.Errorf("%s…: %.200v, expected %s", name, err, want)
			}
		case err != nil || len(rows) != 1 || !rows[0][0].Bool():
			t.Errorf("%s…: %d rows, %.200v", name, len(rows), err)
		}
	}
}

// TestErrorExcerpt marks the place where it is seen, whatever stands before it in its line.
func TestErrorExcerpt(t *testing.T) {
	x, y := strings.Repeat("x", 100), strings.Repeat("文", 60)
	for _, tt := range []struct{ query, line, marks string }{
		{"print nope", "print nope", "      ^~~~"},
		{"print 1\n| extend\ty = nope + 1", "| extend y = nope + 1", "             ^~~~"},
		{"print '文字' + nope", "print '文字' + nope", "               ^~~~"},
		{"print '👨‍👩‍👧', nope", "print '👨‍👩‍👧', nope", "            ^~~~"},
		{"print '\x1b[2J\u202e', nope", `print '\x1b[2J\u202e', nope`, "                       ^~~~"},
		{"print ['文字é']", "print ['文字é']", "      ^~~~~~~~~"},
		{"print '" + x + "', nope", strings.Repeat("x", 65) + "', nope", strings.Repeat(" ", 68) + "^~~~"},
		{"print nope, '" + x + "'", "print nope, '" + strings.Repeat("x", 59), "      ^~~~"},
		{"print '" + x + "', nope, '" + x + "'", strings.Repeat("x", 33) + "', nope, '" + strings.Repeat("x", 29), strings.Repeat(" ", 36) + "^~~~"},
		{"print '" + y + "', nope, '" + y + "'", strings.Repeat("文", 16) + "', nope, '" + strings.Repeat("文", 15), strings.Repeat(" ", 35) + "^~~~"},
		{"print " + x, "print " + strings.Repeat("x", 66), "      ^" + strings.Repeat("~", 65)},
	} {
		_, err := New(Options{}).Compile(context.Background(), tt.query, nil)
		if err == nil {
			t.Errorf("%q: no error", tt.query)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 3 || lines[1] != "    "+tt.line || lines[2] != "    "+tt.marks {
			t.Errorf("%q:\n%s\nwant\n    %s\n    %s", tt.query, err, tt.line, tt.marks)
		}
		for _, l := range lines[1:] {
			if Width(l) > 4+mostShown {
				t.Errorf("%q: %q is wider than %d", tt.query, l, 4+mostShown)
			}
		}
	}
}

// callsOfCalls is a query that calls functions which call others twice.
func callsOfCalls(n int) string {
	var b strings.Builder
	b.WriteString("let f0 = () { 1 };")
	for i := range n {
		fmt.Fprintf(&b, "let f%d = () { f%d() + f%[2]d() };", i+1, i)
	}
	fmt.Fprintf(&b, "print f%d()", n)
	return b.String()
}

package query

import "testing"

func TestParsePattern(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`print s = "name=alice age=30" | parse s with "name=" name " age=" age:int | project name, age`, "name age: alice,30"},
		{`print s = "garbage" | parse s with "name=" name " age=" age:int | project name, age`, "name age: ,-"},
		{`print s = "aXbXc" | parse s with p "X" q | project p, q`, "p q: a,bXc"},
		{`print s = "<<a>>=<<b>>x>>" | parse s with "<<" k ">>=<<" v ">>" | project k, v`, "k v: a,b>>x"},
		{`print s = "  a and b  c  " | parse s with "  " a " and " b "  " c | project a, b, c`, "a b c: a,b,c  "},
		{`print s = "x\ny" | parse s with a "\n" b | project a, b`, "a b: x,y"},
		{`print s = "aXYb" | parse s with a "X" 'Y' b | project a, b`, "a b: a,b"},
		// The whole text must have the pattern; * skips, and a number before it ends by itself.
		{`print s = "n=1 m=2 more" | parse s with "n=" n:int " m=" m:int | project n, m`, "n m: -,-"},
		{`print s = "n=1 m=2 more" | parse s with "n=" n:int " m=" m:int * | project n, m`, "n m: 1,2"},
		{`print s = "x n=1,,, m=2" | parse s with * "n=" n:long * "m=" m:long | project n, m`, "n m: 1,2"},
		{`print s = "x n=1" | parse s with "n=" n:long | project n`, "n: -"},
		{`print s = "k=True, r=-1.5e3x" | parse s with "k=" k:bool * " r=" r:real * | project k, r`, "k r: True,-1500.0"},
		{`print s = "-5-3" | parse s with a:int "-" b:int | project a, b`, "a b: -5,3"},
		// One value that is not of its type: nothing, or null where it is relaxed.
		{`print s = "n=x m=y" | parse s with "n=" n:int " m=" m | project n, m`, "n m: -,"},
		{`print s = "n=x m=y" | parse kind=relaxed s with "n=" n:int " m=" m | project n, m`, "n m: -,y"},
		{`print s = "d=02/17/2016 08:40:01," | parse s with "d=" d:date "," | project d`, "d: 2016-02-17T08:40:01.0000000Z"},
		{`print n = 1234 | parse n with "12" m:int`, "n m: 1234,34"},
		{`print d = dynamic({"a": 1}) | parse d.a with a:int | project a`, "a: 1"},
		{`print s = "one", t = 1 | parse s with s "e"`, "s t: on,1"},
		{`print kind = "a=b" | parse kind with ["the key"] "=" v`, "kind the key v: a=b,a,b"},
		{`datatable(s:string)["a=1", "b", "a=x", "a=2"] | parse-where s with "a=" a:int`, "s a: a=1,1 a=2,2"},
		{`datatable(s:string)["a=1", "b", "a=x"] | parse-where kind=relaxed s with "a=" a:int`, "s a: a=1,1 a=x,-"},
		{`print s = "" | parse-where s with "a" b | count`, "Count: 0"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

func TestParseRegex(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`print s = "MixedCASE123end" | parse kind=regex s with up @"[0-9]+" tail | project up, tail`, "up tail: MixedCASE12,end"},
		{`print s = "v1.2.3" | parse kind=regex s with "v" a:int "." b:int "." c:int | project a, b, c`, "a b c: 1,2,3"},
		{`print s = "a=1,b=2,c" | parse kind=regex s with * "a=" a "," * | project a`, "a: 1,b=2"},
		{`print s = "a=1,b=2,c" | parse kind=regex flags=Ui s with * "A=" a "," * | project a`, "a: 1"},
		{`print s = "a=1\nb=2" | parse kind=regex s with "a=" a "b=" b:long | project a, b`, "a b: ,-"},
		{`print s = "a=1\nb=2" | parse kind=regex flags=s s with "a=" a "b=" b:long | project strlen(a), b`, "Column1 b: 2,2"},
		// Groups of the pattern's own do not count.
		{`print s = "xyxy7z8" | parse kind=regex s with "((x)y)*" n:long "(z)" m:long | project n, m`, "n m: 7,8"},
		{`print s = "r=1.5;" | parse kind=regex s with "r=" r:real ";" | project r`, "r: 1.5"},
		{`datatable(s:string)["x=1", "X=2"] | parse-where kind=regex s with "x=" x:int`, "s x: x=1,1"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

func TestParseRefused(t *testing.T) {
	for query, want := range map[string]string{
		`print s = "x" | parse s with a b`:                      "must stand behind a text",
		`print s = "x" | parse s with * a`:                      "must stand behind a text",
		`print s = "x" | parse s with a * "b"`:                  "leaves open where it ends",
		`print s = "x" | parse s with "x" a:datetime *`:         "not supported here",
		`print s = "x" | parse s with "x" a "y" a`:              "named twice",
		`print s = "x" | parse s with "x" to:string`:            "expected a text in quotes",
		`print s = "x" | parse s with`:                          "expected a pattern",
		`print s = "x" | parse s`:                               "expected 'with'",
		`print s = "x" | parse kind=loose s with a`:             "expected simple, regex or relaxed",
		`print s = "x" | parse kind=regex flags=x s with "x" a`: "not supported here",
		`print s = "x" | parse kind=regex s with "x|y" a`:       "not supported here",
		`print s = "x" | parse kind=regex s with "(" a`:         "missing closing",
		`print s = "x" | parse t with a`:                        "unknown column",
	} {
		wantRefusal(t, query, want)
	}
}

// TestParseCodes tests that a text that rows repeat is taken apart once.
func TestParseCodes(t *testing.T) {
	texts := Coded(String, []Value{StringOf("a=1"), StringOf("b")}, []uint16{1, 0, 0, 1})
	calls := 0
	tp := &textParser{x: &colExpr{0, String}, kinds: []Kind{Long}, at: []int{1}, width: 2, match: func(text string, values []Value) bool {
		calls++
		values[0] = LongOf(int64(len(text)))
		return text != "b"
	}}
	for _, where := range []bool{false, true} {
		tp.where = where
		out, err := tp.parse(nil, &Batch{N: 4, Cols: []*Vector{texts}})
		if err != nil {
			t.Fatal(err)
		}
		rows := map[bool]int{false: 4, true: 2}[where]
		if first := out.Cols[1].At(0); out.N != rows || first.Null == where || out.Cols[1].At(1).N != 3 {
			t.Errorf("where %v: %d rows, %v", where, out.N, first)
		}
	}
	if calls != 4 {
		t.Errorf("matched %d texts, want 4", calls)
	}
}

package query

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseJSON(t *testing.T) {
	for _, c := range []struct {
		text, want string
		ok         bool
	}{
		{` { "b" : [ 1 , 2.50 , -0 , 1E+3 ] , "a" : { } } `, `{"b":[1,2.50,-0,1E+3],"a":{}}`, true},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`, true},
		{`{"a":{"x":1,"x":2},"\u0061":[]}`, `{"a":[]}`, true},
		{`"\u0041\/\"\\\b\f\n\r\t\u001f\u00e9\ud83d\ude00"`, `"A/\"\\\b\f\n\r\t\u001fé😀"`, true},
		{`"\uD800x"`, `"\ud800x"`, true},
		{`"\ud83d\u0041"`, `"\ud83dA"`, true},
		{`12345678901234567890123`, `12345678901234567890123`, true},
		{"[]", "[]", true},
		{"null", "null", true},
		{"\"a\tb\"", "", false}, // a control character in a string
		{"'a'", "", false},
		{"{'a':1}", "", false},
		{"01", "", false}, {"1.", "", false}, {".5", "", false}, {"+1", "", false}, {"-", "", false}, {"1e", "", false},
		{"NaN", "", false}, {"True", "", false}, {"tru", "", false},
		{"[1,]", "", false}, {"[1 2]", "", false}, {`{"a":1,}`, "", false}, {`{"a"}`, "", false}, {`{1:2}`, "", false},
		{"[1] x", "", false}, {"[", "", false}, {`{"a":`, "", false}, {`"a`, "", false}, {`"a\`, "", false}, {`"\u12"`, "", false}, {`"\x"`, "", false},
		{"", "", false}, {" ", "", false}, {"\"\xff\"", "", false}, {"[1]\x00", "", false},
		{strings.Repeat("[", 512) + strings.Repeat("]", 512), strings.Repeat("[", 512) + strings.Repeat("]", 512), true},
		{strings.Repeat("[", 514) + strings.Repeat("]", 514), "", false},
	} {
		if got, ok := parseJSON(c.text); got != c.want || ok != c.ok {
			t.Errorf("parseJSON(%.60q) = %.60q, %v, expected %.60q, %v", c.text, got, ok, c.want, c.ok)
		}
	}
	var bag, want strings.Builder
	for i := range 40 { // enough for a map of names
		fmt.Fprintf(&bag, `,"k%d":%d`, i%30, i)
	}
	for i := range 30 {
		fmt.Fprintf(&want, `,"k%d":%d`, i, map[bool]int{true: i + 30, false: i}[i < 10])
	}
	if got, _ := parseJSON("{" + bag.String()[1:] + "}"); got != "{"+want.String()[1:]+"}" {
		t.Errorf("many twins: %s", got)
	}
}

func TestJSONOf(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{BoolOf(true), "true"}, {BoolOf(false), "false"}, {NullOf(Bool), "null"},
		{IntOf(-7), "-7"}, {LongOf(math.MinInt64), "-9223372036854775808"}, {NullOf(Long), "null"},
		{RealOf(10), "10.0"}, {RealOf(1.5), "1.5"}, {RealOf(0.30000000000000004), "0.30000000000000004"}, {RealOf(1e11), "100000000000.0"},
		{RealOf(0), "0.0"}, {RealOf(1e-7), "1e-7"}, {RealOf(1e20), "1e20"}, {RealOf(-123456789.25), "-123456789.25"},
		{RealOf(math.NaN()), `"NaN"`}, {RealOf(math.Inf(1)), `"Infinity"`}, {RealOf(math.Inf(-1)), `"-Infinity"`},
		{StringOf(""), `""`}, {StringOf("a\"b\\c\n\x01é😀"), `"a\"b\\c\n\u0001é😀"`}, {StringOf("a\xffb"), "\"a\uFFFDb\""},
		{DatetimeOf(637134336000000000, 0), `"2020-01-01T00:00:00.0000000Z"`},
		{DatetimeOf(0, 0), `"0001-01-01T00:00:00.0000000Z"`}, {DatetimeOf(maxTicks, 0), `"9999-12-31T23:59:59.9999999Z"`},
		{DatetimeOf(637134336000000001, 5), `"2020-01-01T00:00:00.000000105Z"`},
		{TimespanOf(2 * ticksSecond), `"00:00:02"`}, {TimespanOf(1), `"00:00:00.0000001"`},
		{TimespanOf(-(26*ticksHour + 184*ticksSecond)), `"-1.02:03:04"`},
		{TimespanOf(math.MinInt64), `"-10675199.02:48:05.4775808"`},
		{GuidOf("12E8B78D-55B4-46AE-B068-26D7A0080254"), `"12e8b78d-55b4-46ae-b068-26d7a0080254"`},
		{DynamicOf(`{"a":1}`), `{"a":1}`}, {NullOf(Dynamic), "null"}, {DynamicOf("null"), "null"},
	} {
		if got := jsonOf(c.v); got != c.want {
			t.Errorf("jsonOf(%v) = %s, expected %s", c.v, got, c.want)
		}
		if got := string(appendJSON(nil, c.v)); got != c.want {
			t.Errorf("appendJSON(%v) = %s, expected %s", c.v, got, c.want)
		}
	}
	for _, s := range []string{"", "a", `"\`, "\b\f\n\r\t\x00\x1f", "é\u2028😀", `\u0041`} {
		if got := unquoteJSON(quoteJSON(s)); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
	}
	if got := unquoteJSON(`"\ud800x"`); got != "\uFFFDx" {
		t.Errorf("half a pair: %q", got)
	}
}

func TestPaths(t *testing.T) {
	bag := DynamicOf(`{"a":1,"b":{"c":"]}\"","d":[10,[20],{"e":null}]},"q\"":true,"":"x","é":2}`)
	for _, c := range []struct {
		got  Value
		want string
	}{
		{memberOf(bag, "a"), "1"}, {memberOf(memberOf(bag, "b"), "c"), `"]}\""`}, {memberOf(bag, `q"`), "true"},
		{memberOf(bag, ""), `"x"`}, {memberOf(bag, "é"), "2"}, {memberOf(bag, "c"), "null"}, {memberOf(bag, "A"), "null"},
		{memberOf(DynamicOf("[1]"), "a"), "null"}, {memberOf(NullOf(Dynamic), "a"), "null"}, {memberOf(DynamicOf("{}"), "a"), "null"},
		{memberOf(StringOf(`{"a":1}`), "a"), "null"},
		{elementOf(DynamicOf("[10,[20],{}]"), 0), "10"}, {elementOf(DynamicOf("[10,[20],{}]"), 1), "[20]"},
		{elementOf(DynamicOf("[10,[20],{}]"), -1), "{}"}, {elementOf(DynamicOf("[10,[20],{}]"), -3), "10"},
		{elementOf(DynamicOf("[10,[20],{}]"), -4), "null"}, {elementOf(DynamicOf("[10]"), 1), "null"},
		{elementOf(DynamicOf("[]"), 0), "null"}, {elementOf(DynamicOf("[]"), -1), "null"}, {elementOf(bag, 0), "null"},
		{elementOf(DynamicOf("[1]"), math.MinInt64), "null"}, {elementOf(DynamicOf("[1]"), math.MaxInt64), "null"},
	} {
		if jsonOf(c.got) != c.want || c.got.Kind != Dynamic || c.got.Null != (c.want == "null") {
			t.Errorf("got %v, expected %s", c.got, c.want)
		}
	}
	var walked []string
	for name, v := range members(bag) {
		walked = append(walked, name+"="+v.S)
	}
	want := []string{"a=1", `b={"c":"]}\"","d":[10,[20],{"e":null}]}`, `q"=true`, `="x"`, "é=2"}
	if !slices.Equal(walked, want) {
		t.Errorf("members: %q", walked)
	}
	for range members(bag) {
		break
	}
	n := 0
	for range elements(DynamicOf(`[1,"a,b",{"x":[1,2]}]`)) {
		n++
	}
	if n != 3 {
		t.Errorf("%d elements", n)
	}
}

func TestScalarOf(t *testing.T) {
	for text, want := range map[string]Value{
		`"a\n"`: StringOf("a\n"), "1": LongOf(1), "-9223372036854775808": LongOf(math.MinInt64),
		"9223372036854775808": DynamicOf("9223372036854775808"), "1.0": RealOf(1), "1e3": RealOf(1000), "1e400": RealOf(math.Inf(1)),
		"true": BoolOf(true), "false": BoolOf(false), "null": DynamicOf("null"), "[1]": DynamicOf("[1]"), "{}": DynamicOf("{}"),
	} {
		if got := scalarOf(DynamicOf(text)); got != want {
			t.Errorf("scalarOf(%s) = %v, expected %v", text, got, want)
		}
	}
	if got := bagOf([]string{"a", `"`, "a"}, []Value{LongOf(1), NullOf(Int), StringOf("x")}); got.S != `{"a":"x","\"":null}` {
		t.Errorf("bagOf: %s", got.S)
	}
	for a, b := range map[string]string{
		`{"a":1,"b":[2.0]}`: `{"b":[2],"a":1.0}`, "1e2": "100", "0": "-0", "1.50": "1.5",
	} {
		if identity(a) != identity(b) {
			t.Errorf("%s is not %s", a, b)
		}
	}
	if identity("9007199254740993") == identity("9007199254740992") || identity(`"1"`) == identity("1") {
		t.Error("different values are the same")
	}
}

func FuzzParseJSON(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\u00e9"}],"a":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		compact, ok := parseJSON(text)
		if !ok {
			return
		}
		if again, ok := parseJSON(compact); !ok || again != compact {
			t.Fatalf("%q becomes %q, then %q", text, compact, again)
		}
		v := DynamicOf(compact)
		identity(compact)
		treePaths(v)
		for name, value := range members(v) {
			if got := memberOf(v, name); got != value && !strings.Contains(name, "\uFFFD") {
				t.Fatalf("member %q of %s is %v", name, compact, got)
			}
		}
	})
}

var exampleBag = `{"id":"toolu_01A09q90qw90lq917835lq9","type":"tool_use","name":"bash","input":{"command":"cd /work && go test ./... 2>&1 | tail -n 40","timeout":120000,"env":{"HOME":"/root","PATH":"/usr/bin"}},"model":"large","usage":{"in":12345,"out":678,"cached":[1,2,3]},"ok":true,"note":"a \"quoted\" word","last":42}`

func BenchmarkMemberOf(b *testing.B) {
	v := DynamicOf(exampleBag)
	for b.Loop() {
		memberOf(v, "last")
	}
}

func BenchmarkParseJSON(b *testing.B) {
	b.SetBytes(int64(len(exampleBag)))
	for b.Loop() {
		parseJSON(exampleBag)
	}
}

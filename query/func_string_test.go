package query

import (
	"slices"
	"strings"
	"testing"
)

func TestStringTable(t *testing.T) {
	if !slices.IsSortedFunc(stringFuncs, func(a, b Func) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the rows are not in order")
	}
}

// arr makes a dynamic value of JSON.
func arr(text string) Value { return DynamicOf(text) }

func str(s string) Value { return StringOf(s) }

func TestStringFuncs(t *testing.T) {
	n := LongOf
	for _, c := range []struct {
		name string
		args []Value
		want Value
	}{
		{"base64_decode_tostring", []Value{str("S3VzdG8=")}, str("Kusto")},
		{"base64_decode_tostring", []Value{str("U3RyaW5n0KHR0tGA0L7Rh9C60LA=")}, str("")},
		{"base64_decode_tostring", []Value{str("?")}, str("")},
		{"countof", []Value{str("ababa"), str("aba")}, n(2)},
		{"countof", []Value{str("ééé"), str("éé"), str("normal")}, n(2)},
		{"countof", []Value{str("ababa"), str("aba"), str("regex")}, n(1)},
		{"countof", []Value{str("hello world"), str("l+"), str("regex")}, n(2)},
		{"countof", []Value{str(`back\slash`), str(`\\`)}, n(0)},
		{"extract", []Value{str("x(.)"), n(1), str("axb")}, str("b")},
		{"extract", []Value{str("x(.)"), n(0), str("axb")}, str("xb")},
		{"extract", []Value{str("x(.)"), n(2), str("axb")}, str("")},
		{"extract", []Value{str("x(.)"), n(-1), str("axb")}, str("")},
		{"extract", []Value{str("x(.)"), n(1), str("none")}, str("")},
		{"extract", []Value{str("([a-z]+)"), n(1), str("café")}, str("caf")},
		{"extract", []Value{str(`-(\d+)-`), n(1), str("1-12-2"), str("long")}, n(12)},
		{"extract", []Value{str(`-(\w+)-`), n(1), str("1-ab-2"), str("long")}, NullOf(Long)},
		{"extract", []Value{str(`-(\d+)-`), n(1), str("1"), str("int")}, NullOf(Int)},
		{"extract", []Value{str("x"), n(0), arr(`"x"`)}, str("x")},
		{"extract_all", []Value{str(`(\d+)`), str("1 22")}, arr(`["1","22"]`)},
		{"extract_all", []Value{str(`([a-z])(\d)?`), str("a1b")}, arr(`[["a","1"],["b",""]]`)},
		{"extract_all", []Value{str(`(\w)(\w+)(\w)`), arr("[1,3]"), str("abcd-efg")}, arr(`[["a","d"],["e","g"]]`)},
		{"extract_all", []Value{str(`(?P<f>\w)(\w+)`), arr(`["f"]`), str("abc de")}, arr(`["a","d"]`)},
		{"extract_all", []Value{str(`(\d)`), str("none")}, NullOf(Dynamic)},
		{"has_any_index", []Value{str("this is an example"), arr(`["not","EXAMPLE"]`)}, n(1)},
		{"has_any_index", []Value{str("Example number 2"), arr(`[1,2,3]`)}, n(1)},
		{"has_any_index", []Value{str("examples"), arr(`["example"]`)}, n(-1)},
		{"has_any_index", []Value{str("x"), arr(`[]`)}, n(-1)},
		{"hash_md5", []Value{DatetimeOf(637134336000000000, 0)}, str("786c530672d1f8db31fee25ea8a9390b")},
		{"indexof", []Value{str("abcdefg"), str("cde")}, n(2)},
		{"indexof", []Value{str("abcdefg"), str("cde"), n(1), n(4)}, n(2)},
		{"indexof", []Value{str("abcdefg"), str("cde"), n(1), n(2)}, n(2)},
		{"indexof", []Value{str("abcdefg"), str("cde"), n(3), n(4)}, n(-1)},
		{"indexof", []Value{str("abcdefg"), str("cde"), n(-5)}, n(2)},
		{"indexof", []Value{n(1234567), n(5), n(1), n(4)}, n(4)},
		{"indexof", []Value{str("abcdefg"), str("cde"), n(2), n(-1)}, n(2)},
		{"indexof", []Value{str("abcdefgabcdefg"), str("cde"), n(1), n(10), n(2)}, n(9)},
		{"indexof", []Value{str("abcdefgabcdefg"), str("cde"), n(1), n(-1), n(3)}, n(-1)},
		{"indexof", []Value{str("éé'a'"), str("'"), n(3)}, n(4)},
		{"indexof", []Value{str("abc"), str("")}, NullOf(Long)},
		{"indexof", []Value{str("abc"), str("a"), n(9)}, n(-1)},
		{"isempty", []Value{NullOf(Dynamic)}, BoolOf(true)},
		{"isempty", []Value{arr(`""`)}, BoolOf(true)},
		{"isempty", []Value{arr(`[]`)}, BoolOf(false)},
		{"isempty", []Value{str(" ")}, BoolOf(false)},
		{"isnotempty", []Value{NullOf(Real)}, BoolOf(false)},
		{"isnull", []Value{str("")}, BoolOf(false)},
		{"isnull", []Value{NullOf(Dynamic)}, BoolOf(true)},
		{"isnotnull", []Value{NullOf(Timespan)}, BoolOf(false)},
		{"isutf8", []Value{str("\xff")}, BoolOf(false)},
		{"parse_csv", []Value{str("aa,\"b,b,b\",cc,\"Escaping quotes: \"\"Title\"\"\",\"line1\nline2\"")}, arr(`["aa","b,b,b","cc","Escaping quotes: \"Title\"","line1\nline2"]`)},
		{"parse_csv", []Value{str("record1,a,b,c\nrecord2,x,y,z")}, arr(`["record1","a","b","c"]`)},
		{"parse_csv", []Value{str(`a,,"`)}, arr(`["a","",""]`)},
		{"replace_regex", []Value{str("one two three"), str(`(\w)(\w)`), str(`\2\1`)}, str("noe wto htere")},
		{"replace_regex", []Value{str("a-b"), str(`(\w+)`), str(`[\0\\$1]`)}, str(`[a\$1]-[b\$1]`)},
		{"replace_regex", []Value{str("abc"), str(`x*`), str("-")}, str("-a-b-c-")},
		{"replace", []Value{str("a"), str("b"), str("aca")}, str("bcb")},
		{"replace_string", []Value{str("aaa"), str(""), str("X")}, str("aaa")},
		{"replace_string", []Value{str("it's"), str("'"), str("''")}, str("it''s")},
		{"replace_strings", []Value{str("This is"), arr(`["This","is"]`), arr(`["This","was"]`)}, str("This was")},
		{"replace_strings", []Value{str("This is"), arr(`["is","This"]`), arr(`["was","This"]`)}, str("Thwas was")},
		{"replace_strings", []Value{str("This is"), arr(`["This","is"]`), arr(`[12345,"was"]`)}, str("This was")},
		{"replace_strings", []Value{str("a cat"), arr(`["cat"," "]`), arr(`["",""]`)}, str("a")},
		{"reverse", []Value{str("𝓗ello")}, str("olle𝓗")},
		{"reverse", []Value{TimespanOf(3 * 36000000000)}, str("00:00:30")},
		{"split", []Value{str(""), str("_")}, arr(`[""]`)},
		{"split", []Value{str(",,"), str(",")}, arr(`["","",""]`)},
		{"split", []Value{str(`a\b"`), str(`\`)}, arr(`["a","b\""]`)},
		{"split", []Value{str("aaa_bbb_ccc"), str("_"), n(1)}, arr(`["bbb"]`)},
		{"strcat", []Value{str("a"), NullOf(Int), BoolOf(true), NullOf(Dynamic)}, str("aTrue")},
		{"strcat_array", []Value{arr(`["a",null,"","b"]`), str("|")}, str("a|||b")},
		{"strcat_array", []Value{arr(`[null,null]`), str(",")}, str(",")},
		{"strcat_array", []Value{arr(`[]`), str(",")}, str("")},
		{"strcat_array", []Value{arr(`["",""]`), str("|")}, str("|")},
		{"strcat_delim", []Value{str(":"), str("x"), n(5), str("")}, str("x:5:")},
		{"strcmp", []Value{str("a"), str("")}, n(1)},
		{"string_size", []Value{str("👨‍👩‍👧")}, n(18)},
		{"strlen", []Value{str("👨‍👩‍👧")}, n(5)},
		{"strlen", []Value{NullOf(Dynamic)}, n(0)},
		{"strrep", []Value{str("ab"), n(3)}, str("ababab")},
		{"substring", []Value{str("abc"), n(2), n(10)}, str("c")},
		{"substring", []Value{str("abc"), n(-2), n(5)}, str("bc")},
		{"substring", []Value{str("x"), n(-2), n(5)}, str("")},
		{"substring", []Value{str("xy"), n(-2)}, str("xy")},
		{"substring", []Value{str("hello"), n(1), n(-1)}, str("")},
		{"substring", []Value{str("hello"), n(0), n(0)}, str("")},
		{"substring", []Value{str("hello"), n(100)}, str("")},
		{"substring", []Value{str("héllo"), n(1), n(2)}, str("él")},
		{"substring", []Value{str("short"), n(-4), n(2)}, str("ho")},
		{"tolower", []Value{str("MixedСyrillic А")}, str("mixedсyrillic а")},
		{"toupper", []Value{str("straße é")}, str("STRAßE É")},
		{"translate", []Value{str("abc"), str("x"), str("abc")}, str("xxx")},
		{"translate", []Value{str("abc"), str(""), str("abd")}, str("d")},
		{"trim", []Value{str("x"), str("xxx")}, str("x")},
		{"trim", []Value{str("1"), str("11")}, str("")},
		{"trim", []Value{str(`[^\w]+`), str("-  Te st1// $")}, str("Te st1")},
		{"trim", []Value{str(`\s`), str("\u00a0nbsp\u00a0")}, str("nbsp")},
		{"trim", []Value{str("a|b"), str("abc")}, str("bc")},
		{"trim_end", []Value{str(`\s+`), str("  a  ")}, str("  a")},
		{"trim_start", []Value{str("x"), str("xxa")}, str("xa")},
		{"unicode_codepoints_from_string", []Value{str("⒦é")}, arr("[9382,233]")},
		{"unicode_codepoints_from_string", []Value{str("")}, arr("[]")},
		{"unicode_codepoints_to_string", []Value{arr("[48,49]"), n(65)}, str("01A")},
		{"unicode_codepoints_to_string", []Value{n(0xD800)}, str("")},
		{"unicode_codepoints_to_string", []Value{n(65), n(-1)}, str("")},
		{"url_decode", []Value{str("a%20b+c%zz%4")}, str("a b c%zz%4")},
		{"url_encode", []Value{str("You are")}, str("You+are")},
		{"url_encode_component", []Value{str("https://www.bing.com/hello world/é")}, str("https%3a%2f%2fwww.bing.com%2fhello%20world%2f%c3%a9")},
	} {
		got, err := callWith(stringFuncs, true, c.name, c.args...)
		if err != nil || got != c.want {
			t.Errorf("%s(%v) = %v, %v; want %v", c.name, c.args, got, err, c.want)
		}
	}
}

func TestStringFuncsRefuse(t *testing.T) {
	n := LongOf
	for _, c := range []struct {
		name string
		args []Value
		want string
	}{
		{"countof", []Value{str("a"), str("")}, "not supported here"},
		{"countof", []Value{str("a"), str("b"), str("Regex")}, "expected"},
		{"extract", []Value{str("(?=x)"), n(0), str("a")}, "no look-around"},
		{"extract", []Value{str("x"), n(0), str("a"), str("dynamic")}, "not supported here"},
		{"extract", []Value{str("x"), n(0), str("a"), str("word")}, "typeof"},
		{"extract_all", []Value{str("a"), str("aaa")}, "groups in parentheses"},
		{"extract_all", []Value{str("(a)"), arr("[2]"), str("aaa")}, "no group"},
		{"extract_all", []Value{str("(a)"), arr("[]"), str("aaa")}, "one group"},
		{"indexof", []Value{str("a"), str("b"), n(0), n(-1), n(0)}, "not supported here"},
		{"replace_regex", []Value{str("a"), str("a"), str(`\1`)}, "no group"},
		{"replace_regex", []Value{str("a"), str("a"), str(`\x`)}, "not supported here"},
		{"replace_regex", []Value{str("a"), str("a"), str(`\`)}, "at the end"},
		{"split", []Value{str("a"), str("")}, "not supported here"},
		{"strcat", slices.Repeat([]Value{str("a")}, 65), "at most 64"},
		{"strcat_delim", []Value{str("-"), str("a")}, "expected"},
		{"strlen", []Value{n(1)}, "type"},
		{"strrep", []Value{str("a"), n(1025)}, "not supported here"},
		{"translate", []Value{str("abc"), str("xy"), str("a")}, "not supported here"},
	} {
		_, err := callWith(stringFuncs, true, c.name, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s(%v): got %v, want %q", c.name, c.args, err, c.want)
		}
	}
	if _, err := callWith(stringFuncs, false, "trim", str("x"), str("x")); err == nil || !strings.Contains(err.Error(), "constant") {
		t.Errorf("trim with a pattern that is not constant: %v", err)
	}
}

// Arguments that are not constant, where that is prepared for.
func TestStringFuncsByRow(t *testing.T) {
	for _, c := range []struct {
		name string
		args []Value
		want Value
	}{
		{"has_any_index", []Value{str("a b"), arr(`["b"]`)}, LongOf(0)},
		{"translate", []Value{str("abc"), str("xy"), str("abcd")}, str("xyyd")},
		{"countof", []Value{str("aa"), str("")}, LongOf(0)},
		{"split", []Value{str("ab"), str("")}, arr(`["ab"]`)},
		{"strrep", []Value{str("a"), LongOf(0)}, str("")},
		{"strrep", []Value{str("a"), LongOf(5000)}, str(strings.Repeat("a", maxRepeat))},
	} {
		got, err := callWith(stringFuncs, false, c.name, c.args...)
		if err != nil || got != c.want {
			t.Errorf("%s(%v) = %v, %v; want %v", c.name, c.args, got, err, c.want)
		}
	}
}

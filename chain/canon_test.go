package chain

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// shared returns the path of a file that stands beside the checkout, and skips
// the test where it does not.
func shared(t testing.TB, path string) string {
	t.Helper()
	path = filepath.Join("..", "..", "shared", path)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s", path)
	}
	return path
}

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"canonical already", `{"a":[1,"x",{}],"b":null}`, `{"a":[1,"x",{}],"b":null}`},
		{"white space of every kind", " {\t\"a\" :\r\n[ 1 , 2 ] } \n", `{"a":[1,2]}`},
		{"space in empty containers", `[ { } , [ ] ]`, `[{},[]]`},
		{"scalar", ` "x" `, `"x"`},
		{"numbers keep their bytes", `[1,1.0,1e0,1E+00,-0,-0.0,1e400,9007199254740993,18446744073709551616]`, `[1,1.0,1e0,1E+00,-0,-0.0,1e400,9007199254740993,18446744073709551616]`},
		{"members in order", `{"b":1,"a":2,"":3,"ab":4}`, `{"":3,"a":2,"ab":4,"b":1}`},
		{"order at every depth", `{"z":{"b":[{"d":1,"c":2}],"a":1},"y":0}`, `{"y":0,"z":{"a":1,"b":[{"c":2,"d":1}]}}`},
		{"last member out of order, after a respelled one", `{"b":"\u0041","c":[ ],"a":"\/"}`, `{"a":"/","b":"A","c":[]}`},
		{"surrogates sort before U+E000 to U+FFFF", "{\"\ufb33\":1,\"😀\":2,\"\ud7ff\":3}", "{\"\ud7ff\":3,\"😀\":2,\"\ufb33\":1}"},
		{"escapes in names compare as characters", `{"\n":1,"\"":2,"!":3,"\\":4,"[":5,"]":6}`, `{"\n":1,"!":3,"\"":2,"[":5,"\\":4,"]":6}`},
		{"names of one beginning", `{"aé":1,"a":2,"ae":3}`, `{"a":2,"ae":3,"aé":1}`},
		{"short escapes", `"\u0008\u0009\u000A\u000c\u000d\u0022\u005C"`, `"\b\t\n\f\r\"\\"`},
		{"control characters in lower case", `"\u001F\u000b\u0000"`, `"\u001f\u000b\u0000"`},
		{"not escaped", `"\/ \u007f \u2028 \u003c&>"`, "\"/ \x7f \u2028 <&>\""},
		{"surrogate pair", `"\uD83D\ude00"`, `"😀"`},
		{"escape at every distance from the quote", `["\u0041","1\u0041","12\u0041","1234567\u0041","12345678\u0041"]`, `["A","1A","12A","1234567A","12345678A"]`},
		{"not normalised", "[\"é\",\"e\u0301\"]", "[\"é\",\"e\u0301\"]"},
		{"depth at the limit", strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Canonical([]byte("before"), []byte(test.in))
			if err != nil || string(got) != "before"+test.want {
				t.Fatalf("Canonical(%q) = %q, %v, want %q", test.in, got, err, test.want)
			}
			if again, err := Canonical(nil, got[6:]); err != nil || string(again) != test.want {
				t.Errorf("Canonical(%q) = %q, %v, want it unchanged", test.want, again, err)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", " ", "byte 1: expected a JSON value, found nothing"},
		{"torn object", `{"a":1`, "byte 6: expected ',' or '}', found the end of the text"},
		{"torn value", `{"a":{"b":`, "byte 10, in /a/b: expected a value, found the end of the text"},
		{"torn string", `{"a":["xyz`, "byte 6, in /a/0: a string that does not end"},
		{"two values", `{} {}`, "byte 3: expected the end after the value, found '{'"},
		{"duplicate next to each other", `{"a":1,"a":2}`, `byte 7: duplicate member "a"`},
		{"duplicate out of order", `{"x":{"b":1,"a":2,"\u0062":3}}`, `byte 18, in /x: duplicate member "b"`},
		{"duplicate among many out of order", `{ "z" : {"a,}":[ "]" ]} , "y":"\u002c}" ,` + manyMembers(40) + `"q": 1 , "z":2}`, fmt.Sprintf(`byte %d: duplicate member "z"`, 50+len(manyMembers(40)))},
		{"pointer is escaped", `{"a/b~":[0,{"c":tru}]}`, "byte 16, in /a~1b~0/1/c: expected a value, found 't'"},
		{"byte order mark", "\ufeff{}", "byte 0: expected a value, found a byte order mark"},
		{"NUL", "{\x00}", "byte 1: expected a member name in quotes, found a NUL byte"},
		{"NUL in a string", "\"a\x00\"", "byte 2: a control character (0x00) must be escaped in a string"},
		{"newline in a string", "\"a\n\"", "byte 2: a control character (0x0a) must be escaped in a string"},
		{"invalid UTF-8", "[\"a\xff\"]", "byte 3, in /0: invalid UTF-8 (byte 0xff) in a string"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "byte 1: invalid UTF-8 (byte 0xed) in a string"},
		{"overlong UTF-8", "\"\xc0\x80\"", "byte 1: invalid UTF-8 (byte 0xc0) in a string"},
		{"lone high surrogate", `"\ud83dx"`, `byte 1: a surrogate (\ud83d) without its other half`},
		{"high surrogate twice", `"\ud83d\ud83d"`, `byte 1: a surrogate (\ud83d) without its other half`},
		{"lone low surrogate", `"\ude00"`, `byte 1: a surrogate (\ude00) without its other half`},
		{"unknown escape", `"\x41"`, `byte 1: no such escape in JSON: expected one of \" \\ \/ \b \f \n \r \t \uXXXX`},
		{"torn escape", `"\u12`, `byte 1: expected four hexadecimal digits after \u`},
		{"NaN", `[NaN]`, "byte 1, in /0: expected a value, found 'N'"},
		{"Infinity", `{"a":-Infinity}`, "byte 5, in /a: not a number of JSON, at its character 2"},
		{"leading zero", `01`, "byte 0: not a number of JSON, at its character 2"},
		{"no digits after the point", `1.e3`, "byte 0: not a number of JSON, at its character 3"},
		{"no digits in the exponent", `1e+`, "byte 0: not a number of JSON, at its character 4"},
		{"comma at the end", `[1,]`, "byte 3, in /1: expected a value, found ']'"},
		{"comma at the end of an object", `{"a":1,}`, "byte 7: expected a member name in quotes, found '}'"},
		{"name without quotes", `{a:1}`, "byte 1: expected a member name in quotes, found 'a'"},
		{"long names are cut", `{"` + strings.Repeat("é", 5000) + `":{"` + strings.Repeat("a", 1000) + `":1,"` + strings.Repeat("a", 1000) + `":2}}`,
			"byte 11010, in /" + strings.Repeat("é", 49) + "…" + strings.Repeat("é", 50) + `: duplicate member "` + strings.Repeat("a", 100) + "…" + strings.Repeat("a", 100) + `"`},
		{"too deep", strings.Repeat("[", MaxDepth+1), "byte 512, in " + strings.Repeat("/0", 50) + "…" + strings.Repeat("/0", 50) + ": nested deeper than 512"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dst := []byte("before")
			got, err := Canonical(dst, []byte(test.in))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != test.want {
				t.Errorf("Canonical(%.40q): error %v, want %s", test.in, err, test.want)
			}
			if string(got) != "before" {
				t.Errorf("Canonical(%.40q) = %q with its error, want dst", test.in, got)
			}
		})
	}
}

// manyMembers returns n members, each with a comma behind it, out of order.
func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%03d" : -1.5e3 , `, (i*19)%n)
	}
	return b.String()
}

func TestCanonicalManyMembers(t *testing.T) {
	for _, n := range []int{few - 1, few, few + 1, many - 1, many, many + 1, 3 * many} {
		compareWithJSONText(t, []byte(`{"z":{`+manyMembers(n)+`"a":{"c":1,"b":[2]}},`+manyMembers(33)+`"a":1}`))
		compareWithJSONText(t, []byte(`{"z":{`+manyMembers(n)+`"m007":1},"a":1}`))
		for _, text := range []string{`{"z":1, ` + manyMembers(n) + `"a":[1,{"b":2}]}`, `{"z":{` + manyMembers(n) + `"a":1}}`} {
			canonical, err := Canonical(nil, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			checkText(t, []byte(text), canonical)
		}
	}
}

func TestCanonicalDepthBomb(t *testing.T) {
	for _, in := range []string{strings.Repeat("[", 10_000_000), strings.Repeat(`{"a":`, 2_000_000)} {
		if _, err := Canonical(nil, []byte(in)); err == nil {
			t.Errorf("a text of %d open containers is accepted", len(in))
		}
	}
}

// TestJSONTestSuite runs the parsing tests of github.com/nst/JSONTestSuite.
func TestJSONTestSuite(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared(t, "vectors/jsontestsuite/test_parsing"), "*.json"))
	if len(files) < 300 {
		t.Fatalf("%d files, want over 300", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		_, err = Canonical(nil, text)
		duplicate := strings.HasPrefix(name, "y_object_duplicated_key")
		if name[0] == 'n' && err == nil || name[0] == 'y' && (err != nil) != duplicate {
			t.Errorf("%s: error %v", name, err)
		}
		if name[0] != 'n' {
			compareWithJSONText(t, text)
		}
	}
}

// TestCyberphone runs the vectors of RFC 8785's author. Only where they change
// a number may ours differ.
func TestCyberphone(t *testing.T) {
	dir := shared(t, "vectors/jcs-cyberphone")
	numbers := map[string]func(string) string{
		"structures.json": func(s string) string { return strings.Replace(s, ":56,", ":56.0,", 1) },
		"values.json": func(s string) string {
			return strings.Replace(s, "[333333333.3333333,1e+30,4.5,0.002,1e-27]", "[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]", 1)
		},
	}
	for _, name := range []string{"arrays.json", "french.json", "structures.json", "unicode.json", "values.json", "weird.json"} {
		in, err1 := os.ReadFile(filepath.Join(dir, "input", name))
		out, err2 := os.ReadFile(filepath.Join(dir, "output", name))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		want := string(out)
		if f := numbers[name]; f != nil {
			want = f(want)
		}
		if got, err := Canonical(nil, in); err != nil || string(got) != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", name, got, err, want)
		}
	}
}

// compareWithJSONText holds Canonical against a second implementation. The two
// may differ in the depth they allow and nowhere else.
func compareWithJSONText(t *testing.T, text []byte) {
	t.Helper()
	got, err := Canonical(nil, text)
	want := jsontext.Value(bytes.Clone(text))
	wantErr := want.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if (err == nil) != (wantErr == nil) {
		if err == nil || !strings.Contains(err.Error(), "nested deeper") {
			t.Fatalf("Canonical(%q): error %v, jsontext's is %v", text, err, wantErr)
		}
	} else if err == nil && !bytes.Equal(got, want) {
		t.Fatalf("Canonical(%q) = %s, jsontext has %s", text, got, want)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":1.0,"a":[-0,1e400,"\u00e9\ud83d\ude00\/"],"":{"\n":null,"!":true}}`,
		"{\"\ufb33\":1,\"😀\":2,\"\ud7ff\":3}", `{"a":1,"a":2}`, `{"b":1,"a":2,"b":3}`, `"\ud800"`, "\"\xff\"", `[01]`, `[[[[]]]] x`, `{"a" : {"z":1 , "y":2}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compareWithJSONText(t, text)
		got, err := Canonical(nil, text)
		if err != nil {
			return
		}
		if len(got) > len(text) {
			t.Errorf("Canonical(%q) is longer than the text", text)
		}
		if again, err := Canonical(nil, got); err != nil || !bytes.Equal(got, again) {
			t.Errorf("Canonical(%q) = %q, %v, want it unchanged", got, again, err)
		}
		checkMembers(t, got)
		checkText(t, text, got)
	})
}

// checkMembers puts an object together again from its members.
func checkMembers(t *testing.T, canonical []byte) {
	t.Helper()
	if canonical[0] != '{' {
		for range Members(canonical) {
			t.Errorf("%q has members", canonical)
		}
		return
	}
	again := []byte("{")
	for name, value := range Members(canonical) {
		if len(again) > 1 {
			again = append(again, ',')
		}
		again = append(append(append(again, name...), ':'), value...)
		if plain, err := Canonical(nil, value); err != nil || !bytes.Equal(plain, value) {
			t.Errorf("value %q of %q: %v", value, canonical, err)
		}
		var quoted = jsontext.Value(name)
		if want, err := jsontext.AppendUnquote(nil, quoted); err != nil || Unquote(name) != string(want) {
			t.Errorf("Unquote(%s) = %q, want %q, %v", name, Unquote(name), want, err)
		}
	}
	if again = append(again, '}'); !bytes.Equal(again, canonical) {
		t.Errorf("members of %q make %q", canonical, again)
	}
}

// checkText holds the members that a Text knows against those that are looked for.
func checkText(t *testing.T, text, canonical []byte) {
	t.Helper()
	list := func(members iter.Seq2[[]byte, []byte]) (all []string) {
		for name, value := range members {
			all = append(all, string(name), string(value))
		}
		return all
	}
	var known Text
	for range 2 { // the second time in the memory of the first
		if out, err := known.Canonical([]byte("before"), text); err != nil || string(out) != "before"+string(canonical) || string(known.Bytes) != string(canonical) {
			t.Fatalf("Text.Canonical(%q) = %q, %v", text, out, err)
		}
		if got, want := list(known.Members()), list(Members(canonical)); !slices.Equal(got, want) {
			t.Fatalf("members of %q are %q, want %q", canonical, got, want)
		}
	}
}

func TestMembersOfOtherText(t *testing.T) {
	for _, text := range []string{"", "{", "{}", "[]", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"`, `{"a":{"b"`, `{"a":[1,2`, `{,,,,}`, `{"a"1}`, `{"a";1}`, `{"a\`, `{"abcdefghijk":"\`} {
		for name, value := range Members([]byte(text)) {
			if whole := slices.Concat(name, []byte(":"), value); !bytes.Contains([]byte(text), whole) || name[0] != '"' {
				t.Errorf("%s: a member %s: %s", text, name, value)
			}
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	for _, input := range []struct {
		name string
		text []byte
	}{{"sorted", typicalCall(true)}, {"unsorted", typicalCall(false)}} {
		b.Run(input.name+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(input.text)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = Canonical(dst[:0], input.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(input.name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(input.text)))
			b.ReportAllocs()
			var dst jsontext.Value
			for b.Loop() {
				dst = append(dst[:0], input.text...)
				if err := dst.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// typicalCall returns a call of about 1 KB, with its members in order or as
// agents write them.
func typicalCall(sorted bool) []byte {
	args := `"command": "grep -rn \"func Open\" --include='*.go' ./internal | head -20", "cwd": "/home/agent/project", "timeout_ms": 30000, "env": {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}`
	response := `"stdout": "` + strings.Repeat(`internal/store/open.go:41:func Open(dir string, opt Options) (*Store, error) {\n`, 7) + `", "stderr": "", "exit_code": 0, "duration": 0.0412, "files": ["a.go", "b.go"]`
	text := fmt.Appendf(nil, `{"tool": "run_command", "index": 7, "response": {%s}, "args": {%s}}`, response, args)
	if sorted {
		text, _ = Canonical(nil, text)
	}
	return text
}

package chain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// evidence returns an entry as a ledger would give it.
func evidence(t testing.TB, text string) *Evidence {
	t.Helper()
	e := &Evidence{Entry: *parseEntry(t, text), Seq: 7, Salt: Salt{1, 2, 3}, Prev: Hash{9}}
	payload := e.Payload(new(Committer))
	e.Digest = Digest(AppendHeader(nil, &e.Entry, &payload, &e.Prev))
	return e
}

const evidenceText = `{"agent":"a","args":{"a/b":1,"path":"x","q~":[1,{"z":null}],"\ud83d\ude00":true,"\ufb33":false},"context":["hi"],"index":3,"metadata":{"k":1},
	"prompt":"p","reasoning":"because","recorded":"2026-01-01T00:00:00Z","response":[1,2],"session":"s","time":"2026-01-01T00:00:00Z"}`

// TestRemove takes values out: what is left verifies, and says no more than it must.
func TestRemove(t *testing.T) {
	for _, test := range []struct {
		remove []string
		n      int
		left   string // of the payload
	}{
		{[]string{"/args/path"}, 1, `{"args":{"a/b":1,"q~":[1,{"z":null}],"😀":true,"\ufb33":false},"context":["hi"],"metadata":{"k":1},"prompt":"p","reasoning":"because","response":[1,2]}`},
		{[]string{"/args"}, 5, `{"context":["hi"],"metadata":{"k":1},"prompt":"p","reasoning":"because","response":[1,2]}`},
		{[]string{"/args/a~1b", "/args/q~0", "/metadata/k", "/response"}, 4, `{"args":{"path":"x","😀":true,"\ufb33":false},"context":["hi"],"prompt":"p","reasoning":"because"}`},
		{[]string{"/args", "/context", "/metadata", "/prompt", "/reasoning", "/response"}, 10, `{}`},
		{[]string{"/args/path/x", "/response/0", "/args/q~0/1/z"}, 3, `{"args":{"a/b":1,"😀":true,"\ufb33":false},"context":["hi"],"metadata":{"k":1},"prompt":"p","reasoning":"because"}`},
		{[]string{"/args/pat", "/arg", "/args/a/b", "/agent", "", "/responses/0"}, 0, `{"args":{"a/b":1,"path":"x","q~":[1,{"z":null}],"😀":true,"\ufb33":false},"context":["hi"],"metadata":{"k":1},"prompt":"p","reasoning":"because","response":[1,2]}`},
	} {
		for _, one := range []bool{false, true} { // all at once, or one after the other
			e := evidence(t, evidenceText)
			n := 0
			if one {
				for _, p := range test.remove {
					n += e.Remove(p)
				}
			} else {
				n = e.Remove(test.remove...)
			}
			if n != test.n {
				t.Errorf("Remove(%q) took %d values, want %d", test.remove, n, test.n)
			}
			if broken := e.Check(new(Committer)); broken != nil {
				t.Errorf("Remove(%q): %v", test.remove, broken)
			}
			var payload Entry
			for _, m := range payloadMembers {
				payload[m] = e.Entry[m]
			}
			want, err := Canonical(nil, []byte(test.left))
			if got := payload.Append(nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("Remove(%q) leaves %s, want %s, %v", test.remove, got, want, err)
			}
			line := e.Append(nil)
			if canonical, err := Canonical(nil, line); err != nil || !bytes.Equal(canonical, line) {
				t.Errorf("the line is not canonical: %s, %v", line, err)
			}
			again, err := ParseEvidence(TextOf(line))
			if err != nil || again.Check(new(Committer)) != nil || !bytes.Equal(again.Append(nil), line) {
				t.Errorf("read again, %s is %s, %v", line, again.Append(nil), err)
			}
			if n > 0 && again.Salt != (Salt{}) {
				t.Error("the salt of the entry is still there: the salts of what was removed follow from it")
			}
		}
	}
}

// TestRemovedForged changes lines of which values were removed.
func TestRemovedForged(t *testing.T) {
	e := evidence(t, evidenceText)
	e.Remove("/args/path", "/metadata")
	line := string(e.Append(nil))
	for _, test := range []struct{ name, from, to, want string }{
		{"value", `"because"`, `"therefore"`, "broken"},
		{"header", `"agent":"a"`, `"agent":"b"`, "broken"},
		{"commitment", `"/args/path":"`, `"/args/path":"` + "00", "64 hexadecimal digits"},
		{"no commitment", `"removed":{`, `"removed":{},"x":{`, "unexpected field(s): x"},
		{"another pointer", `"/args/path":`, `"/args/patch":`, "broken"},
		{"pointer to the header", `"/args/path":`, `"/agent":`, "expected a pointer into args"},
		{"salt of none", `"salts":{`, `"salts":{"/args/path":"00000000000000000000000000000000",`, "more than the entry has values"},
		{"salt is missing", `"salts":{"/args/a~1b":`, `"salts":{"/args/none":`, "salts: missing field(s): /args/a~1b"},
		{"value put back", `"args":{`, `"args":{"path":"y",`, "salts: missing field(s): /args/path"},
	} {
		text := strings.Replace(line, test.from, test.to, 1)
		if text == line {
			t.Fatalf("%s: nothing changed", test.name)
		}
		canonical, err := Canonical(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := "accepted"
		if again, err := ParseEvidence(TextOf(canonical)); err != nil {
			got = err.Error()
		} else if broken := again.Check(new(Committer)); broken != nil {
			got = broken.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// FuzzRemove takes out whatever pointers it is told: the digest never changes.
func FuzzRemove(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[],"~/":"x"}`, "/args/a,/args/~0~1")
	f.Add(`{}`, "/args")
	f.Add(`{"é":null}`, "/args/é,/reasoning")
	f.Fuzz(func(t *testing.T, args, pointers string) {
		canonical, err := Canonical(nil, []byte(args))
		if err != nil || canonical[0] != '{' || len(canonical) > 1<<16 {
			return
		}
		e := evidence(t, fmt.Sprintf(`{"args":%s,"index":0,"reasoning":"r","recorded":"2026-01-01T00:00:00Z","session":"s","time":"2026-01-01T00:00:00Z"}`, canonical))
		list := strings.Split(pointers, ",")
		e.Remove(list...)
		line := e.Append(nil)
		again, err := ParseEvidence(TextOf(line))
		if err != nil || again.Check(new(Committer)) != nil {
			t.Fatalf("without %q: %s, %v, %v", list, line, err, again.Check(new(Committer)))
		}
		for pointer := range new(Committer).Pointers(&again.Entry) {
			if slices.Contains(list, string(pointer)) {
				t.Fatalf("%s is still there: %s", pointer, line)
			}
		}
	})
}

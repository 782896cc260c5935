package chain

import (
	"strings"
	"testing"
)

var entryLines = []string{
	`{"session":"s1","index":0,"time":"2026-01-01T00:00:00.000Z","agent":"a","args":{"path":"x","n":1},"reasoning":"why","duration_ms":1,"response":[1,2]}`,
	`{"session":"s1","index":1,"time":"2026-01-01T00:00:00.000Z","agent":"a","args":{"path":"x","n":1},"reasoning":"why","duration_ms":12,"response":[1,2,3]}`,
	`{ "session" : "s1", "index" : 2 , "args": {"z":[], "a":{}} , "reasoning":"wh\u0079" }  `,
	`{"session":"s1","reasoning":"why","agent":"b","index":3}`,
	`{"session":"s1","reasoning":"why\"","agent":"b","index":30}`,
}

// decodeLines reads lines one after the other with one decoder, and requires each that it
// reads to be what the general way makes of it. It returns how many it read.
func decodeLines(t *testing.T, lines []string) (n int) {
	t.Helper()
	var d EntryDecoder
	var got, want []Entry
	dst := make([]byte, 0, 64)
	for _, line := range lines {
		var e Entry
		out, size, ok := d.Decode(dst, []byte(line), &e)
		canonical, err := Canonical(nil, []byte(line))
		if !ok {
			if len(out) != len(dst) {
				t.Fatalf("%s: is not read, and has left %q", line, out[len(dst):])
			}
			dst = append(out, canonical...) // as somebody does who reads it the other way
			continue
		}
		n++
		if err != nil {
			t.Fatalf("%s: is read, and is wrong: %v", line, err)
		}
		general, err := ParseEntry(TextOf(canonical))
		if err != nil {
			t.Fatalf("%s: is read, and is wrong: %v", line, err)
		}
		if size != len(canonical) {
			t.Fatalf("%s: has %d bytes, want %d", line, size, len(canonical))
		}
		got, want, dst = append(got, e), append(want, general), out
	}
	for i := range got { // when all are read: none may have been written over
		if g, w := string(got[i].Append(nil)), string(want[i].Append(nil)); g != w {
			t.Fatalf("line %d of %q is %s, want %s", i, lines, g, w)
		}
	}
	return n
}

func TestEntryDecoder(t *testing.T) {
	if n := decodeLines(t, entryLines); n != len(entryLines) {
		t.Errorf("%d lines of %d were read", n, len(entryLines))
	}
	for _, line := range []string{
		``, `{`, `{}`, `{} {}`, `[]`, `{"session":"s","session":"s"}`, `{"session":"s","nope":1}`, `{"session":"s",}`, `{"session":"s"`, `{"session":"s"}x`,
		`{"session":1}`, `{"session" "s"}`, `{,"session":"s"}`, `{"session":"s" "index":1}`, `{"index":01,"session":"s"}`, `{"args":{"a":1,"a":2}}`, `{"sess\u0069on":"s"}`,
	} {
		if n := decodeLines(t, []string{entryLines[0], line, entryLines[1]}); n != 2 {
			t.Errorf("%s: was read", line)
		}
	}
	// Members come and go, and the others stand in their order, or in another.
	several := []string{
		`{"session":"s","index":1,"tool":"t","args":{"a":1},"environment":"e"}`,
		`{"session":"s","index":2,"tool":"t","args":{"a":1},"response":{"b":[]},"duration_ms":7,"environment":"e"}`,
		`{"session":"s","index":2,"tool":"t","args":{"a":1},"response":{"b":[]},"duration_ms":7,"environment":"e"}`,
		`{"session":"s","index":3,"args":{"a":1},"environment":"e","tool":"t"}`,
		`{"session":"s","index":3,"args":{"a":1},"environment":"e","tool":"t","args":{"a":1}}`,
		`{"session":"s","index":3,"args":{"a":1},"environment":"e","tool":"t","tool":"t"}`,
		`{"session":"s","index":3,"args":{"a":1},"environment":"e","tool":"t" }`,
		`{"environment":"e","tool":"t"}`,
		`{"environment":"e","tool":"t"}`,
	}
	if n := decodeLines(t, several); n != len(several)-2 {
		t.Errorf("%d lines of %d were read", n, len(several)-2)
	}
	// Behind a member that the line before has not got, a whole line follows.
	if n := decodeLines(t, []string{`{"session":"s","tool":"t"}`, `{"duration_ms":1{"session":"s","tool":"t"}`}); n != 1 {
		t.Errorf("%d lines were read, want 1", n)
	}
	// A number goes on where the one before ended.
	decodeLines(t, []string{`{"index":1,"session":"s"}`, `{"index":12,"session":"s"}`, `{"index":1 ,"session":"s"}`, `{"duration_ms":1}`, `{"duration_ms":1e3}`, `{"duration_ms":1`})
}

func FuzzEntryDecoder(f *testing.F) {
	f.Add(strings.Join(entryLines, "\n"))
	f.Add(`{"index":1}` + "\n" + `{"index":1 }` + "\n" + `{"index":10}`)
	f.Add(`{"args":{}}` + "\n" + `{"args":{},"args":{}}`)
	f.Add(`{"session":"s"}` + "\n" + `{"index":1{"session":"s"}`)
	f.Fuzz(func(t *testing.T, text string) { decodeLines(t, strings.Split(text, "\n")) })
}

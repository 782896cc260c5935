package chain

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

func parseEntry(t testing.TB, text string) *Entry {
	t.Helper()
	canonical, err := Canonical(nil, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	e, err := ParseEntry(TextOf(canonical))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if again := e.Append(nil); !bytes.Equal(again, canonical) {
		t.Errorf("the members of %s make %s", canonical, again)
	}
	return &e
}

// TestDigest holds payload, header and digest against values that a second
// implementation, in another language, computed from the package's doc.
func TestDigest(t *testing.T) {
	e := parseEntry(t, `{"session":"s1","index":3,"time":"2026-01-02T03:04:05.1234567Z","recorded":"2026-01-02T03:04:06Z","agent":"a","tool":"ls",
		"args":{"a/b":1,"~":[true,null],"é":"x\n"},"context":["hi"],"response":{},"metadata":{"k":{"z":1.0}},"reasoning":"why","prompt":""}`)
	var seed Seed
	for i := range seed {
		seed[i] = byte(i)
	}
	var c Committer
	salt := seed.Salt(258)
	var got []string
	for pointer, value := range c.Pointers(e) {
		s := salt.Of(pointer)
		sum := s.Commit(value)
		got = append(got, fmt.Sprintf("%s %x %x", pointer, s[:4], sum[:4]))
	}
	want := `/args/a~1b b2823d22 76690998
/args/~0 14e55f78 3bfad9e8
/args/é 51d60ec3 0317ff81
/context e72937cb f425b46d
/metadata/k c64449e6 32c89b75
/prompt 65ed6eec 42424a74
/reasoning 50e11d80 541ab31d
/response e3bc0be5 cb2612e7`
	if strings.Join(got, "\n") != want {
		t.Errorf("pointers, salts and commitments\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	payload := c.Payload(&salt, e)
	prev := Hash(bytes.Repeat([]byte{0x11}, 32))
	header := AppendHeader(nil, e, &payload, &prev)
	wantHeader := `{"agent":"a","index":3,"payload":"e3ccbb55d093d822f3723f0cdd1a30a7e5f97a283cafbeb0b6987346b6fbd948","prev":"1111111111111111111111111111111111111111111111111111111111111111","recorded":"2026-01-02T03:04:06Z","session":"s1","time":"2026-01-02T03:04:05.1234567Z","tool":"ls","v":1}`
	if string(header) != wantHeader {
		t.Errorf("header\n%s\nwant\n%s", header, wantHeader)
	}
	if canonical, err := Canonical(nil, header); err != nil || !bytes.Equal(canonical, header) {
		t.Errorf("the header is not canonical: %v", err)
	}
	digest := Digest(header)
	if got, want := hex.EncodeToString(digest[:]), "3a81492534eabe3e0f386f45df13f0eb857dcf28ee14b24cc47e42908333cb55"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// TestPayloadDiffers makes every combination of absent, {}, null and [] over three
// members, and values that look alike across them.
func TestPayloadDiffers(t *testing.T) {
	var texts []string
	for i := range 64 {
		e := Entry{}
		for j, m := range []Member{Args, Metadata, Response} {
			if v := []string{"", "{}", "null", "[]"}[i>>(2*j)&3]; v != "" {
				e[m] = []byte(v)
			}
		}
		texts = append(texts, string(e.Append(nil)))
	}
	texts = append(texts,
		`{"args":{"":{}}}`, `{"args":{"a":{}}}`, `{"args":{"a":null}}`, `{"args":{"a":{"b":1}}}`, `{"args":{"a/b":1}}`, `{"args":{"a~1b":1}}`,
		`{"args":{"a":1,"b":1}}`, `{"response":{"a":1}}`, `{"metadata":{"a":1}}`, `{"response":"{}"}`, `{"prompt":""}`, `{"reasoning":""}`, `{"context":[""]}`,
		`{"response":1}`, `{"response":1.0}`, `{"response":-0}`, `{"response":0}`,
	)
	seen := map[Hash]string{}
	var c Committer
	for _, text := range texts {
		var e Entry
		for name, value := range Members([]byte(text)) {
			m, _ := MemberOf(Unquote(name))
			e[m] = value
		}
		sum := c.Payload(&Salt{}, &e)
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s have one payload hash", text, other)
		}
		seen[sum] = text
	}
}

func TestPointersOfLargeObjects(t *testing.T) {
	for _, n := range []int{1, MaxCommitted - 1, MaxCommitted, MaxCommitted + 1, 5000} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"m%05d":%d`, i, i)
		}
		e := parseEntry(t, `{"args":{`+b.String()[1:]+`}}`)
		got := 0
		var c Committer
		for range c.Pointers(e) {
			got++
		}
		if want := map[bool]int{true: n, false: 1}[n <= MaxCommitted]; got != want {
			t.Errorf("an object of %d members has %d pointers, want %d", n, got, want)
		}
	}
}

// Entries that are hashed together have the hashes that each has alone, by the
// formulas of the package's doc.
func TestCommitterOfMany(t *testing.T) {
	large := strings.Repeat("x", 1<<17)
	var entries []*Entry
	for i := range 300 {
		entries = append(entries, parseEntry(t, fmt.Sprintf(`{"reasoning":"%s","args":{"n":%d,"m":"%s"},"context":[],"prompt":"%s"}`,
			large[:i], i, large[:3*i*i%5000], large[:max(0, i-298)<<16])))
	}
	seed := Seed{7}
	var c Committer
	salts := c.Salts(nil, &seed, 40, len(entries))
	got := make([]Hash, len(entries))
	for i, e := range entries {
		c.Add(&got[i], &salts[i], e)
	}
	c.Flush()
	for i, e := range entries {
		if salts[i] != seed.Salt(40+uint64(i)) {
			t.Fatalf("salt %d is %x, want %x", i, salts[i], seed.Salt(40+uint64(i)))
		}
		list := []byte{payloadPrefix}
		for pointer, value := range new(Committer).Pointers(e) {
			s := salts[i].Of(pointer)
			sum := s.Commit(value)
			list = binary.BigEndian.AppendUint32(list, uint32(len(pointer)))
			list = append(append(list, pointer...), sum[:]...)
		}
		if want := Hash(sha(list)); got[i] != want {
			t.Fatalf("payload %d is %x, want %x", i, got[i], want)
		}
	}
}

func TestParseEntryRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`[]`, "expected an object, found an array"},
		{`{"session":"s","toool":"ls"}`, "unexpected field(s): toool"},
		{`{"agent":1}`, "agent: expected a string, found the number 1"},
		{`{"agent":null}`, "agent: expected a string, found null"},
		{`{"args":[]}`, "args: expected an object, found an array"},
		{`{"metadata":null}`, "metadata: expected an object, found null"},
		{`{"context":"x"}`, "context: expected an array of strings, found a string"},
		{`{"context":["x",1]}`, "context: expected an array of strings, found the number 1 at 1"},
		{`{"phase":"attempt"}`, `phase: expected one of ["ATTEMPT" "START" "COMPLETE" "ERROR"], found "attempt"`},
		{`{"authorization":true}`, `authorization: expected one of ["ALLOWED" "DENIED"], found true`},
		{`{"duration_ms":"1"}`, "duration_ms: expected a number, found a string"},
		{`{"index":1.0}`, "index: expected an integer from 0, as 0 or 17, found the number 1.0"},
		{`{"index":9223372036854775808}`, "index: expected an integer from 0, as 0 or 17, found the number 9223372036854775808"},
		{`{"sample_rate":0}`, "sample_rate: expected a number over 0 and at most 1, found 0"},
		{`{"sample_rate":1.01}`, "sample_rate: expected a number over 0 and at most 1, found 1.01"},
		{`{"sample_rate":1e-999}`, "sample_rate: expected a number over 0 and at most 1, found 1e-999"},
		{`{"session":""}`, "session: expected a name of 1 to 512 bytes, found an empty one"},
		{`{"session":"` + strings.Repeat("é", 257) + `"}`, "session: expected a name of 1 to 512 bytes, found one of 514"},
		{`{"session":"a\u0000"}`, "session: expected a name without control characters"},
		{`{"session":"a\u0085"}`, "session: expected a name without control characters"},
		{`{"trace":""}`, "trace: expected 1 to 128 printable ASCII characters"},
		{`{"trace":"a b"}`, "trace: expected 1 to 128 printable ASCII characters"},
		{`{"time":0}`, errTime.Error() + ", found the number 0"},
		{`{"time":"2026-02-29T00:00:00Z"}`, errTime.Error() + `, found "2026-02-29T00:00:00Z"`},
	} {
		canonical, err := Canonical(nil, []byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimPrefix(test.want, "time: ")
		if _, err := ParseEntry(TextOf(canonical)); err == nil || strings.TrimPrefix(err.Error(), "time: ") != want {
			t.Errorf("ParseEntry(%.60s): error %v, want %s", test.text, err, test.want)
		}
	}
	parseEntry(t, `{"session":"`+strings.Repeat("é", 256)+`","response":null,"sample_rate":1,"duration_ms":-0.5e3,"trace":"00-4bf9-01","phase":"ERROR","authorization":"DENIED"}`)
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-02T03:04:05Z":                "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.000Z":            "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.120+02:00":       "2026-01-02T01:04:05.12Z",
		"2026-01-02T03:04:05.123456789-23:59": "2026-01-03T03:03:05.123456789Z",
		"0001-01-01T00:00:00Z":                "0001-01-01T00:00:00Z",
		"0001-01-01T00:00:00.000000001Z":      "0001-01-01T00:00:00.000000001Z",
		"1969-12-31T23:59:59.999999999Z":      "1969-12-31T23:59:59.999999999Z",
		"9999-12-31T23:59:59.999999999Z":      "9999-12-31T23:59:59.999999999Z",
		"2024-02-29T00:00:00-00:00":           "2024-02-29T00:00:00Z",
	} {
		got, err := ParseTime([]byte(in))
		if err != nil || got.String() != want {
			t.Errorf("ParseTime(%s) = %s, %v, want %s", in, got, err, want)
		}
		if again := TimeOf(got.Time()); again != got {
			t.Errorf("%s by way of time.Time is %s", got, again)
		}
	}
	for _, in := range []string{
		"", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05z", "2026-01-02 03:04:05Z", "2026-01-02T03:04:60Z", "2026-01-02T24:00:00Z",
		"2026-1-2T03:04:05Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.1234567890Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05+0200", "2026-01-02T03:04:05+24:00",
		"2026-01-02T03:04:05+02:60", "2026-13-02T03:04:05Z", "2026-00-02T03:04:05Z", "2026-02-30T03:04:05Z", "2025-02-29T03:04:05Z", "0000-01-01T00:00:00Z",
		"0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "12026-01-02T03:04:05Z", "2026-01-02T03:04:05ZZ", "2026-01-02T03:04:05 02:00", "2026-01-0aT03:04:05Z",
	} {
		if got, err := ParseTime([]byte(in)); err == nil {
			t.Errorf("ParseTime(%s) = %s, want an error", in, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"2026-01-02T03:04:05.123456789+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTime([]byte(text))
		if err != nil {
			return
		}
		again, err := ParseTime(got.Append(nil))
		if err != nil || again != got || TimeOf(got.Time()) != got {
			t.Errorf("ParseTime(%q) = %v, again %v, %v", text, got, again, err)
		}
	})
}

func TestCheckHeader(t *testing.T) {
	var c Committer
	for _, n := range []int{10, MaxHeader - 200, MaxHeader} {
		e := parseEntry(t, `{"id":"`+strings.Repeat("x", n)+`","session":"s","args":{"a":1},"index":7}`)
		payload := c.Payload(&Salt{}, e)
		if got, want := CheckHeader(e) == nil, len(AppendHeader(nil, e, &payload, &payload)) <= MaxHeader; got != want {
			t.Errorf("an id of %d bytes: accepted %v, want %v", n, got, want)
		}
	}
}

func BenchmarkEntry(b *testing.B) {
	text, _ := Canonical(nil, []byte(`{"session":"session_00042","index":12,"time":"2026-01-01T00:00:12.345Z","recorded":"2026-01-01T00:00:12.345Z","id":"ledger_1767225612345_00002a","agent":"agent_03","role":"role_3","tool":"search","args":{"path":"docs/118/clean.md","query":"order refund and knowledge","limit":17},"authorization":"ALLOWED","policy":"policy_3","phase":"COMPLETE","request":"req_8f3a2b1c00112233","reasoning":"`+strings.Repeat("the user asked for state ", 7)+`","context":["ticket order refund and knowledge base says it is solved so I"],"environment":"production","metadata":{"region":"eu-2"}}`))
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := ParseEntry(TextOf(text)); err != nil {
				b.Fatal(err)
			}
		}
	})
	e, _ := ParseEntry(TextOf(text))
	var c Committer
	seed := Seed{1}
	var payload, prev Hash
	b.Run("payload", func(b *testing.B) {
		for b.Loop() {
			salt := seed.Salt(7)
			payload = c.Payload(&salt, &e)
		}
	})
	b.Run("digest", func(b *testing.B) {
		var header []byte
		for b.Loop() {
			header = AppendHeader(header[:0], &e, &payload, &prev)
			prev = Digest(header)
		}
	})
	b.Run("payloads", func(b *testing.B) {
		entries, payloads, salts := make([]Entry, 256), make([]Hash, 256), make([]Salt, 256)
		for i := range entries {
			for m, v := range e {
				entries[i][m] = bytes.Clone(v)
			}
		}
		for range b.N/len(entries) + 1 {
			salts = c.Salts(salts[:0], &seed, 7, len(entries))
			for i := range entries {
				c.Add(&payloads[i], &salts[i], &entries[i])
			}
			c.Flush()
		}
	})
	b.Run("digests", func(b *testing.B) {
		var d Digester
		var digests []Hash
		for range b.N/64 + 1 {
			for range 64 {
				d.Add(&e, &payload, &prev)
			}
			digests = d.Flush(digests[:0])
		}
	})
	b.Run("tree", func(b *testing.B) {
		var edge Edge
		for b.Loop() {
			edge.Append(prev, nil)
		}
	})
}

package chain

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The transcript that ToolReplay publishes, and the digests of its calls.
const sample = `{"index": 0, "tool": "list_dir", "args": {"path": "docs"}, "response": {"entries": ["intro.md", "guide.md"]}}
{"index": 1, "tool": "read_file", "args": {"path": "docs/intro.md"}, "response": {"bytes": 214}}
{"index": 2, "tool": "read_file", "args": {"path": "docs/intro.md"}, "response": {"bytes": 214}}
{"index": 3, "tool": "search", "args": {"query": "install"}, "response": {"hits": 3}}
{"index": 4, "tool": "write_file", "args": {"path": "docs/intro.md", "text": "edited"}, "response": {"ok": true}}
{"index": 5, "tool": "search", "args": {"query": "install"}, "response": {"hits": 7}}
`

var sampleDigests = []string{
	"c1bd7fb3e28ce29e5c9dbd0cf47cafcaa1613295be26d86fb04463fe3d8b40da",
	"b5e755345cfdb21496eb57ea16b7dfe8cb5e503d239242d1bce96eabd3afc45e",
	"fe5e31cd086662cd9829bff49ee4c05c282f12af5a994a1521bc414d9fc2b1ba",
	"40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a",
	"327da75f2d491267f1dbeaf5d31b4a61a2ed9e956a71a5c4cbb67a87b4720d6a",
	"75ccf1faad88c5ea82c68139b2ec2a02943142dd0133bb0c626ccbff28f5c711",
}

func seal(t *testing.T, transcript string) string {
	t.Helper()
	var out bytes.Buffer
	s := NewSealer()
	for line := range strings.Lines(transcript) {
		c := parse(t, line, false)
		if err := s.Seal(&out, &c); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func parse(t *testing.T, line string, sealed bool) Call {
	t.Helper()
	canonical, err := Canonical(nil, []byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	c, err := ParseCall(TextOf(canonical), sealed)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return c
}

func verify(t *testing.T, sealed string) *BreakError {
	t.Helper()
	v := NewVerifier()
	for line := range strings.Lines(sealed) {
		c := parse(t, line, true)
		v.Check(NewLink(&c))
	}
	return v.Broken()
}

func TestSealPublished(t *testing.T) {
	sealed := seal(t, sample)
	sum := sha256.Sum256([]byte(sealed))
	if got, want := hex.EncodeToString(sum[:]), "679bb1da938e7fc38664feae97d82847016ad200082344f7d725c8ff535fb103"; got != want {
		t.Errorf("SHA-256 of the sealed sample is %s, want %s", got, want)
	}
	for i, line := range strings.Split(strings.TrimSpace(sealed), "\n") {
		if want := `"digest":"` + sampleDigests[i] + `"`; !strings.Contains(line, want) {
			t.Errorf("line %d is %s, want %s in it", i, line, want)
		}
	}
	if err := verify(t, sealed); err != nil {
		t.Errorf("the sealed sample is %v", err)
	}
}

func TestPublishedFiles(t *testing.T) {
	for file, want := range map[string]string{
		"sealed.jsonl":   "",
		"tampered.jsonl": `broken at index 3: expected 34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd, found "40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a"`,
	} {
		text, err := os.ReadFile(shared(t, "data/toolreplay/"+file))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := verify(t, string(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestVerifyBroken(t *testing.T) {
	lines := strings.SplitAfter(seal(t, sample), "\n")
	swap := func(old, new string) string { return strings.Replace(strings.Join(lines, ""), old, new, 1) }
	for _, test := range []struct {
		name, sealed string
		index        uint64
		want, got    string // "" is not looked at
	}{
		{"response changed", swap(`"hits":3`, `"hits":4`), 3, "34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd", sampleDigests[3]},
		{"tool changed", swap(`"tool":"list_dir"`, `"tool":"list_dirs"`), 0, "", sampleDigests[0]},
		{"args changed", swap(`edited`, `Edited`), 4, "", sampleDigests[4]},
		{"digest changed", swap(`"digest":"fe5e`, `"digest":"fe5f`), 2, sampleDigests[2], "fe5f" + sampleDigests[2][4:]},
		{"digest of another length", swap(`"digest":"`+sampleDigests[5], `"digest":"`), 5, sampleDigests[5], ""},
		{"digest in upper case", swap(`"digest":"fe5e`, `"digest":"FE5E`), 2, sampleDigests[2], "FE5E" + sampleDigests[2][4:]},
		{"first prev changed", swap(`"prev":"0000`, `"prev":"0001`), 0, strings.Repeat("0", 64), "0001" + strings.Repeat("0", 60)},
		{"prev changed", swap(`"prev":"`+sampleDigests[1], `"prev":"x`), 2, sampleDigests[1], "x"},
		{"first call removed", strings.Join(lines[1:], ""), 1, strings.Repeat("0", 64), sampleDigests[0]},
		{"a call removed", strings.Join(append(append([]string{}, lines[:2]...), lines[3:]...), ""), 3, sampleDigests[1], sampleDigests[2]},
		{"two calls swapped", lines[0] + lines[2] + lines[1], 2, sampleDigests[0], sampleDigests[1]},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := verify(t, test.sealed)
			if err == nil {
				t.Fatal("intact, want broken")
			}
			if err.Index != test.index || test.want != "" && err.Want != test.want || test.got != "" && err.Got != test.got {
				t.Errorf("%v, want index %d, %s, %s", err, test.index, test.want, test.got)
			}
		})
	}
}

// TestVerifyEveryByte changes each byte of a sealed line in turn. It must stop
// being JSON, or a sealed call, or break the chain, or still be the same call.
func TestVerifyEveryByte(t *testing.T) {
	line := strings.SplitAfter(seal(t, `{"index":0,"tool":"t","args":{"é":[1.5,null]},"response":{"r":"\n"}}`), "\n")[0]
	for i := range len(line) - 1 {
		changed := []byte(line)
		for _, flip := range []byte{1, 2, 0x20, 0x80} {
			changed[i] = line[i] ^ flip
			canonical, err := Canonical(nil, changed)
			if err != nil {
				continue
			}
			c, err := ParseCall(TextOf(canonical), true)
			if err != nil {
				continue
			}
			v := NewVerifier()
			v.Check(NewLink(&c))
			if v.Broken() == nil && string(canonical)+"\n" != line {
				t.Errorf("%s is intact", changed)
			}
		}
	}
}

// Digests that Python 3.11 computes with json.dumps(sort_keys=True,
// separators=(",", ":")), with ensure_ascii and without.
func TestSpellings(t *testing.T) {
	calls := "{\"index\":0,\"tool\":\"read_文件\",\"args\":{\"é\":\"😀\",\"\ufb33\":1,\"😀\":2,\"d\":\"\x7f\"},\"response\":{\"x\":\"</é>\\n\"}}\n" +
		`{"index":1,"tool":"ls","args":{},"response":{}}` + "\n"
	chained := func(digests ...string) string {
		var b strings.Builder
		prev := zeros
		for i, line := range strings.Split(strings.TrimSpace(calls), "\n") {
			fmt.Fprintf(&b, `{"prev":"%s","digest":"%s",%s`+"\n", prev, digests[i], line[1:])
			prev = digests[i]
		}
		return b.String()
	}
	const (
		utf8_0 = "91e4a33b6ab40a3986834f7527daf76d4f0cc11c2e4d9b838235ed683d8cbec8"
		utf8_1 = "c45b0c9f62b60c96cad1111963866e3aa9bc48fc1e092cf5e75293cab7b235da"
		ascii0 = "882f49ec50401375ac86380202273b3b0b2427a0f15624acdc531f7097a884a8"
		ascii1 = "43be192bf93098e95458b0bfedb9b658f9fff7f996b50a1c6e2e6bccad2b0784"
	)
	if err := verify(t, chained(ascii0, ascii1)); err != nil {
		t.Errorf("Python's spelling: %v", err)
	}
	if err := verify(t, chained(utf8_0, utf8_1)); err != nil {
		t.Errorf("Python's spelling without ensure_ascii: %v", err)
	}
	if err := verify(t, seal(t, calls)); err != nil {
		t.Errorf("our own: %v", err)
	}
	broken := strings.Replace(chained(ascii0, ascii1), "read_文件", "read_文", 1)
	if err := verify(t, broken); err == nil || err.Index != 0 || err.Got != ascii0 {
		t.Errorf("a changed tool in Python's spelling: %v, want broken at index 0", err)
	}
}

func TestParseCallRefuses(t *testing.T) {
	for _, test := range []struct {
		name, line string
		sealed     bool
		want       string
	}{
		{"unknown member", `{"index":0,"tool":"t","args":{},"response":{},"extra":1}`, false, "unexpected field(s): extra"},
		{"unknown members in order", `{"z":1,"index":0,"tool":"t","args":{},"a":2,"response":{}}`, false, "unexpected field(s): a, z"},
		{"missing member", `{"index":0,"tool":"t","args":{}}`, false, "missing field(s): response"},
		{"missing and unknown", `{"index":0,"name":"t","args":{},"result":{}}`, false, "unexpected field(s): name, result; missing field(s): response, tool"},
		{"empty", `{}`, true, "missing field(s): args, digest, index, prev, response, tool"},
		{"not sealed", `{"index":0,"tool":"t","args":{},"response":{}}`, true, "missing field(s): digest, prev"},
		{"sealed already", `{"index":0,"tool":"t","args":{},"response":{},"prev":"","digest":""}`, false, "unexpected field(s): digest, prev"},
		{"an array", `[1]`, false, "expected an object, found an array"},
		{"a number", `17`, false, "expected an object, found the number 17"},
		{"a string", `"x"`, false, "expected an object, found a string"},
		{"index true", `{"index":true,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found true"},
		{"index 1.0", `{"index":1.0,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found the number 1.0"},
		{"index 1e0", `{"index":1e0,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found the number 1e0"},
		{"index -1", `{"index":-1,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found the number -1"},
		{"index -0", `{"index":-0,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found the number -0"},
		{"index in quotes", `{"index":"1","tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found a string"},
		{"index null", `{"index":null,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found null"},
		{"index of 21 digits", `{"index":100000000000000000000,"tool":"t","args":{},"response":{}}`, false, "index: expected an integer from 0, as 0 or 17, found the number 100000000000000000000"},
		{"tool a number", `{"index":0,"tool":1,"args":{},"response":{}}`, false, "tool: expected a string, found the number 1"},
		{"args an array", `{"index":0,"tool":"t","args":[],"response":{}}`, false, "args: expected an object, found an array"},
		{"response null", `{"index":0,"tool":"t","args":{},"response":null}`, false, "response: expected an object, found null"},
		{"digest a number", `{"index":0,"tool":"t","args":{},"response":{},"prev":"","digest":1}`, true, "digest: expected a string, found the number 1"},
		{"very many unknown members", `{"index":0,"tool":"t","args":{},"response":{},"m1":1,"m2":1,"m3":1,"m4":1,"m5":1,"m6":1,"m7":1,"m8":1,"m9":1,"ma":1,"mb":1,"mc":1}`, false,
			"unexpected field(s): m1, m2, m3, m4, m5, m6, m7, m8, m9, ma, and 2 more"},
		{"name with an escape", `{"index":0,"tool":"t","args":{},"response":{},"a\nb":1}`, false, `unexpected field(s): a\nb`},
	} {
		t.Run(test.name, func(t *testing.T) {
			canonical, err := Canonical(nil, []byte(test.line))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ParseCall(TextOf(canonical), test.sealed); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// failWriter fails at its nth write.
type failWriter struct{ n int }

func (w *failWriter) Write(p []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

func TestSealWriteError(t *testing.T) {
	c := parse(t, `{"index":0,"tool":"t","args":{},"response":{}}`, false)
	for n := range 11 {
		if err := NewSealer().Seal(&failWriter{n}, &c); err == nil {
			t.Errorf("no error where write %d fails", n)
		}
	}
}

func BenchmarkSeal(b *testing.B)   { benchmarkCalls(b, false) }
func BenchmarkVerify(b *testing.B) { benchmarkCalls(b, true) }

func benchmarkCalls(b *testing.B, sealed bool) {
	text := typicalCall(true)
	c, err := ParseCall(TextOf(text), false)
	if err != nil {
		b.Fatal(err)
	}
	if sealed {
		var out bytes.Buffer
		NewSealer().Seal(&out, &c)
		if c, err = ParseCall(TextOf(bytes.TrimSpace(out.Bytes())), true); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	sealer, verifier, out := NewSealer(), NewVerifier(), bufio.NewWriter(new(bytes.Buffer))
	for b.Loop() {
		if sealed {
			verifier.Check(NewLink(&c))
		} else {
			out.Reset(new(bytes.Buffer))
			sealer.Seal(out, &c)
		}
	}
}

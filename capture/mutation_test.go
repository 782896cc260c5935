package capture

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logFiles returns the logs of real programs that lie beside the project, and those of our own
// making, by their paths.
func logFiles(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	for _, pattern := range []string{"../../shared/data/*/*.json*", "../../shared/data/*/*.traj", "testdata/*/*.json*", "testdata/*/*.traj"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if filepath.Ext(name) == ".golden" || filepath.Base(name) == "scope.json" {
				continue
			}
			if files[name], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(files) == 0 {
		t.Fatal("no files")
	}
	return files
}

// mutations are what happens to files.
var mutations = []struct {
	name string
	do   func(r *rand.Rand, lines [][]byte) [][]byte
}{
	{"byte", func(r *rand.Rand, lines [][]byte) [][]byte {
		for range 1 + r.IntN(4) {
			if l := lines[r.IntN(len(lines))]; len(l) > 0 {
				l[r.IntN(len(l))] = byte(r.Uint32())
			}
		}
		return lines
	}},
	{"cut", func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines))
		lines[i] = lines[i][:r.IntN(len(lines[i])+1)]
		return lines
	}},
	{"double", func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines))
		return append(lines, bytes.Clone(lines[i]))
	}},
	{"glue", func(r *rand.Rand, lines [][]byte) [][]byte {
		if i := r.IntN(len(lines)); i+1 < len(lines) {
			lines[i] = append(bytes.TrimSuffix(lines[i], []byte("\n")), lines[i+1]...)
			lines = append(lines[:i+1], lines[i+2:]...)
		}
		return lines
	}},
	{"reorder", func(r *rand.Rand, lines [][]byte) [][]byte {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	}},
	{"drop", func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines))
		return append(lines[:i], lines[i+1:]...)
	}},
	{"swap words", func(r *rand.Rand, lines [][]byte) [][]byte { // another type where one is expected
		words := []string{`"`, `null`, `[]`, `{}`, `true`, `-1`, `1e999`, `"\ud800"`, `:`, `,`}
		i := r.IntN(len(lines))
		l := lines[i]
		at := bytes.IndexByte(l[r.IntN(len(l)+1):], '"')
		if at < 0 {
			return lines
		}
		end := at + 1 + max(0, bytes.IndexByte(l[at+1:], '"'))
		lines[i] = append(append(bytes.Clone(l[:at]), words[r.IntN(len(words))]...), l[min(len(l), end+1):]...)
		return lines
	}},
}

// checkAccount imports a text into nothing and checks the account of its lines.
func checkAccount(t *testing.T, what string, text []byte, f *Format) *Report {
	t.Helper()
	im := Import{Format: f, Name: "x", Session: "x", KeepGoing: true}
	report, err := im.Run(t.Context(), nil, bytes.NewReader(text))
	if report == nil && err != nil {
		return nil // of no known format
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	checkLines(t, what, text, report)
	return report
}

// Whatever happens to a log, every line of it is accounted for.
func TestMutations(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for name, text := range logFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := Detect(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			checkAccount(t, "as it is", text, f)
			n := rounds
			if len(text) > 1<<16 {
				n = 1
			}
			for _, m := range mutations {
				for seed := range n {
					r := rand.New(rand.NewPCG(uint64(seed), uint64(len(text))))
					lines := bytes.SplitAfter(bytes.Clone(text), []byte("\n"))
					for i := range lines {
						lines[i] = bytes.Clone(lines[i])
					}
					lines = m.do(r, lines)
					checkAccount(t, m.name, bytes.Join(lines, nil), f)
				}
			}
		})
	}
}

func FuzzImport(f *testing.F) {
	for name, text := range logFiles(f) {
		if strings.HasPrefix(name, "testdata") {
			for i := range Formats {
				f.Add(uint8(i), text)
			}
		}
	}
	f.Add(uint8(2), []byte(`{"tool_name":"ls","invocation_phase":"ATTEMPT"}`+"\n{}{}\n["))
	f.Fuzz(func(t *testing.T, format uint8, text []byte) {
		checkAccount(t, "forced", text, Formats[int(format)%len(Formats)])
		checkAccount(t, "detected", text, nil)
	})
}

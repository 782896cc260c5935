package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"toolledger/chain"
)

// read returns what Lines makes of the input, "number text" a line, and the error.
func read(r io.Reader) (lines []string, err error) {
	for line, err := range Lines(r, func(text *chain.Text) (string, error) { return string(text.Bytes), nil }) {
		if err != nil {
			return lines, err
		}
		lines = append(lines, fmt.Sprintf("%d %s", line.Number, line.Value))
	}
	return lines, nil
}

func TestLines(t *testing.T) {
	long := `"` + strings.Repeat("x", 3*blockSize) + `"`
	for _, test := range []struct {
		name, in string
		want     []string
		err      string
	}{
		{"empty", "", nil, ""},
		{"blank lines count", "\n \t\n1\n\r\n2", []string{"3 1", "5 2"}, ""},
		{"CRLF", "1\r\n2\r\n", []string{"1 1", "2 2"}, ""},
		{"no newline at the end", "1\n2", []string{"1 1", "2 2"}, ""},
		{"long lines", long + "\n1\n" + long + "\n" + long, []string{"1 " + long, "2 1", "3 " + long, "4 " + long}, ""},
		{"long line after many", strings.Repeat("\n", blockSize-1) + long, []string{fmt.Sprint(blockSize, " ", long)}, ""},
		{"torn last line", "1\n{\"a\":", []string{"1 1"}, "line 2: byte 5, in /a: expected a value, found the end of the text"},
		{"two values on a line", "1\n{} {}\n3", []string{"1 1"}, "line 2: byte 3: expected the end after the value, found '{'"},
		{"NUL", "1\n\x00\n", []string{"1 1"}, "line 2: byte 0: expected a value, found a NUL byte"},
		{"byte order mark", "\ufeff1\n", nil, "line 1: byte 0: expected a value, found a byte order mark"},
		{"first of two errors", "1\nx\ny\n", []string{"1 1"}, "line 2: byte 0: expected a value, found 'x'"},
		{"carriage return alone", "1\r2\n", nil, "line 1: byte 2: expected the end after the value, found '2'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":    strings.NewReader(test.in),
				"by halves":  iotest.HalfReader(strings.NewReader(test.in)),
				"with EOF":   iotest.DataErrReader(strings.NewReader(test.in)),
				"for a pipe": pipe(test.in),
			} {
				got, err := read(r)
				if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
					t.Errorf("%s: %d lines, %.200q, want %.200q", how, len(got), got, test.want)
				}
				if msg := fmt.Sprint(err); (err != nil || test.err != "") && msg != test.err {
					t.Errorf("%s: error %s, want %s", how, msg, test.err)
				}
			}
		})
	}
}

// pipe returns a reader that gives a few bytes at a time.
func pipe(in string) io.Reader {
	r, w := io.Pipe()
	go func() {
		for len(in) > 0 {
			n := min(len(in), 7+len(in)/3)
			w.Write([]byte(in[:n]))
			in = in[n:]
		}
		w.Close()
	}()
	return r
}

func TestLinesReaderFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	got, err := read(io.MultiReader(strings.NewReader("1\n2\n3"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || strings.Join(got, ",") != "1 1,2 2" {
		t.Errorf("lines %q, error %v, want the two whole lines and %v", got, err, broken)
	}
}

func TestLinesStops(t *testing.T) {
	in := strings.Repeat("1\n", 10*blockSize)
	n := 0
	for range Lines(strings.NewReader(in), func(*chain.Text) (int, error) { return 0, nil }) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d results, want three", n)
	}
}

// TestLinesGoOn asks for more after lines that were refused.
func TestLinesGoOn(t *testing.T) {
	refuse := errors.New("no")
	var got []string
	for l, err := range Lines(strings.NewReader("1\nx\n\n3\n4\n{"), func(text *chain.Text) (string, error) {
		if text.Bytes[0] == '3' {
			return "", refuse
		}
		return string(text.Bytes), nil
	}) {
		got = append(got, fmt.Sprintf("%d %s %v", l.Number, l.Value, err))
	}
	want := `1 1 <nil>,2  line 2: byte 0: expected a value, found 'x',4  line 4: no,5 4 <nil>,6  line 6: byte 1: expected a member name in quotes, found the end of the text`
	if strings.Join(got, ",") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ","), want)
	}
}

func TestLongestLine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	line := func(n int) io.Reader {
		return io.MultiReader(strings.NewReader("1\n\""), io.LimitReader(endless('x'), int64(n-2)), strings.NewReader("\""))
	}
	size := func(text *chain.Text) (int, error) { return len(text.Bytes), nil }
	for name, end := range map[string]string{"newline": "\n2\n", "end of file": ""} {
		last := 0
		for l, err := range Lines(io.MultiReader(line(MaxLine), strings.NewReader(end)), size) {
			if err != nil {
				t.Fatalf("%s after a line of MaxLine bytes: %v", name, err)
			}
			last = max(last, l.Value)
		}
		if last != MaxLine {
			t.Errorf("%s: longest line %d, want %d", name, last, MaxLine)
		}
		for _, over := range []int{1, 3 * blockSize} {
			var got []string
			for l, err := range Lines(io.MultiReader(line(MaxLine+over), strings.NewReader(end)), size) {
				got = append(got, fmt.Sprint(l.Number, " ", l.Value, " ", err))
			}
			want := "1 1 <nil>,2 0 line 2: longer than 67108864 bytes (64 MiB), the most a line may have"
			if end != "" {
				want += ",3 1 <nil>"
			}
			if strings.Join(got, ",") != want {
				t.Errorf("%s after %d bytes too many: %s, want %s", name, over, got, want)
			}
		}
	}
}

type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// FuzzLines compares with the plain way to do it.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"1\n\n2", "{\"b\":1,\"a\":2}\r\n[1]\n", "1\nx\n3", "\n\n\n", "\"\xff\"\n1"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, repeat int) {
		in = bytes.Repeat(in, max(1, repeat%2000))
		var want []string
		wantErr := ""
		for i, line := range bytes.Split(in, []byte("\n")) {
			if strings.Trim(string(line), " \t\r") == "" {
				continue
			}
			text, err := chain.Canonical(nil, line)
			if err != nil {
				wantErr = fmt.Sprintf("line %d: %v", i+1, err)
				break
			}
			want = append(want, fmt.Sprintf("%d %s", i+1, text))
		}
		got, err := read(bytes.NewReader(in))
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got %.300q, want %.300q", got, want)
		}
		if err == nil && wantErr != "" || err != nil && err.Error() != wantErr {
			t.Errorf("error %v, want %s", err, wantErr)
		}
	})
}

package capture

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestUnpack(t *testing.T) {
	pack := map[string]func(w io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	}
	for _, test := range []struct {
		how, text string
		zeros     int64
		cut       int
		want      string // or the error's words
	}{
		{how: "", text: "plain", want: ""},
		{how: "", text: "", want: ""},
		{how: "gzip", text: "{}\n", want: "{}\n"},
		{how: "zstd", text: "{}\n", want: "{}\n"},
		{how: "gzip", text: strings.Repeat("{}\n", 9), cut: 3, want: "unexpected EOF"},
		{how: "zstd", text: strings.Repeat("{}\n", 9), cut: 3, want: "unexpected EOF"},
		{how: "zstd", zeros: 1 << 30, want: "over 1000 times"},
	} {
		var packed bytes.Buffer
		var w io.WriteCloser = struct {
			io.Writer
			io.Closer
		}{&packed, io.NopCloser(nil)}
		if test.how != "" {
			w = pack[test.how](&packed)
		}
		io.WriteString(w, test.text)
		io.CopyN(w, zeros{}, test.zeros)
		w.Close()
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, packed.Bytes()[:packed.Len()-test.cut], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Unpack(f)
		got := ""
		if r != nil && err == nil {
			var text []byte
			if text, err = io.ReadAll(io.LimitReader(r, 1<<20)); test.zeros > 0 {
				_, err = io.Copy(io.Discard, r)
			} else {
				got = string(text)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s %.9q: got %.99q, want %q", test.how, test.text, got, test.want)
		}
		f.Close()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

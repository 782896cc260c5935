package db

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"toolledger/chain"
)

// TestInputDecoder reads lines that resemble each other, good ones and others, as a file's
// are read: with what the general way appends in the place of what the decoder did not
// keep. Each must be what the general way makes of it.
func TestInputDecoder(t *testing.T) {
	values := []string{`"session":"z"`, `"session":"_bad"`, `"session":"s\u0031"`, `"tool":"read_file"`, `"tool":"T"`, `"args":{}`, `"args":{"path":"x","n":1}`, `"args":{"n":1, "n":2}`,
		`"response":{}`, `"response":[1,2]`, `"index":0`, `"index":12`, `"recorded":"2026-01-01T00:00:00Z"`, `"time":"2026-01-01T00:00:00.100Z"`, `"time":"2026-01-01T02:00:00+02:00"`,
		`"agent":"bob"`, `"reasoning":"a\"b"`, `"nope":1`, `"duration_ms":1`, `"duration_ms":1.0`}
	rng := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 3000 {
		var d InputDecoder
		dst := make([]byte, 0, 1<<16)
		type parsed struct {
			line string
			in   Input
			want Input
		}
		var list []parsed
		for range 6 {
			var parts []string
			for _, i := range rng.Perm(len(values))[:1+rng.IntN(6)] {
				parts = append(parts, values[i])
			}
			line := "{" + strings.Join(parts, []string{",", ", "}[rng.IntN(2)]) + "}"
			canonical, err := chain.Canonical(nil, []byte(line))
			var want Input
			if err == nil {
				want, err = ParseInput(chain.TextOf(canonical))
			}
			var in Input
			out, ok := d.Decode(dst, []byte(line), &in)
			if !ok { // as the general way does
				dst = append(dst, canonical...)
				continue
			}
			if dst = out; err != nil {
				t.Fatalf("%s is read, and is refused otherwise: %v", line, err)
			}
			read++
			list = append(list, parsed{line, in, want})
		}
		for _, p := range list { // when all are read: none may have been written over
			got, want := fmt.Sprintf("%s %q %v %d", p.in.m.Append(nil), p.in.session, p.in.at, p.in.size), fmt.Sprintf("%s %q %v %d", p.want.m.Append(nil), p.want.session, p.want.at, p.want.size)
			if got != want {
				t.Fatalf("%s is read as %s, want %s", p.line, got, want)
			}
		}
	}
	if read < 500 {
		t.Errorf("only %d lines were read", read)
	}
}

package column

import (
	"testing"
)

// TestShortWordAt compares what is found eight bytes at a time with what is found byte by
// byte, of every byte behind words of every length.
func TestShortWordAt(t *testing.T) {
	for length := range 9 {
		for b := range 256 {
			for after := range 256 {
				s := []byte("aZ09zA5q")[:length:length]
				s = append(append(s, byte(b), byte(after)), "          "...)
				end, c := nextToken(s, 0)
				wantN, wantKey := 0, uint64(0)
				if c == word && end <= shortWord && byteClasses[s[end]] != wide && !hasWide(s[:end]) {
					wantN, wantKey = end, wordKey(s, 0, end)
				}
				if n, key := shortWordAt(s, 0); n != wantN || n > 0 && key != wantKey {
					t.Fatalf("%q: %d, %x; want %d, %x", s, n, key, wantN, wantKey)
				}
			}
		}
	}
}

func hasWide(s []byte) bool {
	for _, b := range s {
		if byteClasses[b] == wide {
			return true
		}
	}
	return false
}

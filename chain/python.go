package chain

import (
	"bytes"
	"encoding/hex"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Python's json.dumps with sort_keys spells a text that is not all ASCII otherwise
// than RFC 8785: names are in the order of code points, and, unless ensure_ascii is
// off, everything but printable ASCII is \uXXXX.

// pythons returns the digests of r in Python's two spellings.
func (h *hasher) pythons(r *record) (list [2]hexDigest) {
	sorted := *r
	for i, piece := range sorted {
		// Only from U+E000 on, whose first byte is EE, do the two orders differ.
		if len(piece) > 1 && piece[0] == '{' && bytes.ContainsFunc(piece, func(r rune) bool { return r >= 0xE000 }) {
			sorted[i], _ = canonical(nil, piece, bytes.Compare, nil) // was canonical before, so there is no error
		}
	}
	list[0] = h.digest(&sorted)
	h.sha.Reset()
	for _, piece := range sorted {
		writeASCII(h.sha, piece)
	}
	hex.Encode(list[1][:], h.sha.Sum(h.sum[:0]))
	return list
}

// writeASCII writes canonical text with \uXXXX for what is not printable ASCII, a
// little at a time: it may be six times as long.
func writeASCII(w io.Writer, text []byte) {
	var buf [4096]byte
	out := buf[:0]
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x7f:
			out = append(out, byte(r))
		case high != utf8.RuneError:
			out = appendHex4(appendHex4(out, high), low)
		default:
			out = appendHex4(out, r)
		}
		if len(out) > len(buf)-12 {
			w.Write(out)
			out = buf[:0]
		}
	}
	w.Write(out)
}

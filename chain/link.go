package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"
)

// zeros is what the first link has as its prev.
var zeros = strings.Repeat("0", 2*sha256.Size)

// A Sealer links the calls of a transcript, given in order.
type Sealer struct {
	prev hexDigest
}

// NewSealer returns a sealer that waits for the first call.
func NewSealer() *Sealer {
	s := new(Sealer)
	copy(s.prev[:], zeros)
	return s
}

// Link returns the digest of the next call and that of the call before it, as its sealed line
// has them.
func (s *Sealer) Link(c *Call) (digest, prev string) {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	r := c.record(h.buf[:0], s.prev[:])
	prev = string(s.prev[:])
	s.prev = h.digest(&r)
	return string(s.prev[:]), prev
}

// Seal writes the sealed line of the next call, newline included.
func (s *Sealer) Seal(w io.Writer, c *Call) error {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	r := c.record(h.buf[:0], s.prev[:])
	digest := h.digest(&r)
	sealed := [...][]byte{r[0], r[1], []byte(`,"digest":"`), digest[:], []byte(`"`), r[2], r[3], r[4], r[5], r[6], []byte("\n")}
	for _, piece := range sealed {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	s.prev = digest
	return nil
}

// A hexDigest is a SHA-256 in hexadecimal.
type hexDigest [2 * sha256.Size]byte

// A hasher has what hashing a record needs, to be used again.
type hasher struct {
	sha hash.Hash
	sum [sha256.Size]byte
	buf [256]byte // for [Call.record]; what does not fit is allocated
}

var hashers = sync.Pool{New: func() any { return &hasher{sha: sha256.New()} }}

func (h *hasher) digest(r *record) (d hexDigest) {
	h.sha.Reset()
	for _, piece := range r {
		h.sha.Write(piece)
	}
	hex.Encode(d[:], h.sha.Sum(h.sum[:0]))
	return d
}

// A Link is what a [Verifier] needs of one sealed call. Its texts are those of
// the call.
type Link struct {
	Index        uint64
	Prev, Digest []byte    // as stored: strings, in quotes
	Recomputed   hexDigest // of the record as it stands, with the stored prev
}

// NewLink recomputes the digest of a sealed call. It needs no other call, so
// that the links of a file can be made at the same time.
//
// A record that is not all ASCII has more than one digest, since ToolReplay's
// published bytes do not tell how it spells such text: as [Canonical] does, or as
// Python, see python.go. All of them stand for the same record and no other, so any
// is accepted.
func NewLink(c *Call) Link {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	r := c.record(h.buf[:0], inner(c.Prev))
	l := Link{Index: c.Index, Prev: c.Prev, Digest: c.Digest, Recomputed: h.digest(&r)}
	if !l.holds() && !r.isASCII() {
		for _, d := range h.pythons(&r) {
			if bytes.Equal(inner(l.Digest), d[:]) {
				l.Recomputed = d
			}
		}
	}
	return l
}

func (l *Link) holds() bool { return bytes.Equal(inner(l.Digest), l.Recomputed[:]) }

// A Verifier checks the links of a sealed transcript, given in order.
type Verifier struct {
	last []byte // the digest of the link before
	err  *BreakError
}

// NewVerifier returns a verifier that waits for the first link.
func NewVerifier() *Verifier { return &Verifier{last: []byte(zeros)} }

// ResumeVerifier returns a verifier that waits for the given link, those before which were checked
// when they were there. That the last of them is the one which this link names is not checked.
func ResumeVerifier(next Link) *Verifier { return &Verifier{last: bytes.Clone(inner(next.Prev))} }

// Check takes the next link. Links after the first broken one do not count.
func (v *Verifier) Check(l Link) {
	switch {
	case v.err != nil:
	case !bytes.Equal(inner(l.Prev), v.last):
		v.err = &BreakError{Index: l.Index, Want: string(v.last), Got: Unquote(l.Prev)}
	case !l.holds():
		v.err = &BreakError{Index: l.Index, Want: string(l.Recomputed[:]), Got: Unquote(l.Digest)}
	default:
		v.last = append(v.last[:0], inner(l.Digest)...)
	}
}

// Broken returns the first broken link, nil if the chain is intact.
func (v *Verifier) Broken() *BreakError { return v.err }

// A BreakError is the first entry of a chain that does not follow from the one
// before it, or from its own content.
type BreakError struct {
	Session string // "" where there is only one
	Index   uint64
	Want    string // the digest that should stand there, in hexadecimal
	Got     string // what stands there
}

func (e *BreakError) Error() string {
	if e.Session != "" {
		return fmt.Sprintf("%s: broken at index %d: expected %s, found %s", e.Session, e.Index, e.Want, e.Got)
	}
	return fmt.Sprintf("broken at index %d: expected %s, found %q", e.Index, e.Want, e.Got)
}

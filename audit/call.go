package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"sync"

	"toolledger/chain"
)

// A Call is what the questions need of a call.
type Call struct {
	Index    uint64
	Tool     []byte      // in canonical JSON, with its quotes; valid until the next call
	Identity Fingerprint // of tool and args
	Response Fingerprint
}

// A Fingerprint is the same for the same canonical text and, for all that can
// happen, for no other. That of zeros alone stands for what is not known, since a
// value was removed.
type Fingerprint [16]byte

// Known tells whether it is that of a text.
func (p Fingerprint) Known() bool { return p != Fingerprint{} }

// A Fingerprinter takes fingerprints: SHA-256 with a random key of its own in
// front, cut to 16 bytes. Whoever writes the calls cannot know the key, so a
// collision can only be met by chance, at one in 2^64 for four thousand million
// distinct calls. It may be used by several goroutines.
type Fingerprinter struct {
	key     [32]byte
	hashers sync.Pool
}

// NewFingerprinter returns a fingerprinter with a new key.
func NewFingerprinter() *Fingerprinter {
	f := &Fingerprinter{hashers: sync.Pool{New: func() any { return sha256.New() }}}
	rand.Read(f.key[:])
	return f
}

// Call returns c as the questions need it.
func (f *Fingerprinter) Call(c *chain.Call) Call {
	return Call{c.Index, c.Tool, f.of(c.Tool, c.Args), f.of(c.Response)}
}

// identity returns that of a call whose args have a fingerprint.
func (f *Fingerprinter) identity(tool []byte, args Fingerprint) Fingerprint {
	return f.of(tool, args[:])
}

// of takes the fingerprint of canonical texts one after another. None of them is
// the beginning of another, so the pieces need no mark between them.
func (f *Fingerprinter) of(texts ...[]byte) Fingerprint {
	h := f.hashers.Get().(hash.Hash)
	defer f.hashers.Put(h)
	h.Reset()
	h.Write(f.key[:])
	for _, text := range texts {
		h.Write(text)
	}
	var sum [sha256.Size]byte
	return Fingerprint(h.Sum(sum[:0]))
}

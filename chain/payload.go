package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"
)

// MaxCommitted is how many members an object of the payload may have to get a
// commitment for each; a larger one gets a single commitment.
const MaxCommitted = 1024

// What stands in front of the input of each hash, so that none of them can be
// taken for another. 00 and 01 are those of RFC 6962.
const (
	leafPrefix    = 0x00
	saltPrefix    = 0x02
	memberPrefix  = 0x03
	commitPrefix  = 0x04
	payloadPrefix = 0x05
)

// A Seed is the secret from which the salts of a range of entries come.
type Seed [32]byte

// A Salt hides a value: of an entry, or of one pointer of it.
type Salt [16]byte

// Salt returns the salt of the entry with that place in the ledger.
func (s *Seed) Salt(seq uint64) Salt {
	var in [1 + len(Seed{}) + 8]byte
	in[0] = saltPrefix
	copy(in[1:], s[:])
	binary.BigEndian.PutUint64(in[1+len(s):], seq)
	sum := sha256.Sum256(in[:])
	return Salt(sum[:len(Salt{})])
}

// A Committer makes commitments. Its zero value is ready; it is for one goroutine.
type Committer struct {
	in, pointer, list []byte
}

// SaltOf returns the salt of a pointer of the entry whose salt is s.
func (c *Committer) SaltOf(s *Salt, pointer []byte) Salt {
	c.in = append(append(append(c.in[:0], memberPrefix), s[:]...), pointer...)
	sum := sha256.Sum256(c.in)
	return Salt(sum[:len(Salt{})])
}

// Commit returns the commitment to a value with the salt of its pointer.
func (c *Committer) Commit(salt *Salt, value []byte) Hash {
	if len(value) > 1<<16 { // not worth copying
		h := sha256.New()
		h.Write(append(append(c.in[:0], commitPrefix), salt[:]...))
		h.Write(value)
		return Hash(h.Sum(nil))
	}
	c.in = append(append(append(c.in[:0], commitPrefix), salt[:]...), value...)
	return sha256.Sum256(c.in)
}

// Payload returns the hash over the commitments of e's payload, with the salt of e.
func (c *Committer) Payload(salt *Salt, e *Entry) Hash {
	c.list = append(c.list[:0], payloadPrefix)
	for pointer, value := range c.Pointers(e) {
		s := c.SaltOf(salt, pointer)
		sum := c.Commit(&s, value)
		c.list = binary.BigEndian.AppendUint32(c.list, uint32(len(pointer)))
		c.list = append(append(c.list, pointer...), sum[:]...)
	}
	return sha256.Sum256(c.list)
}

// Pointers walks what is committed to in e: RFC 6901 pointers and values, in
// canonical order. A non-empty object of at most [MaxCommitted] members in args,
// metadata or response gives one a member; every other payload member that is
// present gives one for itself. A pointer is valid until the next.
func (c *Committer) Pointers(e *Entry) iter.Seq2[[]byte, []byte] {
	return func(yield func(pointer, value []byte) bool) {
		for m, value := range e {
			if value == nil || !members[m].payload {
				continue
			}
			c.pointer = append(append(c.pointer[:0], '/'), members[m].name...)
			if !splits(Member(m), value) {
				if !yield(c.pointer, value) {
					return
				}
				continue
			}
			n := len(c.pointer)
			for name, v := range Members(value) {
				c.pointer = appendToken(c.pointer[:n], name)
				if !yield(c.pointer, v) {
					return
				}
			}
		}
	}
}

// splits tells whether a value has a commitment for each of its members.
func splits(m Member, value []byte) bool {
	if m != Args && m != Metadata && m != Response || value[0] != '{' || len(value) == 2 {
		return false
	}
	if len(value) < 5*MaxCommitted { // `"":0,` is the shortest member
		return true
	}
	n := 0
	for range Members(value) {
		if n++; n > MaxCommitted {
			return false
		}
	}
	return true
}

// appendToken appends a name, in canonical form, as a token of a pointer.
func appendToken(dst, name []byte) []byte {
	dst = append(dst, '/')
	plain := unescape(inner(name))
	if bytes.IndexByte(plain, '~') < 0 && bytes.IndexByte(plain, '/') < 0 {
		return append(dst, plain...)
	}
	for _, b := range plain {
		switch b {
		case '~':
			dst = append(dst, '~', '0')
		case '/':
			dst = append(dst, '~', '1')
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

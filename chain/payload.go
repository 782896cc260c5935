package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"

	"toolledger/chain/internal/sha2"
)

// MaxCommitted is how many members an object of the payload may have to get a
// commitment for each; a larger one gets a single commitment.
const MaxCommitted = 1024

// What stands in front of the input of each hash, so that none of them can be
// taken for another. 00 and 01 are those of RFC 6962.
const (
	leafPrefix    = 0x00
	nodePrefix    = 0x01
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
	sum := sha256.Sum256(s.appendInput(nil, seq))
	return Salt(sum[:len(Salt{})])
}

func (s *Seed) appendInput(dst []byte, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append(append(dst, saltPrefix), s[:]...), seq)
}

// Of returns the salt of a pointer of the entry whose salt is s.
func (s *Salt) Of(pointer []byte) Salt {
	sum := sha256.Sum256(append(s.appendInput(nil, memberPrefix), pointer...))
	return Salt(sum[:len(Salt{})])
}

// Commit returns the commitment to a value with the salt of its pointer.
func (s *Salt) Commit(value []byte) Hash {
	h := sha256.New()
	h.Write(s.appendInput(nil, commitPrefix))
	h.Write(value)
	return Hash(h.Sum(nil))
}

func (s *Salt) appendInput(dst []byte, prefix byte) []byte {
	return append(append(dst, prefix), s[:]...)
}

// A Committer computes the hashes of payloads, of many entries at once: that is
// faster, see package sha2. Its zero value is ready; it is for one goroutine.
type Committer struct {
	batch    sha2.Batch
	pointer  []byte
	pointers []byte      // of all entries that wait
	openings []opening   // in order
	waiting  []committed // entries
	size     int         // of their values

	last [NumMembers]split // of the last entry that has the member
}

// An opening is a pointer and its value, before it is committed to.
type opening struct {
	begin, end int // of the pointer, in pointers
	sum        int // in the batch: of its salt, then of its commitment
	value      []byte
}

type committed struct {
	openings int // the end of its openings
	payload  *Hash
}

// A split is a value and its openings.
type split struct {
	value      []byte
	begin, end int // in openings
}

const (
	// Above this many bytes in values, entries do not wait for more.
	maxWaiting = 64 << 10
	// A larger value is not worth a copy.
	maxCopied = 4 << 10
)

// Salts appends the salts of n entries from first on.
func (c *Committer) Salts(dst []Salt, s *Seed, first uint64, n int) []Salt {
	b := &c.batch
	for seq := first; n > 0; seq, n = seq+1, n-1 {
		text, _ := b.Message(1 + len(s) + 8)
		s.appendInput(text[:0], seq)
	}
	b.Flush()
	for i := range b.Sums {
		dst = append(dst, Salt(b.Sums[i][:len(Salt{})]))
	}
	b.Reset()
	return dst
}

// Payload returns the hash over the commitments of e's payload, with the salt of e.
func (c *Committer) Payload(salt *Salt, e *Entry) (payload Hash) {
	c.Add(&payload, salt, e)
	c.Flush()
	return payload
}

// Add takes an entry and its salt. After Flush, payload is the hash over the
// commitments of e's payload; until then, the values of e must stay.
func (c *Committer) Add(payload *Hash, salt *Salt, e *Entry) {
	for _, m := range payloadMembers {
		value := e[m]
		if value == nil {
			continue
		}
		begin, last := len(c.openings), &c.last[m]
		if len(last.value) == len(value) && &last.value[0] == &value[0] { // entries of one call share it
			c.openings = append(c.openings, c.openings[last.begin:last.end]...)
		} else {
			c.pointersOf(m, value, c.open)
		}
		*last = split{value, begin, len(c.openings)}
		for i := begin; i < len(c.openings); i++ {
			o := &c.openings[i]
			o.sum = c.salted(memberPrefix, salt, c.pointers[o.begin:o.end])
			c.size += len(o.value)
		}
	}
	c.waiting = append(c.waiting, committed{len(c.openings), payload})
	if c.size > maxWaiting {
		c.Flush()
	}
}

// open adds an opening, as [Committer.Pointers] yields them.
func (c *Committer) open(pointer, value []byte) bool {
	begin := len(c.pointers)
	c.pointers = append(c.pointers, pointer...)
	c.openings = append(c.openings, opening{begin: begin, end: len(c.pointers), value: value})
	return true
}

// salted adds the message of a salt and what it hides to the batch.
func (c *Committer) salted(prefix byte, salt *Salt, rest []byte) (sum int) {
	text, sum := c.batch.Message(1 + len(salt) + len(rest))
	copy(salt.appendInput(text[:0], prefix)[1+len(salt):1+len(salt)+len(rest)], rest)
	return sum
}

// Flush computes the hashes of all entries that were added.
func (c *Committer) Flush() {
	b := &c.batch
	b.Flush()
	for i := range c.openings {
		o := &c.openings[i]
		salt := Salt(b.Sums[o.sum][:len(Salt{})])
		if len(o.value) > maxCopied {
			o.sum = b.Put(salt.Commit(o.value))
		} else {
			o.sum = c.salted(commitPrefix, &salt, o.value)
		}
	}
	b.Flush()
	sums, i := len(b.Sums), 0
	for _, w := range c.waiting {
		list := append(b.Open(), payloadPrefix)
		for ; i < w.openings; i++ {
			o := &c.openings[i]
			list = binary.BigEndian.AppendUint32(list, uint32(o.end-o.begin))
			list = append(list, c.pointers[o.begin:o.end]...)
			list = append(list, b.Sums[o.sum][:]...)
		}
		b.Close(list)
	}
	b.Flush()
	for i, w := range c.waiting {
		*w.payload = b.Sums[sums+i]
	}
	b.Reset()
	clear(c.openings) // they would keep the values
	clear(c.waiting)
	c.last = [NumMembers]split{}
	c.openings, c.waiting, c.pointers, c.size = c.openings[:0], c.waiting[:0], c.pointers[:0], 0
}

// Pointers walks what is committed to in e: RFC 6901 pointers and values, in
// canonical order. A non-empty object of at most [MaxCommitted] members in args,
// metadata or response gives one a member; every other payload member that is
// present gives one for itself. A pointer is valid until the next.
func (c *Committer) Pointers(e *Entry) iter.Seq2[[]byte, []byte] {
	return func(yield func(pointer, value []byte) bool) {
		for _, m := range payloadMembers {
			if e[m] != nil && !c.pointersOf(m, e[m], yield) {
				return
			}
		}
	}
}

// payloadMembers are the members that are payload, in canonical order.
var payloadMembers = func() (list []Member) {
	for m := range members {
		if members[m].payload {
			list = append(list, Member(m))
		}
	}
	return list
}()

// pointersOf is Pointers for one member; it tells whether yield wants more.
func (c *Committer) pointersOf(m Member, value []byte, yield func(pointer, value []byte) bool) bool {
	c.pointer = append(append(c.pointer[:0], '/'), members[m].name...)
	if !splits(m, value) {
		return yield(c.pointer, value)
	}
	n := len(c.pointer)
	for name, v := range Members(value) {
		c.pointer = appendToken(c.pointer[:n], name)
		if !yield(c.pointer, v) {
			return false
		}
	}
	return true
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

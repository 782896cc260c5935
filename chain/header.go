package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"toolledger/chain/internal/sha2"
)

// A Hash is a SHA-256: a digest, a commitment, or a node of the tree.
type Hash = tlog.Hash

// headerMembers are the members of a header in canonical order. Those that are
// no member of an entry are written by [AppendHeader] itself.
var headerMembers = func() (list []headerMember) {
	own := []string{"payload", "prev", "v"}
	for m := range members {
		if members[m].payload {
			continue
		}
		for len(own) > 0 && own[0] < members[m].name {
			list = append(list, headerMember{own[0], before(own[0]), -1})
			own = own[1:]
		}
		list = append(list, headerMember{members[m].name, before(members[m].name), Member(m)})
	}
	for _, name := range own {
		list = append(list, headerMember{name, before(name), -1})
	}
	return list
}()

type headerMember struct {
	name   string
	before string // what stands before the value
	m      Member // -1: none of an entry's
}

// before is what stands before the value of a member that is not the first.
func before(name string) string { return `,"` + name + `":` }

// AppendHeader appends the header of e: the canonical form of its members that
// are no payload, with the format's version, the hash of its payload and the
// digest of the entry before it in its session.
func AppendHeader(dst []byte, e *Entry, payload, prev *Hash) []byte {
	start := len(dst)
	for i := range headerMembers {
		switch h := &headerMembers[i]; {
		case h.m >= 0 && e[h.m] == nil:
		case h.m >= 0:
			dst = append(append(dst, h.before...), e[h.m]...)
		case h.name == "v":
			dst = append(append(dst, h.before...), '1')
		case h.name == "prev":
			dst = appendHash(append(dst, h.before...), prev)
		default:
			dst = appendHash(append(dst, h.before...), payload)
		}
	}
	dst[start] = '{' // for the first comma
	return append(dst, '}')
}

// appendHash appends a hash as a string.
func appendHash(dst []byte, h *Hash) []byte {
	n := len(dst)
	dst = append(dst, quotedZeros...)
	hex.Encode(dst[n+1:], h[:])
	return dst
}

var quotedZeros = `"` + zeros + `"`

// CheckHeader tells whether e's header fits [MaxHeader].
func CheckHeader(e *Entry) error {
	n := len(`{"payload":"","prev":"","v":1}`) + 4*sha256.Size
	for m, value := range e {
		if value != nil && !members[m].payload {
			n += len(members[m].name) + len(value) + len(`"":,`)
		}
	}
	if n > MaxHeader {
		return fmt.Errorf("a header of %d bytes is over the limit of %d: only args, context, metadata, prompt, reasoning and response may be large", n, MaxHeader)
	}
	return nil
}

// A Digester computes the digests of entries, of many at once. Its zero value is
// ready; it is for one goroutine.
type Digester struct {
	batch sha2.Batch
	nodes []Hash
}

// Add takes an entry as AppendHeader does.
func (d *Digester) Add(e *Entry, payload, prev *Hash) {
	d.batch.Close(AppendHeader(append(d.batch.Open(), leafPrefix), e, payload, prev))
}

// Flush appends the digests of the entries that were added, in order.
func (d *Digester) Flush(dst []Hash) []Hash {
	d.batch.Flush()
	for _, sum := range d.batch.Sums {
		dst = append(dst, sum)
	}
	d.batch.Reset()
	return dst
}

// Digest returns the digest of a header: at once the entry's link in the chain of
// its session and its leaf in the tree of the ledger.
func Digest(header []byte) Hash {
	var buf [1024]byte
	return sha256.Sum256(append(append(buf[:0], leafPrefix), header...))
}

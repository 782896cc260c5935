package chain

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// Evidence is an entry with what it takes to check it without the ledger:
//
//	{"digest":D,"entry":E,"prev":P,"salt":S,"seq":N}
//
// in canonical form, hashes and salt in hexadecimal. Whoever has a line knows every
// value in it; the digest proves that they are the ones that the ledger chained.
type Evidence struct {
	Entry  Entry
	Seq    uint64 // place in the ledger, from 0
	Prev   Hash   // digest of the entry before it in its session; zeros if there is none
	Digest Hash
	Salt   Salt
}

// Append appends the line of e, without a newline.
func (e *Evidence) Append(dst []byte) []byte {
	dst = hex.AppendEncode(append(dst, `{"digest":"`...), e.Digest[:])
	dst = e.Entry.Append(append(dst, `","entry":`...))
	dst = hex.AppendEncode(append(dst, `,"prev":"`...), e.Prev[:])
	dst = hex.AppendEncode(append(dst, `","salt":"`...), e.Salt[:])
	dst = strconv.AppendUint(append(dst, `","seq":`...), e.Seq, 10)
	return append(dst, '}')
}

// IsEvidence tells a line of evidence from other lines.
func IsEvidence(text *Text) bool {
	// Its first member is one that no entry has.
	return bytes.HasPrefix(text.Bytes, []byte(`{"digest":`))
}

// ParseEvidence reads a line of evidence.
func ParseEvidence(text *Text) (e Evidence, err error) {
	need := map[string]bool{"digest": true, "entry": true, "prev": true, "salt": true, "seq": true}
	for name, value := range text.Members() {
		n := Unquote(name)
		if !need[n] {
			return e, fmt.Errorf("unexpected field(s): %s", elide(n))
		}
		delete(need, n)
		switch n {
		case "digest":
			err = parseHex(e.Digest[:], value)
		case "prev":
			err = parseHex(e.Prev[:], value)
		case "salt":
			err = parseHex(e.Salt[:], value)
		case "seq":
			if e.Seq, err = strconv.ParseUint(string(value), 10, 63); err != nil {
				err = fmt.Errorf("expected an integer from 0, found %s", kind(value))
			}
		case "entry":
			e.Entry, err = ParseEntry(TextOf(value))
		}
		if err != nil {
			return e, fmt.Errorf("%s: %w", n, err)
		}
	}
	for _, name := range [...]string{"digest", "entry", "prev", "salt", "seq"} {
		if need[name] {
			return e, fmt.Errorf("missing field(s): %s", name)
		}
	}
	for _, m := range [...]Member{Index, Recorded, Session, At} {
		if e.Entry[m] == nil {
			return e, fmt.Errorf("entry: missing field(s): %s", m)
		}
	}
	return e, nil
}

func parseHex(dst, value []byte) error {
	if value[0] != '"' || len(value) != 2+2*len(dst) {
		return fmt.Errorf("expected %d hexadecimal digits, found %s", 2*len(dst), kind(value))
	}
	if _, err := hex.Decode(dst, inner(value)); err != nil || hex.EncodeToString(dst) != string(inner(value)) {
		return errors.New("expected hexadecimal digits in lower case")
	}
	return nil
}

// SessionName returns the session that the entry belongs to, IndexNumber its place
// there. Both must be present.
func (e *Entry) SessionName() string { return Unquote(e[Session]) }

func (e *Entry) IndexNumber() uint64 {
	n, _ := strconv.ParseUint(string(e[Index]), 10, 64) // was checked when it was parsed
	return n
}

// Check recomputes the digest of e.
func (e *Evidence) Check(c *Committer) *BreakError {
	payload := c.Payload(&e.Salt, &e.Entry)
	if got := Digest(AppendHeader(nil, &e.Entry, &payload, &e.Prev)); got != e.Digest {
		return &BreakError{Session: e.Entry.SessionName(), Index: e.Entry.IndexNumber(), Want: hex.EncodeToString(got[:]), Got: hex.EncodeToString(e.Digest[:])}
	}
	return nil
}

// An EvidenceVerifier checks lines of evidence, given in the ledger's order. Each was
// checked by itself before.
type EvidenceVerifier struct {
	Entries  uint64
	Sessions uint64
	Gaps     uint64       // places in sessions where entries are not among the lines
	Broken   []BreakError // the first of each session

	last   map[string]*link
	edge   Edge
	gaps   bool
	broken map[string]bool
}

// A link is the end of what was seen of a session.
type link struct {
	index  uint64
	digest Hash
}

// Add takes the next line, with what Check said of it.
func (v *EvidenceVerifier) Add(e *Evidence, own *BreakError) {
	if v.last == nil {
		v.last, v.broken = map[string]*link{}, map[string]bool{}
	}
	session, index := e.Entry.SessionName(), e.Entry.IndexNumber()
	last := v.last[session]
	switch {
	case own != nil:
		v.breaks(session, *own)
	case index == 0 && e.Prev != Hash{}:
		v.breaks(session, BreakError{session, index, hex.EncodeToString(make([]byte, len(Hash{}))), hex.EncodeToString(e.Prev[:])})
	case last != nil && index <= last.index:
		v.breaks(session, BreakError{session, index, fmt.Sprintf("index %d", last.index+1), fmt.Sprintf("index %d", index)})
	case last != nil && index == last.index+1 && e.Prev != last.digest:
		v.breaks(session, BreakError{session, index, hex.EncodeToString(last.digest[:]), hex.EncodeToString(e.Prev[:])})
	}
	if last == nil && index > 0 || last != nil && index > last.index+1 {
		v.Gaps++
	}
	if last == nil {
		v.Sessions++
		v.last[session] = &link{index, e.Digest}
	} else {
		*last = link{index, e.Digest}
	}
	v.gaps = v.gaps || e.Seq != v.Entries
	if !v.gaps {
		v.edge.Append(e.Digest, nil)
	}
	v.Entries++
}

func (v *EvidenceVerifier) breaks(session string, err BreakError) {
	if !v.broken[session] {
		v.broken[session] = true
		v.Broken = append(v.Broken, err)
	}
}

// Root returns the root of the tree over the entries, if they are all of a ledger from
// its first on.
func (v *EvidenceVerifier) Root() (Hash, bool) { return v.edge.Root(), !v.gaps && v.Entries > 0 }

package chain

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Evidence is an entry with what it takes to check it without the ledger:
//
//	{"digest":D,"entry":E,"prev":P,"salt":S,"seq":N}
//	{"digest":D,"entry":E,"prev":P,"removed":{pointer:C,...},"salts":{pointer:S,...},"seq":N}
//
// in canonical form, hashes and salts in hexadecimal. The second is that of an entry of
// which values were removed: it has the commitments of those, and the salts of the
// others. Whoever has a line knows every value in it; the digest proves that they are the
// ones that the ledger chained. Under a line {"checkpoint":N} with the note of one, a line
// may have the proof that it is under that: "proof":[hash,...] behind prev.
type Evidence struct {
	Entry  Entry
	Seq    uint64 // place in the ledger, from 0
	Prev   Hash   // digest of the entry before it in its session; zeros if there is none
	Digest Hash
	Salt   Salt // of the entry; zero where values were removed, see Remove

	Salts   map[string]Salt // of the pointers that are there, if others were removed; else nil
	Removed map[string]Hash // commitments of those that are not

	Proof []Hash // as of [Prove], nil if there is none
}

// Append appends the line of e, without a newline.
func (e *Evidence) Append(dst []byte) []byte {
	dst = hex.AppendEncode(append(dst, `{"digest":"`...), e.Digest[:])
	dst = e.Entry.Append(append(dst, `","entry":`...))
	dst = append(hex.AppendEncode(append(dst, `,"prev":"`...), e.Prev[:]), '"')
	if e.Proof != nil {
		dst = appendProof(append(dst, `,"proof":`...), e.Proof)
	}
	if e.Salts == nil {
		dst = append(hex.AppendEncode(append(dst, `,"salt":"`...), e.Salt[:]), '"')
	} else {
		dst = appendPointers(append(dst, `,"removed":`...), e.Removed, func(sum *Hash) []byte { return sum[:] })
		dst = appendPointers(append(dst, `,"salts":`...), e.Salts, func(salt *Salt) []byte { return salt[:] })
	}
	dst = strconv.AppendUint(append(dst, `,"seq":`...), e.Seq, 10)
	return append(dst, '}')
}

func appendProof(dst []byte, proof []Hash) []byte {
	dst = append(dst, '[')
	for i := range proof {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(hex.AppendEncode(append(dst, '"'), proof[i][:]), '"')
	}
	return append(dst, ']')
}

func parseProof(value []byte) ([]Hash, error) {
	if value[0] != '[' {
		return nil, fmt.Errorf("expected an array, found %s", kind(value))
	}
	proof := []Hash{}
	for _, v := range Elements(value) {
		var h Hash
		if err := parseHex(h[:], v); err != nil {
			return nil, err
		}
		if proof = append(proof, h); len(proof) > maxHashes {
			return nil, fmt.Errorf("a proof has at most %d hashes", maxHashes)
		}
	}
	return proof, nil
}

// AppendCheckpointLine appends the line under which lines of evidence have proofs, without
// a newline.
func AppendCheckpointLine(dst []byte, note string) []byte {
	return append(AppendQuote(append(dst, `{"checkpoint":`...), []byte(note)), '}')
}

// CheckpointLine returns the note of such a line; ok tells whether text is one.
func CheckpointLine(text *Text) (note string, ok bool) {
	if !bytes.HasPrefix(text.Bytes, []byte(`{"checkpoint":"`)) {
		return "", false
	}
	n := 0
	for _, value := range text.Members() {
		note = Unquote(value)
		n++
	}
	return note, n == 1
}

// appendPointers appends an object of hexadecimal values by pointer.
func appendPointers[V any](dst []byte, values map[string]V, of func(*V) []byte) []byte {
	dst = append(dst, '{')
	byUTF16 := func(a, b string) int { return compareUTF16([]byte(a), []byte(b)) }
	for i, pointer := range slices.SortedFunc(maps.Keys(values), byUTF16) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendQuote(dst, []byte(pointer)), ':', '"')
		value := values[pointer]
		dst = append(hex.AppendEncode(dst, of(&value)), '"')
	}
	return append(dst, '}')
}

// IsEvidence tells a line of evidence from other lines.
func IsEvidence(text *Text) bool {
	// Its first member is one that no entry has.
	return bytes.HasPrefix(text.Bytes, []byte(`{"digest":`))
}

// ParseEvidence reads a line of evidence.
func ParseEvidence(text *Text) (e Evidence, err error) {
	need := map[string]bool{"digest": true, "entry": true, "prev": true, "salt": true, "seq": true, "proof": true, "removed": true, "salts": true}
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
		case "proof":
			e.Proof, err = parseProof(value)
		case "salt":
			err = parseHex(e.Salt[:], value)
		case "salts":
			e.Salts, err = parsePointers(value, func(salt *Salt) []byte { return salt[:] })
		case "removed":
			e.Removed, err = parsePointers(value, func(sum *Hash) []byte { return sum[:] })
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
	required := []string{"digest", "entry", "prev", "salt", "seq"}
	if !need["salts"] {
		required = []string{"digest", "entry", "prev", "removed", "seq"}
	}
	for _, name := range required {
		if need[name] {
			return e, fmt.Errorf("missing field(s): %s", name)
		}
	}
	if !need["salt"] && (!need["salts"] || !need["removed"]) {
		return e, errors.New("salt: expected none beside salts and removed")
	}
	for _, m := range [...]Member{Index, Recorded, Session, At} {
		if e.Entry[m] == nil {
			return e, fmt.Errorf("entry: missing field(s): %s", m)
		}
	}
	return e, e.checkSalts()
}

// checkSalts requires the salts to be those of the values that are there.
func (e *Evidence) checkSalts() error {
	if e.Salts == nil {
		return nil
	}
	n := 0
	for pointer := range new(Committer).Pointers(&e.Entry) {
		p := string(pointer)
		if _, ok := e.Salts[p]; !ok {
			return fmt.Errorf("salts: missing field(s): %s", elide(p))
		}
		if _, gone := e.Removed[p]; gone {
			return fmt.Errorf("removed: %s is in the entry", elide(p))
		}
		n++
	}
	if len(e.Salts) > n {
		return errors.New("salts: there are more than the entry has values")
	}
	return nil
}

// parsePointers is the opposite of appendPointers.
func parsePointers[V any](value []byte, of func(*V) []byte) (map[string]V, error) {
	if value[0] != '{' {
		return nil, fmt.Errorf("expected an object, found %s", kind(value))
	}
	values := map[string]V{}
	for name, v := range Members(value) {
		pointer := Unquote(name)
		if err := CheckPointer(pointer); err != nil {
			return nil, err
		}
		var parsed V
		if err := parseHex(of(&parsed), v); err != nil {
			return nil, fmt.Errorf("%s: %w", elide(pointer), err)
		}
		values[pointer] = parsed
	}
	return values, nil
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

// AppendHeader appends the header of e, of which its digest is the leaf in the tree.
func (e *Evidence) AppendHeader(dst []byte, c *Committer) []byte {
	payload := e.Payload(c)
	return AppendHeader(dst, &e.Entry, &payload, &e.Prev)
}

// Check recomputes the digest of e.
func (e *Evidence) Check(c *Committer) *BreakError {
	if got := Digest(e.AppendHeader(nil, c)); got != e.Digest {
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

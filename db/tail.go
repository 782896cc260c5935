package db

import (
	"encoding/binary"
	"strconv"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// An entry in the tail is
//
//	digest(32) prev(32) length(4) canonical form
//
// in parts of at most maxValue bytes. Only the last part may be shorter, so that the
// first, which has the length, tells how many there are.
const tailHead = 32 + 32 + 4

// appendTail cuts a row into the parts that are stored.
func appendTail(r *row) [][]byte {
	text := make([]byte, 0, tailHead+r.size+256)
	text = append(append(text, r.digest[:]...), r.prev[:]...)
	text = binary.BigEndian.AppendUint32(text, 0)
	text = r.m.Append(text)
	binary.BigEndian.PutUint32(text[64:], uint32(len(text)-tailHead))
	var parts [][]byte
	for len(text) > maxValue {
		parts = append(parts, append(make([]byte, 0, maxValue+checksumSize), text[:maxValue]...))
		text = text[maxValue:]
	}
	return append(parts, text)
}

// setTail writes a row and its place in the session's index. The parts of a large one
// go to store at once, before the transaction that makes it visible.
func setTail(b *batch, store *badger.DB, r *row) error {
	parts := appendTail(r)
	if len(parts) > 1 {
		var ahead batch
		for i, part := range parts[1:] {
			ahead.set(tailKey(r.seq, uint32(i+1)), part)
		}
		if err := ahead.flush(store, true); err != nil {
			return err
		}
	}
	b.set(tailKey(r.seq, 0), parts[0])
	b.set(indexKey(spaceIndex, r.session, r.index), binary.BigEndian.AppendUint64(nil, r.seq))
	return nil
}

// readTailDigest returns the digest of an entry of the tail, which must be there.
func readTailDigest(txn *badger.Txn, seq uint64) (chain.Hash, error) {
	value, err := readTailHead(txn, seq)
	if err != nil {
		return chain.Hash{}, err
	}
	return chain.Hash(value), nil
}

// readTailHead returns the first part of an entry of the tail, which must be there.
func readTailHead(txn *badger.Txn, seq uint64) ([]byte, error) {
	value, err := must(txn, tailKey(seq, 0))
	if err == nil && len(value) < tailHead {
		err = damaged("entry %d has %d bytes", seq, len(value))
	}
	return value, err
}

// readTail returns an entry of the tail, which must be there. Its bytes are its own.
func readTail(txn *badger.Txn, seq uint64) (*Record, error) {
	value, err := readTailHead(txn, seq)
	if err != nil {
		return nil, err
	}
	return tailRecord(txn, seq, value)
}

// tailRecord puts an entry of the tail together, whose first part is known.
func tailRecord(txn *badger.Txn, seq uint64, value []byte) (_ *Record, err error) {
	r := &Record{Seq: seq, Digest: chain.Hash(value), Prev: chain.Hash(value[32:])}
	length := int(binary.BigEndian.Uint32(value[64:]))
	text := append(make([]byte, 0, min(length, 1<<20)), value[tailHead:]...)
	for part := uint32(1); len(text) < length; part++ {
		if value, err = must(txn, tailKey(seq, part)); err != nil {
			return nil, err
		}
		if text = append(text, value...); len(value) == 0 {
			break
		}
	}
	if len(text) != length {
		return nil, damaged("entry %d has %d bytes, not %d", seq, len(text), length)
	}
	return r, r.setMembers(text)
}

// tailRows reads the rows of a range from the tail, one behind the other. What the walk
// does not find is asked for: Badger ends it over what it cannot read.
func (s *Snapshot) tailRows(from, to uint64) (*rowSet, error) {
	rows := new(rowSet)
	rows.reset(int(to - from))
	seq := from
	err := each(s.txn, []byte{spaceTail}, tailKey(from, 0), func(key []byte, value func() ([]byte, error)) error {
		at, part, ok := parseTailKey(key)
		if part > 0 {
			return nil // was read with the first
		}
		if !ok || at != seq || seq == to {
			return errStop
		}
		head, err := value()
		if err != nil || len(head) < tailHead {
			return errStop
		}
		seq++
		return s.addTailRow(rows, at, head)
	})
	for ; err == nil && seq < to; seq++ {
		var head []byte
		if head, err = readTailHead(s.txn, seq); err == nil {
			err = s.addTailRow(rows, seq, head)
		}
	}
	return rows, err
}

// addTailRow adds the row of an entry whose first part is known.
func (s *Snapshot) addTailRow(rows *rowSet, seq uint64, head []byte) error {
	r, err := tailRecord(s.txn, seq, head)
	if err != nil {
		return err
	}
	at, err := chain.ParseTime(unquoted(r.Members[chain.At]))
	if err != nil {
		return damaged("entry %d: %v", seq, err)
	}
	rows.add(&r.Members, position{session: r.Session, index: r.Index, seq: seq, at: at, recorded: r.Recorded, digest: r.Digest, prev: r.Prev}, asIs)
	return nil
}

// setMembers reads the canonical form of an entry that the ledger stored.
func (r *Record) setMembers(text []byte) (err error) {
	if len(text) == 0 {
		return damaged("entry %d is empty", r.Seq)
	}
	if r.Members, err = chain.ParseEntry(chain.TextOf(text)); err != nil {
		return damaged("entry %d: %v", r.Seq, err)
	}
	return r.setPlaces()
}

// setPlaces takes session, index and recorded from the members.
func (r *Record) setPlaces() (err error) {
	m := &r.Members
	if m[chain.Session] == nil || m[chain.Index] == nil || m[chain.Recorded] == nil || m[chain.At] == nil {
		return damaged("entry %d lacks a member that every entry has", r.Seq)
	}
	r.Session = chain.Unquote(m[chain.Session])
	if r.Index, err = strconv.ParseUint(string(m[chain.Index]), 10, 64); err == nil {
		r.Recorded, err = chain.ParseTime(unquoted(m[chain.Recorded]))
	}
	if err != nil {
		return damaged("entry %d: %v", r.Seq, err)
	}
	return nil
}

// evidence returns a record as what stands alone, with its salt or what is left of that.
func (r *Record) evidence(of *salts) *chain.Evidence {
	e := &chain.Evidence{Entry: r.Members}
	if r.removal != nil {
		e = r.removal.evidence(&r.Members)
	} else {
		e.Salt = of.of(r.Seq)
	}
	e.Seq, e.Prev, e.Digest = r.Seq, r.Prev, r.Digest
	return e
}

// check recomputes the digest of a record.
func (r *Record) check(c *chain.Committer, of *salts) error {
	if broken := r.evidence(of).Check(c); broken != nil {
		return damaged("session %q: index %d: its digest is %s, stored is %s", r.Session, r.Index, broken.Want, broken.Got)
	}
	return nil
}

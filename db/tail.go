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

// readTail returns an entry of the tail, which must be there. Its bytes are its own.
func readTail(txn *badger.Txn, seq uint64) (*Record, error) {
	value, err := must(txn, tailKey(seq, 0))
	if err != nil {
		return nil, err
	}
	if len(value) < tailHead {
		return nil, damaged("entry %d has %d bytes", seq, len(value))
	}
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

// check recomputes the digest of a record.
func (r *Record) check(c *chain.Committer, salt chain.Salt) error {
	payload := c.Payload(&salt, &r.Members)
	header := chain.AppendHeader(nil, &r.Members, &payload, &r.Prev)
	if got := chain.Digest(header); got != r.Digest {
		return damaged("session %q: index %d: its digest is %x, stored is %x", r.Session, r.Index, got[:], r.Digest[:])
	}
	return nil
}

package db

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// groupBlocks is how many blocks share the runs of their sessions.
const groupBlocks = 32

// A run tells where entries of a session are that follow each other:
//
//	group(8), of each block: number of the block(uvarint, from the one before) entries in it(uvarint)
//
// It stands under the session and the index of its first entry. Runs are written for
// whole groups of blocks, since one key for a session and block is the greater part
// of an import, and never deleted, so that no seek crosses a tombstone. The blocks
// after the last group are looked through.
type run struct {
	first  uint64 // index
	blocks []runBlock
}

type runBlock struct{ block, rows uint64 }

func (r *run) encode(group uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, group)
	last := group * groupBlocks
	for _, p := range r.blocks {
		b = binary.AppendUvarint(b, p.block-last)
		b = binary.AppendUvarint(b, p.rows)
		last = p.block
	}
	return b
}

// decodeRun reads a run; nil if it is of a group that is not covered yet.
func decodeRun(key, b []byte, groups uint64) (*run, error) {
	bad := damaged("the run %s cannot be read", keyText(key))
	if len(b) < 8 {
		return nil, bad
	}
	if binary.BigEndian.Uint64(b) >= groups {
		return nil, nil
	}
	block := binary.BigEndian.Uint64(b) * groupBlocks
	_, first, ok := parseIndexKey(key)
	if !ok {
		return nil, bad
	}
	r := &run{first: first}
	for b = b[8:]; len(b) > 0; {
		step, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, bad
		}
		rows, k := binary.Uvarint(b[n:])
		if k <= 0 {
			return nil, bad
		}
		b = b[n+k:]
		block += step
		r.blocks = append(r.blocks, runBlock{block, rows})
	}
	return r, nil
}

// groupRuns makes the runs of a group whose blocks are all stored, by session.
func groupRuns(txn *badger.Txn, group uint64) (map[string]*run, error) {
	runs := map[string]*run{}
	for number := group * groupBlocks; number < (group+1)*groupBlocks; number++ {
		err := eachSession(txn, number, func(session string, first, rows uint64) {
			r := runs[session]
			if r == nil {
				r = &run{first: first}
				runs[session] = r
			}
			r.blocks = append(r.blocks, runBlock{number, rows})
		})
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// writeRuns writes the runs of a group, in any number of transactions.
func writeRuns(txn *badger.Txn, store *badger.DB, group uint64) error {
	runs, err := groupRuns(txn, group)
	if err != nil {
		return err
	}
	var b batch
	for session, r := range runs {
		b.set(indexKey(spaceRun, session, r.first), r.encode(group))
	}
	return b.flush(store, true)
}

// eachSession calls use for every session in a block, with the index of its first
// entry there and how many it has.
func eachSession(txn *badger.Txn, number uint64, use func(session string, first, rows uint64)) error {
	b, err := openBlock(txn, number)
	if err != nil {
		return err
	}
	codes, r, err := b.sessions()
	if err != nil {
		return err
	}
	index, err := b.indexes()
	if err != nil {
		return err
	}
	first, rows := make([]uint64, r.Distinct()+1), make([]uint64, r.Distinct()+1)
	for i, c := range codes {
		if rows[c] == 0 {
			first[c] = index[i]
		}
		rows[c]++
	}
	for c := 1; c <= r.Distinct(); c++ {
		name, err := r.Value(nil, uint16(c))
		if err != nil {
			return fmt.Errorf("block %d: %w", number, err)
		}
		use(string(name), first[c], rows[c])
	}
	return nil
}

// findRun returns the run that has the entry, nil if no run has.
func (s *Snapshot) findRun(session string, index uint64) (*run, error) {
	if s.state.groups == 0 {
		return nil, nil
	}
	opt := badger.DefaultIteratorOptions
	opt.Reverse, opt.PrefetchValues = true, false
	opt.Prefix = sessionKey(spaceRun, session)
	it := s.txn.NewIterator(opt)
	defer it.Close()
	it.Seek(indexKey(spaceRun, session, index))
	if !it.ValidForPrefix(opt.Prefix) {
		return nil, nil
	}
	value, err := itemValue(it.Item())
	if err != nil {
		return nil, err
	}
	return decodeRun(it.Item().KeyCopy(nil), value, s.state.groups)
}

// find returns the block that has an entry, and its row there.
func (s *Snapshot) find(session string, index uint64) (*Block, int, error) {
	r, err := s.findRun(session, index)
	if err != nil {
		return nil, 0, err
	}
	if r != nil {
		left := index - r.first
		for _, p := range r.blocks {
			if left < p.rows {
				return s.findIn(p.block, session, index)
			}
			left -= p.rows
		}
	}
	for number := s.state.groups * groupBlocks; number < s.state.blocks; number++ {
		b, row, err := s.findIn(number, session, index)
		if !errors.Is(err, errNoKey) {
			return b, row, err
		}
	}
	return nil, 0, damaged("session %q: index %d is in no block and not in the tail", session, index)
}

// findIn looks for an entry in a block; errNoKey if it is not there.
func (s *Snapshot) findIn(number uint64, session string, index uint64) (*Block, int, error) {
	b, err := s.block(number)
	if err != nil {
		return nil, 0, err
	}
	rows, first, err := b.rowsOf(session)
	if err != nil {
		return nil, 0, err
	}
	if index < first || index-first >= uint64(len(rows)) {
		return nil, 0, errNoKey
	}
	return b, rows[index-first], nil
}

// rowsOf returns the rows of a session in b, and the index of the first.
func (b *Block) rowsOf(session string) (rows []int, first uint64, err error) {
	codes, r, err := b.sessions()
	if err != nil {
		return nil, 0, err
	}
	code := uint16(0)
	var name []byte
	for c := 1; c <= r.Distinct() && code == 0; c++ {
		if name, err = r.Value(name[:0], uint16(c)); err != nil {
			return nil, 0, err
		}
		if string(name) == session {
			code = uint16(c)
		}
	}
	if code == 0 {
		return nil, 0, nil
	}
	for i, c := range codes {
		if c == code {
			rows = append(rows, i)
		}
	}
	starts, err := b.integers(colName{member: chain.Index, kind: colIndex})
	if err != nil || starts == nil {
		return nil, 0, err
	}
	return rows, uint64(starts[rows[0]]), nil
}

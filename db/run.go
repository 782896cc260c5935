package db

import (
	"encoding/binary"
	"errors"
	"slices"

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
	if err := b.flush(store, true); err != nil {
		return err
	}
	stored := store.NewTransaction(false)
	defer stored.Discard()
	return checkRuns(stored, group, runs)
}

// eachSession calls use for every session in a block, with the index of its first
// entry there and how many it has.
func eachSession(txn *badger.Txn, number uint64, use func(session string, first, rows uint64)) error {
	b, err := openBlock(txn, number)
	if err != nil {
		return err
	}
	t, err := b.sessionTable()
	if err != nil {
		return err
	}
	for session, in := range t.of {
		use(session, in.index, uint64(in.end-in.start))
	}
	return nil
}

// findRun returns the run that has the entry, nil if no run has.
func (s *Snapshot) findRun(session string, index uint64) (r *run, err error) {
	defer caught(&err, indexKey(spaceRun, session, index))
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

// blocksOf returns the numbers of the blocks that may have rows of a range, in order.
func (s *Snapshot) blocksOf(r *Range) (numbers []uint64, err error) {
	next := uint64(0)
	switch {
	case r.Session != "":
		numbers, err = s.sessionBlocks(r.Session)
		next = s.state.groups * groupBlocks
	case r.From > 0 && r.From < s.state.packed:
		next, _, err = s.blockHead(r.From)
	}
	for ; err == nil && next < s.state.blocks; next++ {
		numbers = append(numbers, next)
	}
	return numbers, err
}

// sessionBlocks returns the blocks that runs say a session is in. Its runs must follow
// each other, and what comes after the last one must be elsewhere.
func (s *Snapshot) sessionBlocks(session string) (numbers []uint64, err error) {
	h, err := s.head(session)
	if h == nil || err != nil {
		return nil, err
	}
	next := uint64(0)
	prefix := sessionKey(spaceRun, session)
	err = each(s.txn, prefix, prefix, func(key []byte, value func() ([]byte, error)) error {
		v, err := value()
		if err != nil {
			return err
		}
		r, err := decodeRun(key, v, s.state.groups)
		if r == nil || err != nil {
			return err
		}
		if r.first != next {
			return damaged("session %q has a run from index %d on, expected is one from %d", session, r.first, next)
		}
		for _, p := range r.blocks {
			numbers = append(numbers, p.block)
			next += p.rows
		}
		return nil
	})
	if err != nil || next == h.Count {
		return numbers, err
	}
	if seq, err := s.tailSeq(session, next); err == nil && seq >= s.state.packed {
		return numbers, nil
	} else if err != nil && err != errNoKey {
		return nil, err
	}
	_, _, err = s.findAfter(session, next)
	return numbers, err
}

// find returns where an entry that the session has is: its block, and its row there.
func (s *Snapshot) find(session string, index uint64) (number uint64, row int, err error) {
	r, err := s.findRun(session, index)
	if err != nil {
		return 0, 0, err
	}
	if r != nil {
		left := index - r.first
		for _, p := range r.blocks {
			if left < p.rows {
				row, err := s.findIn(p.block, session, index)
				if errors.Is(err, errNoKey) {
					err = damaged("a run says that block %d has session %q, index %d, and it has not", p.block, session, index)
				}
				return p.block, row, err
			}
			left -= p.rows
		}
	}
	return s.findAfter(session, index)
}

// findAfter is find for an entry that no run has.
func (s *Snapshot) findAfter(session string, index uint64) (number uint64, row int, err error) {
	missing := error(nil) // a block that cannot be read hides no other
	for number := s.state.groups * groupBlocks; number < s.state.blocks; number++ {
		switch row, err := s.findIn(number, session, index); {
		case isDamaged(err):
			missing = err
		case !errors.Is(err, errNoKey):
			return number, row, err
		}
	}
	if missing != nil {
		return 0, 0, missing
	}
	return 0, 0, damaged("session %q: index %d is in no block and not in the tail", session, index)
}

// findIn looks for an entry in a block; errNoKey if it is not there.
func (s *Snapshot) findIn(number uint64, session string, index uint64) (int, error) {
	t, err := s.sessionsOf(number)
	if err != nil {
		return 0, err
	}
	rows, first := t.rowsOf(session)
	if index < first || index-first >= uint64(len(rows)) {
		return 0, errNoKey
	}
	return int(rows[index-first]), nil
}

// A sessionTable tells which rows of a block are whose.
type sessionTable struct {
	first uint64 // seq of the block's first row
	rows  []uint16
	of    map[string]sessionRows
}

type sessionRows struct {
	start, end int    // in rows
	index      uint64 // of the first
}

func (t *sessionTable) rowsOf(session string) ([]uint16, uint64) {
	in := t.of[session]
	return t.rows[in.start:in.end], in.index
}

func (b *Block) sessionTable() (*sessionTable, error) {
	codes, r, err := b.sessions()
	if err != nil {
		return nil, err
	}
	index, err := b.indexes()
	if err != nil {
		return nil, err
	}
	t := &sessionTable{first: b.First(), rows: make([]uint16, len(codes)), of: make(map[string]sessionRows, r.Distinct())}
	next := make([]int, r.Distinct()+2) // where the rows of a code go
	for _, c := range codes {
		next[c+1]++
	}
	for c := 1; c < len(next); c++ {
		next[c] += next[c-1]
	}
	start := slices.Clone(next)
	for i, c := range codes {
		t.rows[next[c]] = uint16(i)
		next[c]++
	}
	var name []byte
	for c := 1; c <= r.Distinct(); c++ {
		if name, err = r.Value(name[:0], uint16(c)); err != nil {
			return nil, b.damaged(b.find(colName{member: chain.Session, kind: colText}), err)
		}
		if start[c] == next[c] {
			return nil, damaged("block %d names session %q and has no row of it", b.number, name)
		}
		t.of[string(name)] = sessionRows{start[c], next[c], index[t.rows[start[c]]]}
	}
	return t, nil
}

// tablesKept is how many session tables a snapshot keeps: those of the blocks after
// the last group, and as many others.
const tablesKept = 2 * groupBlocks

// sessionsOf returns the session table of a block.
func (s *Snapshot) sessionsOf(number uint64) (*sessionTable, error) {
	if t := s.tables[number]; t != nil {
		return t, nil
	}
	b, err := s.block(number)
	if err != nil {
		return nil, err
	}
	t, err := b.sessionTable()
	if err != nil {
		return nil, err
	}
	if s.tables == nil || len(s.tables) >= tablesKept {
		s.tables = map[uint64]*sessionTable{}
	}
	s.tables[number] = t
	return t, nil
}

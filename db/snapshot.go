package db

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// A Snapshot is a ledger as it was at one moment. It must be closed. It is for one
// goroutine at a time.
type Snapshot struct {
	txn   *badger.Txn
	state state
	l     *Ledger

	edge       func() (tiles, error) // of the tree, read once
	tileNumber uint64                // of tile, the digests that were asked for last
	tile       []byte
	pages      pageReader
	tables     map[uint64]*sessionTable // by block
	last       *Block                   // that was asked for last
	controls   []*Control               // nil: not asked for yet
}

// Snapshot returns the ledger as it is now.
func (l *Ledger) Snapshot() (*Snapshot, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return nil, ErrClosed
	}
	l.readers.Add(1)
	s, err := newSnapshot(l.store)
	if err != nil {
		l.readers.Done()
		return nil, err
	}
	s.l = l
	return s, nil
}

func newSnapshot(store *badger.DB) (*Snapshot, error) {
	s := &Snapshot{txn: store.NewTransaction(false)}
	s.pages.txn = s.txn
	value, err := must(s.txn, stateKey)
	if err == nil {
		s.state, err = decodeState(value)
	}
	if err != nil {
		s.discard()
		return nil, err
	}
	s.edge = sync.OnceValues(func() (tiles, error) { return readTiles(s.txn, &s.state) })
	return s, nil
}

// Close ends the snapshot.
func (s *Snapshot) Close() {
	s.discard()
	if s.l != nil {
		s.l.readers.Done()
	}
}

// discard is Close of a snapshot that the ledger does not wait for.
func (s *Snapshot) discard() {
	s.pages.close()
	s.txn.Discard()
}

// Size returns how many entries the ledger has, its own included.
func (s *Snapshot) Size() uint64 { return s.state.size }

// SessionCount returns how many sessions the ledger has, its own included.
func (s *Snapshot) SessionCount() uint64 { return s.state.sessions }

// Root returns the root of the tree over all entries.
func (s *Snapshot) Root() chain.Hash { return s.state.edge.Root() }

func (s *Snapshot) block(number uint64) (*Block, error) {
	head, err := s.readBlockHead(number)
	if err != nil {
		return nil, err
	}
	room := new(pageRoom)
	b, err := newBlock(number, head, func(col, page uint16) ([]byte, error) {
		return s.pages.read(columnKey(number, head.generation, col, page), room.keep)
	})
	if err == nil {
		b.room = room
	}
	return b, err
}

// readBlockHead returns the head of a block, which opening the ledger mostly has read.
func (s *Snapshot) readBlockHead(number uint64) (blockHead, error) {
	if s.l != nil && number < uint64(len(s.l.blockHeads)) {
		if h := s.l.blockHeads[number].Load(); h != nil {
			return *h, nil
		}
	}
	return readBlockHead(s.txn, number)
}

// lastBlock is block for somebody who asks for the rows of one after the other.
func (s *Snapshot) lastBlock(number uint64) (*Block, error) {
	if s.last == nil || s.last.number != number {
		b, err := s.block(number)
		if err != nil {
			return nil, err
		}
		s.last = b
	}
	return s.last, nil
}

// Entry returns an entry whole, its digest recomputed. [ErrNotFound] if the session
// does not have that index.
func (s *Snapshot) Entry(session string, index uint64) (*Record, error) {
	h, err := s.head(session)
	if err != nil {
		return nil, err
	}
	if h == nil || index >= h.Count {
		return nil, ErrNotFound
	}
	r, err := s.record(session, index)
	if err != nil {
		return nil, err
	}
	of, _, err := s.saltsOf(r.Seq)
	if err != nil {
		return nil, err
	}
	return r, r.check(new(chain.Committer), of)
}

// record reads an entry that the session has.
func (s *Snapshot) record(session string, index uint64) (*Record, error) {
	seq, err := s.tailSeq(session, index)
	if err == nil && seq >= s.state.packed {
		return readTail(s.txn, seq)
	}
	if err != nil && err != errNoKey {
		return nil, err
	}
	number, row, err := s.find(session, index)
	if err != nil {
		return nil, err
	}
	b, err := s.lastBlock(number)
	if err != nil {
		return nil, err
	}
	r, err := b.record(&restorer{text: make([]byte, 0, 1<<10)}, row)
	if err != nil {
		return nil, err
	}
	if r.Digest, err = s.digest(r.Seq); err == nil && index > 0 {
		r.Prev, err = s.digestAt(session, index-1)
	}
	return r, err
}

// tailSeq returns where the tail has an entry; errNoKey if it does not.
func (s *Snapshot) tailSeq(session string, index uint64) (uint64, error) {
	key := indexKey(spaceIndex, session, index)
	value, err := get(s.txn, key)
	if err != nil {
		return 0, err
	}
	if len(value) != 8 {
		return 0, damaged("the value of key %s has %d bytes", keyText(key), len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}

// digestAt returns the digest of an entry.
func (s *Snapshot) digestAt(session string, index uint64) (chain.Hash, error) {
	seq, err := s.tailSeq(session, index)
	if err == nil && seq >= s.state.packed {
		r, err := readTail(s.txn, seq)
		if err != nil {
			return chain.Hash{}, err
		}
		return r.Digest, nil
	}
	if err != nil && err != errNoKey {
		return chain.Hash{}, err
	}
	number, row, err := s.find(session, index)
	if err != nil {
		return chain.Hash{}, err
	}
	return s.digest(s.tables[number].first + uint64(row))
}

// digest returns the digest of an entry that is in a block.
func (s *Snapshot) digest(seq uint64) (chain.Hash, error) {
	n, at := seq>>chain.TileHeight, int(seq%chain.TileWidth)*hashSize
	if n != s.tileNumber || at+hashSize > len(s.tile) {
		value, err := must(s.txn, tileKey(0, n))
		if err != nil {
			return chain.Hash{}, err
		}
		if len(value) < at+hashSize {
			return chain.Hash{}, damaged("tile %d of level 0 lacks the digest of entry %d", n, seq)
		}
		s.tileNumber, s.tile = n, value
	}
	return chain.Hash(s.tile[at:]), nil
}

// record restores the i-th of the rows that x wants. What is left is Digest and Prev.
func (b *Block) record(x *restorer, i int) (*Record, error) {
	r := &Record{Seq: b.First() + uint64(x.row(i))}
	if err := b.members(x, i, &r.Members); err != nil {
		return nil, err
	}
	var err error
	if r.removal, err = b.removal(x.row(i)); err != nil {
		return nil, err
	}
	return r, r.setPlaces()
}

// blockHead returns number and head of the block that has an entry, by its place in the
// ledger. It passes over heads that cannot be read, so that they do not hide the others.
func (s *Snapshot) blockHead(seq uint64) (number uint64, h blockHead, err error) {
	missing := damaged("entry %d is in no block", seq)
	low, high := uint64(0), s.state.blocks
	for low < high {
		mid := (low + high) / 2
		at := mid
		h, err := readBlockHead(s.txn, at)
		for ; isDamaged(err) && at+1 < high; h, err = readBlockHead(s.txn, at) {
			missing = err
			at++
		}
		switch {
		case isDamaged(err):
			missing, high = err, mid
		case err != nil:
			return 0, h, err
		case seq < h.first:
			high = mid
		case seq >= h.first+uint64(h.rows):
			low = at + 1
		default:
			return at, h, nil
		}
	}
	return 0, blockHead{}, missing
}

// Session returns the head of a session, [ErrNotFound] if it has no entry.
func (s *Snapshot) Session(session string) (*Head, error) {
	h, err := s.head(session)
	if err == nil && h == nil {
		err = ErrNotFound
	}
	return h, err
}

// Sessions walks all sessions in the order of their names, the ledger's own
// included.
func (s *Snapshot) Sessions() iter.Seq2[*Head, error] {
	return func(yield func(*Head, error) bool) {
		if err := s.countHeads(); err != nil {
			yield(nil, err)
			return
		}
		if err := s.eachHead(func(h *Head) bool { return yield(h, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (s *Snapshot) eachHead(use func(*Head) bool) error {
	prefix := []byte{spaceSession}
	return each(s.txn, prefix, prefix, func(key []byte, value func() ([]byte, error)) error {
		v, err := value()
		if err != nil {
			return err
		}
		session, ok := parseSessionKey(key)
		if !ok {
			return damaged("key %s names no session", keyText(key))
		}
		h, err := parseHeads(session, v, s.state.size)
		if err == nil && h != nil && !use(h) {
			err = errStop
		}
		return err
	})
}

// countHeads requires as many heads as there are sessions. Once that is so it is not
// looked at again while the ledger is open.
func (s *Snapshot) countHeads() error {
	if s.l == nil {
		return nil
	}
	s.l.countMu.Lock()
	defer s.l.countMu.Unlock()
	if s.l.counted {
		return nil
	}
	n := uint64(0)
	if err := s.eachHead(func(*Head) bool { n++; return true }); err != nil {
		return err
	}
	if n != s.state.sessions {
		return damaged("%d sessions have heads, the ledger has %d", n, s.state.sessions)
	}
	s.l.counted = true
	return nil
}

// head returns the head of a session, nil if it has no entry: which is believed only
// when as many heads are there as sessions.
func (s *Snapshot) head(session string) (*Head, error) {
	h, err := readHead(s.txn, session, s.state.size)
	if h != nil || err != nil {
		return h, err
	}
	return nil, s.countHeads()
}

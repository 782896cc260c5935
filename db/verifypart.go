package db

import (
	"bytes"

	"toolledger/chain"
)

// A part is the rows of a block, or of a piece of the tail, with their payload hashed.
type part struct {
	rowSet
	digests   []chain.Hash // as stored
	fault     error        // instead
	invariant int          // that the fault breaks
	from      uint64
	count     int

	// Memory that is used again.
	x         restorer
	encoder   blockEncoder
	committer chain.Committer
}

func (v *verifier) readBlock(b *Block) *part {
	b.keepPages() // they are read to restore the rows, and to compare
	defer b.release()
	p := v.free.get()
	p.begin(b.First(), b.Rows())
	if p.fault = p.read(v.s, b); p.fault == nil {
		if p.fault = p.sameBlock(b); p.fault != nil {
			p.invariant = 7
		}
	}
	return p
}

func (p *part) begin(from uint64, count int) {
	p.digests, p.fault, p.invariant = p.digests[:0], nil, 1
	p.reset(count)
	p.from, p.count = from, count
	p.x.reset()
}

// read restores the rows of a block and hashes their payload.
func (p *part) read(s *Snapshot, b *Block) error {
	salts, err := readSalts(s.txn, b.First())
	if err != nil {
		return err
	}
	if err := p.rowSet.addBlock(b, &p.x); err != nil {
		return err
	}
	for len(p.digests) < len(p.rows) {
		if err := p.addTile(s, p.rows[len(p.digests)].seq, b); err != nil {
			return err
		}
	}
	hashPayloads(&p.committer, salts, &p.rowSet)
	return nil
}

// sessionNames returns the session of each code.
func (b *Block) sessionNames() ([]string, error) {
	_, r, err := b.sessions()
	if err != nil {
		return nil, err
	}
	names := make([]string, r.Distinct()+1)
	var name []byte
	for c := 1; c < len(names); c++ {
		if name, err = r.Value(name[:0], uint16(c)); err != nil {
			return nil, b.damaged(b.find(colName{member: chain.Session, kind: colText}), err)
		}
		names[c] = string(name)
	}
	return names, nil
}

// addTile reads the digests from seq to the end of its tile or block.
func (p *part) addTile(s *Snapshot, seq uint64, b *Block) error {
	n := seq >> chain.TileHeight
	end := min((n+1)*chain.TileWidth, b.First()+uint64(b.Rows()))
	tile, err := s.Tile(0, n, int(end-n*chain.TileWidth))
	if err != nil {
		return err
	}
	p.digests = append(p.digests, tile[seq%chain.TileWidth:]...)
	return nil
}

func (p *part) add(c *chain.Committer, s *salts, r *Record) error {
	at, err := chain.ParseTime(unquoted(r.Members[chain.At]))
	if err != nil {
		return damaged("entry %d: %v", r.Seq, err)
	}
	w := p.rowSet.add(&r.Members, position{session: r.Session, index: r.Index, seq: r.Seq, at: at, recorded: r.Recorded, removal: r.removal}, asIs)
	salt := s.of(r.Seq)
	w.addPayload(c, &salt, &r.Members)
	return nil
}

// sameBlock encodes the rows again and compares with what is stored: dictionaries,
// filters and whatever else a scan goes by.
func (p *part) sameBlock(b *Block) error {
	p.encoder.like = b
	for _, want := range p.encoder.encode(&p.rowSet) {
		got, err := b.page(want.column, want.page)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want.value) {
			return damaged("block %d, column %d, page %d is not what its rows make", b.number, want.column, want.page)
		}
	}
	return nil
}

func (v *verifier) readTail(from, to uint64) *part {
	p := new(part)
	p.begin(from, int(to-from))
	var c chain.Committer
	defer c.Flush()
	var salts *salts
	first := ^uint64(0)
	for seq := from; seq < to; seq++ {
		r, err := readTail(v.s.txn, seq)
		if begins := v.s.state.rangeOf(seq); err == nil && begins != first {
			first = begins
			salts, err = readSalts(v.s.txn, begins)
		}
		if err == nil {
			err = p.add(&c, salts, r)
		}
		if err == nil {
			p.digests = append(p.digests, r.Digest)
			err = v.indexed(r)
		}
		if err != nil {
			p.fault = err
			return p
		}
	}
	return p
}

// indexed checks that the tail's index leads to an entry.
func (v *verifier) indexed(r *Record) error {
	seq, err := v.s.tailSeq(r.Session, r.Index)
	if err == errNoKey || err == nil && seq != r.Seq {
		return damaged("the index of the tail does not lead to entry %d, session %q, index %d", r.Seq, r.Session, r.Index)
	}
	return err
}

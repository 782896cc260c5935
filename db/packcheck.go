package db

import (
	"bytes"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// What stands beside a block is checked as it is stored, before the switch, as the
// block is (checkBlock): a seed that is spoiled makes every digest of its range
// wrong, and nothing but an auditor would see it.

// checkBeside checks the salts and the digests of rows that are hashed, whose block is
// written. salts are those that they were hashed with; nil: not known any more.
func checkBeside(store *badger.DB, rows *rowSet, salts *salts) error {
	txn := store.NewTransaction(false)
	defer txn.Discard()
	stored, err := readSalts(txn, rows.rows[0].seq)
	if err != nil {
		return err
	}
	switch {
	case salts == nil:
		err = checkDigests(rows, stored)
	case !bytes.Equal(stored.encode(), salts.encode()):
		err = damaged("the salts of the range from %d are not those that its entries were hashed with", rows.rows[0].seq)
	}
	if err != nil {
		return err
	}
	return checkTiles(txn, rows)
}

// checkDigests recomputes the digests of rows of a range.
func checkDigests(rows *rowSet, s *salts) error {
	var c chain.Committer
	var d chain.Digester
	hashPayloads(&c, s, rows)
	for r, m := range rows.entries() {
		d.Add(m, &r.payload, &r.prev)
	}
	for i, digest := range d.Flush(nil) {
		if r := &rows.rows[i]; digest != r.digest {
			return damaged("session %q: index %d: its digest is %x, stored is %x", r.session, r.index, digest[:], r.digest[:])
		}
	}
	return nil
}

// checkTiles compares the digests of rows with those in the tiles that are whole.
func checkTiles(txn *badger.Txn, rows *rowSet) error {
	end := rows.rows[0].seq + uint64(len(rows.rows))
	for n := rows.rows[0].seq >> chain.TileHeight; (n+1)*chain.TileWidth <= end; n++ {
		tile, err := tileReader{txn}.Tile(0, n, chain.TileWidth)
		if err != nil {
			return err
		}
		for i, digest := range tile {
			seq := n*chain.TileWidth + uint64(i)
			if seq >= rows.rows[0].seq && digest != rows.rows[seq-rows.rows[0].seq].digest {
				return damaged("tile %d of level 0 does not have the digest of entry %d", n, seq)
			}
		}
	}
	return nil
}

// checkRuns compares runs as they are stored with what the blocks make.
func checkRuns(txn *badger.Txn, group uint64, runs map[string]*run) error {
	for session, r := range runs {
		value, err := must(txn, indexKey(spaceRun, session, r.first))
		if err != nil {
			return err
		}
		if !bytes.Equal(value, r.encode(group)) {
			return damaged("the run of session %q from index %d is not what the blocks make", session, r.first)
		}
	}
	return nil
}

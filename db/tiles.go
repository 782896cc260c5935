package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"toolledger/chain"
)

// WriteTiles writes what a checkpoint covers as files that any client of C2SP tlog-tiles
// can read and audit: see [chain.TilePath]. The entries are headers: no payload leaves the
// ledger. note is the checkpoint; "" stands for the last in the ledger's folder. In a
// folder that was written before, what is new is added, and the file checkpoint is
// replaced last.
func (s *Snapshot) WriteTiles(ctx context.Context, dir, note string) (*chain.SignedCheckpoint, error) {
	c, err := s.Checkpoint(note)
	if err != nil {
		return nil, err
	}
	if c.Size == 0 {
		return nil, errors.New("a checkpoint of nothing has no tiles")
	}
	before, err := s.tilesBefore(dir, &c.Checkpoint)
	if err != nil {
		return nil, err
	}
	for level := 0; c.Size>>(chain.TileHeight*level) > 0; level++ {
		nodes := c.Size >> (chain.TileHeight * level)
		for n := before >> (chain.TileHeight * (level + 1)); n*chain.TileWidth < nodes; n++ {
			width := int(min(chain.TileWidth, nodes-n*chain.TileWidth))
			tile, err := s.Tile(level, n, width)
			if err == nil {
				err = writePublic(filepath.Join(dir, chain.TilePath(level, n, width)), encodeTile(tile))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if err := s.writeBundles(ctx, dir, before&^(chain.TileWidth-1), c.Size); err != nil {
		return nil, err
	}
	return c, writePublic(filepath.Join(dir, "checkpoint"), []byte(c.Note))
}

// writeBundles writes the headers of the entries from one that begins a tile on.
func (s *Snapshot) writeBundles(ctx context.Context, dir string, from, size uint64) error {
	var bundle, header []byte
	var committer chain.Committer
	for e, err := range s.Evidence(ctx, Range{From: from, To: size}) {
		if err != nil {
			return err
		}
		header = e.AppendHeader(header[:0], &committer)
		bundle = append(binary.BigEndian.AppendUint16(bundle, uint16(len(header))), header...)
		if next := e.Seq + 1; next%chain.TileWidth == 0 || next == size {
			path := chain.BundlePath(e.Seq/chain.TileWidth, int(e.Seq%chain.TileWidth)+1)
			if err := writePublic(filepath.Join(dir, path), bundle); err != nil {
				return err
			}
			bundle = bundle[:0]
		}
	}
	return nil
}

// tilesBefore returns the size that a folder has tiles of, 0 if it has none. Those must be
// of this ledger.
func (s *Snapshot) tilesBefore(dir string, c *chain.Checkpoint) (uint64, error) {
	note, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	old, err := s.Checkpoint(string(note))
	if err == nil && old.Origin != c.Origin {
		err = fmt.Errorf("it is of %s", old.Origin)
	}
	if err == nil && old.Size > c.Size {
		err = fmt.Errorf("it covers %d entries, the new one %d", old.Size, c.Size)
	}
	if err != nil {
		return 0, fmt.Errorf("%s has the tiles of another checkpoint: %w", dir, err)
	}
	return old.Size, nil
}

// writePublic writes a file that others may read, whole or not at all.
func writePublic(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp := path + ".tmp"
	err := os.WriteFile(tmp, data, 0o666)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

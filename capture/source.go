package capture

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"slices"

	"toolledger/chain"
	"toolledger/db"
)

// importAction is the action of the entries that a ledger writes of its imports.
const importAction = "import"

// A source is what such an entry says: how many bytes were read, and what they were.
type source struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Added  uint64 `json:"added"`

	// Format is that of another program; "": the lines were entries.
	Format string `json:"format,omitempty"`

	// Refused is how many lines were left out: they are refused again.
	Refused uint64 `json:"refused,omitempty"`

	// Session is the session that calls without one were put into, if there were any.
	Session string `json:"session,omitempty"`
}

// sources returns what was imported before.
func sources(ctx context.Context, led *db.Ledger) ([]source, error) {
	s, err := led.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	head, err := s.Session(db.OwnSession)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []source
	for i := range head.Count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := s.Entry(db.OwnSession, i)
		if err != nil {
			return nil, err
		}
		var of source
		if string(r.Members[chain.Action]) == `"`+importAction+`"` && json.Unmarshal(r.Members[chain.Args], &of) == nil && of.Bytes > 0 {
			list = append(list, of)
		}
	}
	slices.SortFunc(list, func(a, b source) int { return int(a.Bytes - b.Bytes) })
	return list, nil
}

// skipKnown reads r up to the end of the longest earlier import that it begins with,
// leaves it there, and returns how many lines that were. sum takes what is skipped.
func skipKnown(r io.ReadSeeker, earlier []source, sum hash.Hash, done *Report) (lines int, err error) {
	if len(earlier) == 0 {
		return 0, nil
	}
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	var count lineCounter
	var state []byte
	read := int64(0)
	for _, e := range earlier {
		n, err := io.CopyN(io.MultiWriter(sum, &count), r, e.Bytes-read)
		read += n
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		if hex.EncodeToString(sum.Sum(nil)) != e.SHA256 || !count.atEnd(r) {
			continue
		}
		done.Before, done.Refused, lines = read, int(e.Refused), count.lines
		done.Repeated = lines - done.Refused
		if state, err = sum.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary(); err != nil {
			return 0, err
		}
	}
	sum.Reset()
	if state != nil {
		if err := sum.(interface{ UnmarshalBinary([]byte) error }).UnmarshalBinary(state); err != nil {
			return 0, err
		}
	}
	_, err = r.Seek(start+done.Before, io.SeekStart)
	return lines, err
}

// A lineCounter counts lines.
type lineCounter struct {
	lines int
	last  byte
}

func (c *lineCounter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		c.last = p[len(p)-1]
	}
	return len(p), nil
}

// atEnd tells whether what was counted ends where a line does: a file whose last line
// lacked its newline may have grown in the middle of it.
func (c *lineCounter) atEnd(r io.ReadSeeker) bool {
	if c.last == '\n' {
		return true
	}
	var next [1]byte
	n, err := r.Read(next[:])
	if n == 1 {
		_, err = r.Seek(-1, io.SeekCurrent)
	}
	return n == 0 || err == nil && next[0] == '\n'
}

// A counter counts bytes, and stops when its context ends.
type counter struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

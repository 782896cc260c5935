package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Heads is a ring of what the ledger last committed. It is the only witness that
// a store lost its newest entries, since Badger does not tell. The file has 1,024
// slots of 64 bytes, all numbers big-endian:
//
//	0        8     16             48            56        64
//	| counter | size | root (32) ... | time in ns | checksum |
//
// The checksum is the xxhash64 of the 56 bytes before it. Counters go up by one;
// counter c is in slot c mod 1,024. A slot that was never used is a valid record
// of counter 0, so that zeros are damage and not an earlier state.
//
// Append overwrites the oldest slot of a file that never grows, so a sync of the
// ring writes no metadata.
type Heads struct {
	// Damaged is how many slots held neither a record nor its absence when the
	// ring was opened, not counting Torn. Any of them may have been the newest:
	// Last is then only a lower bound.
	Damaged int

	// Torn says that the slot after the newest record is no record. It is what
	// a power cut within an Append leaves, and what damage to the newest record
	// looks like. After a clean close it is damage.
	Torn bool

	f    *os.File
	mu   sync.Mutex
	last Record // counter 0: none
	err  error  // the first failed write or sync; nothing is trusted after it
}

// A Record is one state of the ledger: Root is over its first Size entries.
type Record struct {
	Counter uint64 // given by Append
	Size    uint64
	Root    [32]byte
	Time    time.Time
}

const (
	ringSlots  = 1024
	recordSize = 64
	ringSize   = ringSlots * recordSize
)

func (r Record) encode() (b [recordSize]byte) {
	binary.BigEndian.PutUint64(b[0:], r.Counter)
	binary.BigEndian.PutUint64(b[8:], r.Size)
	copy(b[16:48], r.Root[:])
	if !r.Time.IsZero() { // whose nanoseconds do not fit
		binary.BigEndian.PutUint64(b[48:], uint64(r.Time.UnixNano()))
	}
	binary.BigEndian.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	return b
}

// decodeRecord reads the record of a slot; false if there is no valid one.
func decodeRecord(b []byte, slot uint64) (r Record, ok bool) {
	if binary.BigEndian.Uint64(b[56:]) != xxhash.Sum64(b[:56]) {
		return r, false
	}
	r.Counter = binary.BigEndian.Uint64(b)
	r.Size = binary.BigEndian.Uint64(b[8:])
	copy(r.Root[:], b[16:48])
	if r.Counter > 0 {
		r.Time = time.Unix(0, int64(binary.BigEndian.Uint64(b[48:])))
	}
	return r, r.Counter == 0 || r.Counter%ringSlots == slot
}

// CreateHeads makes an empty ring, for a new ledger. Every byte is written, so
// that the file has its blocks from the start.
func CreateHeads(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("create heads: %w", &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist})
	}
	empty := Record{}.encode()
	ring := make([]byte, 0, ringSize)
	for range ringSlots {
		ring = append(ring, empty[:]...)
	}
	if err := replaceFile(path, ring); err != nil {
		return fmt.Errorf("create heads: %w", err)
	}
	return nil
}

// OpenHeads opens the ring and looks at every slot. Damage within it is counted,
// not an error; a missing file is an error, since its ledger has no witness.
func OpenHeads(path string, readonly bool) (*Heads, error) {
	flag := os.O_RDWR
	if readonly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damage(path, "is missing, so that nothing tells whether the newest entries are there; %s", adviseRestore)
	}
	if err != nil {
		return nil, fmt.Errorf("open heads: %w", err)
	}
	h := &Heads{f: f}
	if err := h.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("open heads: %w", err)
	}
	return h, nil
}

// load finds the newest record and counts what is no record. A valid record of an
// earlier round, where a newer one could stand, is no damage: the system writes
// the ring's pages in any order, and a power cut keeps some old ones.
func (h *Heads) load() error {
	// One byte more than the ring: a file of another size is damaged at its end.
	ring := make([]byte, ringSize+1)
	n, err := h.f.ReadAt(ring, 0)
	if err != nil && err != io.EOF {
		return err
	}
	clear(ring[n:])
	var invalid []uint64
	for slot := range uint64(ringSlots) {
		r, ok := decodeRecord(ring[slot*recordSize:][:recordSize], slot)
		switch {
		case !ok:
			invalid = append(invalid, slot)
		case r.Counter > h.last.Counter:
			h.last = r
		}
	}
	h.Damaged = len(invalid)
	next := (h.last.Counter + 1) % ringSlots
	for _, slot := range invalid {
		if slot == next && n >= ringSize {
			h.Torn = true
			h.Damaged--
		}
	}
	if n > ringSize {
		h.Damaged++
	}
	return nil
}

// Last returns the newest record; false if there is none.
func (h *Heads) Last() (Record, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last, h.last.Counter > 0
}

// Append writes a record after the newest one, and gives it its counter. It is
// one write and no sync: a kill does not lose it, a power cut may.
func (h *Heads) Append(r Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return h.err
	}
	r.Counter = h.last.Counter + 1
	b := r.encode()
	if _, err := h.f.WriteAt(b[:], int64(r.Counter%ringSlots)*recordSize); err != nil {
		h.err = fmt.Errorf("append to heads: %w", err)
		return h.err
	}
	h.last = r
	return nil
}

// Sync makes every record appended so far durable. It does not hold up Append.
func (h *Heads) Sync() error {
	h.mu.Lock()
	err := h.err
	h.mu.Unlock()
	if err != nil {
		return err
	}
	if err := datasync(h.f); err != nil {
		// The system may have dropped what it could not write, and would call
		// the next sync a success.
		err = fmt.Errorf("sync heads: %w", err)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.err = errors.Join(h.err, err)
		return err
	}
	return nil
}

// Close closes the file. It does not sync.
func (h *Heads) Close() error { return h.f.Close() }

package db

import (
	"errors"
	"fmt"

	"toolledger/chain"
)

var (
	ErrClosed   = errors.New("db: the ledger is closed")
	ErrReadOnly = errors.New("db: the ledger is open for reading only")
	ErrNotFound = errors.New("db: no such entry")
	ErrFormat   = errors.New("db: not a ledger that this program reads")
	ErrNoLedger = errors.New("no ledger")

	// ErrNoSession refuses an entry that names no session.
	ErrNoSession = errors.New("missing field(s): session")
)

// A DamagedError says what of a ledger is missing or is not as it was written.
type DamagedError struct{ What string }

func (e *DamagedError) Error() string { return "db: damaged: " + e.What }

func damaged(format string, args ...any) error {
	return &DamagedError{fmt.Sprintf(format, args...)}
}

func isDamaged(err error) bool {
	var d *DamagedError
	return errors.As(err, &d)
}

// A RefusedError says why an entry cannot be in any ledger.
type RefusedError struct {
	Line int // that it stands on, where that is another than the one that was given last; else 0
	Err  error
}

// ErrPartial is an export that is not whole, so that a ledger cannot be made of it again.
var ErrPartial = errors.New("only a whole export can be restored")

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// A ConflictError refuses an entry: its index is taken by another one, or is not
// the next.
type ConflictError struct {
	Session string
	Index   uint64     // that the entry has
	Next    uint64     // that the session expects
	Want    chain.Hash // digest of the entry that is there, if one is
	Got     chain.Hash // digest that the refused entry would have had in its place; zeros where values of that one were removed
}

func (e *ConflictError) Error() string {
	if e.Index > e.Next {
		return fmt.Sprintf("session %q: index %d, but the next is %d", e.Session, e.Index, e.Next)
	}
	if e.Got == (chain.Hash{}) {
		return fmt.Sprintf("session %q: index %d is another entry, with digest %x, of which values were removed", e.Session, e.Index, e.Want[:])
	}
	return fmt.Sprintf("session %q: index %d is another entry, with digest %x and not %x", e.Session, e.Index, e.Want[:], e.Got[:])
}

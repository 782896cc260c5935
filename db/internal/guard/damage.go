package guard

import "fmt"

// A DamageError is a file that is not as Badger or the ledger left it, and not as
// a crash leaves it either.
type DamageError struct {
	File string // its path
	What string // what is wrong, and what to do
}

func (e *DamageError) Error() string { return e.File + ": " + e.What }

func damage(file, format string, args ...any) error {
	return &DamageError{File: file, What: fmt.Sprintf(format, args...)}
}

// What to do, the end of a DamageError's text.
const (
	adviseRestore  = "bring the file back from a copy, or use recover"
	adviseManifest = "bring MANIFEST back from a copy, or use recover"
)

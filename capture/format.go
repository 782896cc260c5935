package capture

import (
	"errors"
	"fmt"
	"io"
)

// A Format is a form in which programs leave what agents did.
type Format struct {
	Name  string
	Short string // who writes it
	Maps  string // what becomes what, a line each

	// Sniff tells whether a record can be of the format.
	Sniff func(Value) bool

	// Noise says that lines which are no JSON may stand between: what a program printed.
	Noise bool

	// New returns a reader for one file. It is nil for the formats whose lines are entries already.
	New func(*Conversion) Reader
}

// A Reader makes entries of the records of a file, by way of the conversion that it was made for.
type Reader interface {
	// Read takes the next record and says what became of it: by the sessions of the conversion,
	// and by Context, Repeated or Skip of the record. An error refuses the record, and the next is
	// read all the same.
	Read(*Record) error
	// End is called after the last record.
	End()
}

// A Pauser is a Reader that keeps parts of records for later. Pause is called where a file that is
// followed has no more at the moment.
type Pauser interface{ Pause() }

// Formats are all formats, in the order in which they are tried: of those to which as many
// records of a file can belong, the first is taken.
var Formats = []*Format{
	&entryFormat,
	&toolreplayFormat,
	&permissionFormat,
	&claudeFormat,
	&anthropicFormat,
	&sweAgentFormat,
	&miniSWEAgentFormat,
	&openaiChatFormat,
	&openaiResponsesFormat,
	&codexFormat,
	&mcpFormat,
	&otlpFormat,
	&langsmithFormat,
}

// FormatOf returns the format of a name.
func FormatOf(name string) *Format {
	for _, f := range Formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// An UnknownError is a file that no format fits.
type UnknownError struct {
	Head []byte // how it begins
}

func (e *UnknownError) Error() string {
	if len(e.Head) == 0 {
		return "is empty: nothing tells its format; name it with --format"
	}
	return fmt.Sprintf("no known format: it begins with %q; 'toolledger formats' lists those that are read, --format names one", e.Head)
}

const (
	sniffRecords = 64
	sniffBytes   = 4 << 20
)

// Detect returns the format of a file by its first records, and leaves the file where it was.
func Detect(r io.ReadSeeker) (*Format, error) {
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	votes := make([]int, len(Formats))
	seen, size, lines := 0, 0, 0
	for record, err := range records(r, &lines) {
		if err != nil {
			return nil, err
		}
		if record.err == nil {
			for i, f := range Formats {
				if f.Sniff(record.Value) {
					votes[i]++
				}
			}
		}
		seen, size = seen+1, size+len(record.Value)
		if seen == sniffRecords || size > sniffBytes {
			break
		}
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	best := -1
	for i, n := range votes {
		if n > 0 && (best < 0 || n > votes[best]) {
			best = i
		}
	}
	if best >= 0 {
		return Formats[best], nil
	}
	head := make([]byte, 80)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	return nil, &UnknownError{head[:n]}
}

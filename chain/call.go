package chain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A Call is one line of a transcript. Its texts are fragments of the canonical
// line that it was parsed from.
type Call struct {
	Index    uint64
	Tool     []byte // a string, in quotes
	Args     []byte // an object
	Response []byte // an object

	// Of a sealed line, else nil: strings, in quotes.
	Digest, Prev []byte
}

// A field is one member of a transcript's line.
type field struct {
	name   string
	sealed bool // only in a sealed line
	want   byte // the first byte of its canonical value; 0 stands for an index
	of     func(*Call) *[]byte
}

// The members of a line, in canonical order.
var fields = []field{
	{"args", false, '{', func(c *Call) *[]byte { return &c.Args }},
	{"digest", true, '"', func(c *Call) *[]byte { return &c.Digest }},
	{"index", false, 0, nil},
	{"prev", true, '"', func(c *Call) *[]byte { return &c.Prev }},
	{"response", false, '{', func(c *Call) *[]byte { return &c.Response }},
	{"tool", false, '"', func(c *Call) *[]byte { return &c.Tool }},
}

// ParseCall reads one line of a transcript, or of a sealed one. It must have exactly the
// members of such a line, each of its type.
func ParseCall(line *Text, sealed bool) (Call, error) {
	var c Call
	if line.Bytes[0] != '{' {
		return c, fmt.Errorf("expected an object, found %s", kind(line.Bytes))
	}
	var unexpected, missing []string
	more := 0 // unexpected ones
	next := 0 // in fields
	for name, value := range line.Members() {
		name = inner(name)
		// Both sides are in the same order, so fields that are passed are missing.
		for next < len(fields) && fields[next].name < string(name) {
			missing = appendMissing(missing, fields[next], sealed)
			next++
		}
		if next == len(fields) || fields[next].name != string(name) || fields[next].sealed && !sealed {
			if more++; more <= maxListed {
				unexpected = append(unexpected, elide(string(name)))
			}
			continue
		}
		if err := fields[next].set(&c, value); err != nil {
			return c, err
		}
		next++
	}
	for _, f := range fields[next:] {
		missing = appendMissing(missing, f, sealed)
	}
	if unexpected == nil && missing == nil {
		return c, nil
	}
	if more > maxListed {
		unexpected = append(unexpected, fmt.Sprintf("and %d more", more-maxListed))
	}
	return c, membersError(unexpected, missing)
}

// maxListed is how many unexpected members a message lists.
const maxListed = 10

func appendMissing(missing []string, f field, sealed bool) []string {
	if f.sealed && !sealed {
		return missing
	}
	return append(missing, f.name)
}

func membersError(unexpected, missing []string) error {
	var parts []string
	if unexpected != nil {
		parts = append(parts, "unexpected field(s): "+strings.Join(unexpected, ", "))
	}
	if missing != nil {
		parts = append(parts, "missing field(s): "+strings.Join(missing, ", "))
	}
	return fmt.Errorf("%s", strings.Join(parts, "; "))
}

func (f field) set(c *Call, value []byte) error {
	switch {
	case f.want == 0:
		n, err := strconv.ParseUint(string(value), 10, 64)
		if err != nil {
			return fmt.Errorf("%s: expected an integer from 0, as 0 or 17, found %s", f.name, kind(value))
		}
		c.Index = n
	case value[0] != f.want:
		return fmt.Errorf("%s: expected %s, found %s", f.name, kind([]byte{f.want}), kind(value))
	default:
		*f.of(c) = value
	}
	return nil
}

// kind names a canonical value for a message: its type, and numbers and words
// themselves.
func kind(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f', 'n':
		return string(value)
	}
	if len(value) > 40 {
		return "a number of " + strconv.Itoa(len(value)) + " characters"
	}
	return "the number " + string(value)
}

// A record is what a digest is taken of, in pieces, so that a call of many
// megabytes is not copied. A sealed line has its digest after the second piece.
type record [7][]byte

// record returns the record of c with prev, which is in hexadecimal, as the
// digest of the call before. The piece between args and response is made in buf.
func (c *Call) record(buf, prev []byte) record {
	buf = strconv.AppendUint(append(buf[:0], `,"index":`...), c.Index, 10)
	buf = append(append(append(buf, `,"prev":"`...), prev...), `","response":`...)
	return record{[]byte(`{"args":`), c.Args, buf, c.Response, []byte(`,"tool":`), c.Tool, []byte(`}`)}
}

// isASCII tells whether both spellings of the record are the same.
func (r *record) isASCII() bool {
	for _, piece := range r {
		if bytes.ContainsFunc(piece, func(r rune) bool { return r >= 0x7f }) {
			return false
		}
	}
	return true
}

// SealedSize returns how long the sealed line of c is, its newline not counted.
func (c *Call) SealedSize() int {
	var buf [20]byte
	index := strconv.AppendUint(buf[:0], c.Index, 10)
	return len(`{"args":,"digest":"","index":,"prev":"","response":,"tool":}`) + 2*len(hexDigest{}) + len(c.Args) + len(index) + len(c.Response) + len(c.Tool)
}

package chain

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// noHash says that Ed25519 signs the text itself.
const noHash = crypto.Hash(0)

// A Checkpoint is what a ledger is at one size: whoever has a signed one can tell whether
// all entries below that size are still what they were. Its text is that of C2SP
// tlog-checkpoint:
//
//	ORIGIN
//	SIZE            entries, in decimal
//	BASE64(ROOT)    of the tree over them
type Checkpoint struct {
	Origin string // of the ledger: the name of its key
	Size   uint64
	Root   Hash
}

// Text returns the text that is signed.
func (c *Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// ParseCheckpoint reads the text of a checkpoint. Lines behind the third are allowed by the
// standard, and mean nothing here.
func ParseCheckpoint(text string) (c Checkpoint, err error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) != 4 || lines[0] == "" || lines[3] != "" && (!strings.HasSuffix(lines[3], "\n") || strings.Contains("\n"+lines[3], "\n\n")) {
		return c, errors.New("expected a checkpoint: lines with origin, size and root")
	}
	c.Origin = lines[0]
	if c.Size, err = parseSize(lines[1]); err != nil {
		return c, fmt.Errorf("checkpoint of %s: size: %w", c.Origin, err)
	}
	if c.Root, err = parseHash(lines[2]); err != nil {
		return c, fmt.Errorf("checkpoint of %s: root: %w", c.Origin, err)
	}
	if empty := new(Edge); c.Size == 0 && c.Root != empty.Root() {
		return c, disproved("checkpoint of %s: size 0 has another root than nothing has", c.Origin)
	}
	return c, nil
}

// CheckpointOf returns the checkpoint of a note, of which nobody knows who signed it.
func CheckpointOf(note string) (Checkpoint, error) {
	i := strings.LastIndex(note, "\n\n")
	if i < 0 {
		return Checkpoint{}, errors.New("expected a signed note: a text, an empty line, and lines of signatures")
	}
	return ParseCheckpoint(note[:i+1])
}

// parseSize reads a size, or an index, in its only spelling.
func parseSize(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > math.MaxInt64 || strconv.FormatUint(n, 10) != text {
		return 0, fmt.Errorf("expected an integer from 0 without leading zeros, found %q", elide(text))
	}
	return n, nil
}

// parseHash reads a hash in base64.
func parseHash(text string) (h Hash, err error) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(data) != len(h) {
		return h, fmt.Errorf("expected %d bytes in base64, found %q", len(h), elide(text))
	}
	return Hash(data), nil
}

// SignCheckpoint returns the signed note of a checkpoint. The caller must know that it
// agrees with every checkpoint that s signed before.
func (s *Signer) SignCheckpoint(c *Checkpoint) (string, error) {
	if c.Origin != s.key.name {
		return "", fmt.Errorf("the key is that of %s, the ledger is %s", s.key.name, c.Origin)
	}
	return s.Sign(c.Text())
}

// Cosign adds a witness's signature to a note. The caller must know that the checkpoint
// is signed by its ledger, and that it extends the one that s cosigned before.
func (s *Signer) Cosign(text string, at time.Time) (string, error) {
	if !s.key.OfWitness() {
		return "", fmt.Errorf("the key %s is none of a witness", s.key.ID())
	}
	n, err := note.Open([]byte(text), note.VerifierList())
	var unverified *note.UnverifiedNoteError
	if errors.As(err, &unverified) {
		n, err = unverified.Note, nil
	}
	if err != nil {
		return "", err
	}
	signed, err := note.Sign(n, noteSigner{s, at})
	return string(signed), err
}

// SplitNotes takes a file of checkpoints apart, one signed note after the other. rest
// is what follows the last whole one: nothing, unless the file was cut or damaged.
func SplitNotes(text string) (notes []string, rest string) {
	for text != "" {
		body, signatures, ok := strings.Cut(text, "\n\n")
		if !ok || strings.Contains("\n"+body, "\n"+signatureMark) { // no line of a checkpoint begins so
			return notes, text
		}
		end := len(text) - len(signatures)
		n := 0
		for line := range strings.Lines(signatures) {
			if !strings.HasPrefix(line, signatureMark) || !strings.HasSuffix(line, "\n") {
				break
			}
			n += len(line)
		}
		if n == 0 {
			return notes, text
		}
		notes = append(notes, text[:end+n])
		text = text[end+n:]
	}
	return notes, ""
}

// LastNote returns the last note of a file of checkpoints whose end is given, from anywhere
// on; "" if there is none. What is cut off at its end does not count.
func LastNote(end string) string {
	for text := end; ; {
		at := strings.LastIndex(text, "\n\n"+signatureMark)
		if at < 0 {
			return ""
		}
		before := text[:at+1]
		// The text of the note begins behind the signatures of the one before.
		start := strings.LastIndex(before, "\n"+signatureMark)
		if start >= 0 {
			start += 1 + strings.IndexByte(before[start+1:], '\n') + 1
		} else {
			start = 0
		}
		if notes, _ := SplitNotes(end[start:]); len(notes) > 0 {
			return notes[0]
		}
		text = before
	}
}

// WholeNotes returns how much of the end of a file of checkpoints is whole: all up to the
// last line that is a signature's.
func WholeNotes(end []byte) int {
	n := bytes.LastIndexByte(end, '\n') + 1
	for n > 0 {
		line := bytes.LastIndexByte(end[:n-1], '\n') + 1
		if bytes.HasPrefix(end[line:n], []byte(signatureMark)) {
			break
		}
		n = line
	}
	return n
}

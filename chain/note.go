package chain

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// A note is a text with signatures, as C2SP signed-note has it: the text, an empty line,
// and a line for each signature:
//
//	— NAME BASE64(hash of the key(4) ‖ signature)

// A ProofError is why a note, a checkpoint or a proof does not prove what it should:
// it can be read, and it is wrong.
type ProofError struct{ What string }

func (e *ProofError) Error() string { return e.What }

func disproved(format string, args ...any) error { return &ProofError{fmt.Sprintf(format, args...)} }

// A Note is a text and who signed it.
type Note struct {
	Text    string
	By      []Signature // whose keys are known: these were checked
	Unknown []string    // the keys of the others, as ID spells them
}

// A Signature is one that was checked.
type Signature struct {
	Key  *Key
	Time time.Time // of a witness's, else zero
}

// Sign returns the note of a text, which ends in a newline, with s's signature.
func (s *Signer) Sign(text string) (string, error) {
	if s.key.kind != logKey {
		return "", fmt.Errorf("the key %s is a witness's, which signs no notes of its own", s.key.ID())
	}
	signed, err := note.Sign(&note.Note{Text: text}, noteSigner{s, time.Time{}})
	return string(signed), err
}

// A noteSigner is a Signer as x/mod/sumdb/note wants it.
type noteSigner struct {
	*Signer
	at time.Time // when a witness cosigns
}

func (s noteSigner) Name() string    { return s.key.name }
func (s noteSigner) KeyHash() uint32 { return s.key.hash }

func (s noteSigner) Sign(text []byte) ([]byte, error) {
	if s.key.kind == logKey {
		return s.private.Sign(nil, text, noHash)
	}
	seconds := uint64(s.at.Unix())
	signature, err := s.private.Sign(nil, cosigned(seconds, text), noHash)
	return append(binary.BigEndian.AppendUint64(nil, seconds), signature...), err
}

// OpenNote reads a note, and checks the signatures of the keys that are given: each that
// is there must hold, and one must be there. What the note says may be believed if the
// right keys are among those in By.
func OpenNote(text string, keys ...*Key) (*Note, error) {
	var verifiers []note.Verifier
	byID := map[string]*Key{}
	for _, k := range keys {
		if byID[k.ID()] == nil {
			verifiers, byID[k.ID()] = append(verifiers, k), k
		}
	}
	n, err := note.Open([]byte(text), note.VerifierList(verifiers...))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified):
		return nil, disproved("%s; expected %s", signedBy(unverified.Note.UnverifiedSigs), orKeys(keys))
	case errors.As(err, &invalid):
		return nil, disproved("the signature of %s does not hold: the text was changed, or somebody else signed", keyID(invalid.Name, invalid.Hash))
	case err != nil:
		return nil, fmt.Errorf("expected a signed note: a text, an empty line, and lines of signatures: %w", err)
	}
	opened := &Note{Text: n.Text}
	for _, s := range n.Sigs {
		k := byID[keyID(s.Name, s.Hash)]
		opened.By = append(opened.By, Signature{k, cosignedAt(k, s.Base64)})
	}
	for _, s := range n.UnverifiedSigs {
		opened.Unknown = append(opened.Unknown, keyID(s.Name, s.Hash))
	}
	return opened, signedOnce(text, byID)
}

// signedOnce refuses two signatures of one key, of which only one would be checked.
func signedOnce(text string, keys map[string]*Key) error {
	seen := map[string]bool{}
	for line := range strings.Lines(text[strings.LastIndex(text, "\n\n")+2:]) {
		name, encoded, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), signatureMark), " ")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return err // was read before
		}
		id := keyID(name, binary.BigEndian.Uint32(signature))
		if keys[id] != nil && seen[id] {
			return disproved("%s signed twice: one signature of a key is expected", id)
		}
		seen[id] = true
	}
	return nil
}

// signatureMark begins the line of a signature.
const signatureMark = "— "

// cosignedAt returns when a witness signed.
func cosignedAt(k *Key, encoded string) time.Time {
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !k.OfWitness() {
		return time.Time{}
	}
	return time.Unix(int64(binary.BigEndian.Uint64(signature[4:])), 0).UTC()
}

func signedBy(list []note.Signature) string {
	if len(list) == 0 {
		return "not signed"
	}
	var ids []string
	for _, s := range list {
		ids = append(ids, keyID(s.Name, s.Hash))
	}
	return "signed by " + strings.Join(ids, ", ")
}

func orKeys(keys []*Key) string {
	if len(keys) == 0 {
		return "a key to check it with"
	}
	var ids []string
	for _, k := range keys {
		ids = append(ids, k.ID())
	}
	return strings.Join(ids, " or ")
}

// ControlText is what the key of a ledger signs of an entry that the ledger writes about
// itself: what is removed, or the key that comes next. It is no checkpoint, whose second
// line is a number. args are canonical.
//
//	toolledger control/v1
//	ORIGIN
//	ACTION
//	ARGS
func ControlText(origin, action string, args []byte) string {
	return fmt.Sprintf("toolledger control/v1\n%s\n%s\n%s\n", origin, action, args)
}

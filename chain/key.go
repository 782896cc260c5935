package chain

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Keys are Ed25519, in the spelling of C2SP signed-note; a key file has the private one:
//
//	NAME+HASH+BASE64(kind ‖ public key)                 public
//	PRIVATE+KEY+NAME+HASH+BASE64(kind ‖ seed)           private
//	HASH = SHA-256(NAME ‖ 0A ‖ kind ‖ public key)[:4]   in hexadecimal
//
// The kind says what a key is for, so that a signature of one kind is never taken for
// one of another.
const (
	logKey     = 0x01 // signs notes: the checkpoints of its ledger, and what was removed
	witnessKey = 0x04 // cosigns checkpoints that others signed, with the time
)

// A Key is a public key. It implements note.Verifier of x/mod/sumdb.
type Key struct {
	name   string
	hash   uint32
	kind   byte
	public ed25519.PublicKey
}

// ParseKey reads a public key, as example.com/ledger+6b5c1ea2+AaF6...
func ParseKey(text string) (*Key, error) {
	if strings.HasPrefix(text, "PRIVATE+KEY+") {
		return nil, errors.New("that is a private key, and no longer private where others could see it: make a new one; expected the public key, which keygen prints")
	}
	name, hash, data, err := cutKey(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	k := &Key{name, hash, data[0], data[1:]}
	if got := k.sum(); got != hash {
		return nil, fmt.Errorf("key %s+%08x: its hash should be %08x: it is damaged", name, hash, got)
	}
	return k, nil
}

// cutKey takes a key without PRIVATE+KEY+ apart.
func cutKey(text string) (name string, hash uint32, data []byte, err error) {
	parts := strings.SplitN(text, "+", 3) // BASE64 may have plus signs
	if len(parts) != 3 {
		return "", 0, nil, errors.New("expected a key, NAME+HASH+BASE64 with a hash of 8 hexadecimal digits")
	}
	name = parts[0]
	if err := CheckName(name); err != nil {
		return "", 0, nil, err
	}
	sum, err := strconv.ParseUint(parts[1], 16, 32)
	if err != nil || len(parts[1]) != 8 {
		return "", 0, nil, fmt.Errorf("key %s: expected a hash of 8 hexadecimal digits behind the name", name)
	}
	data, err = base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(data) == 0 {
		return "", 0, nil, fmt.Errorf("key %s: expected base64 behind the hash", name)
	}
	if data[0] != logKey && data[0] != witnessKey {
		return "", 0, nil, fmt.Errorf("key %s is of kind %d: expected Ed25519, which is 1, or 4 of a witness", name, data[0])
	}
	if len(data) != 1+ed25519.PublicKeySize {
		return "", 0, nil, fmt.Errorf("key %s has %d bytes, not %d", name, len(data)-1, ed25519.PublicKeySize)
	}
	return name, uint32(sum), data, nil
}

// CheckName tells whether a name may be that of a key, and so the origin of a ledger.
func CheckName(name string) error {
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r == '+' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return fmt.Errorf("%q is no name of a key: expected no spaces and plus signs, as example.com/ledger/team-a", name)
	}
	return nil
}

// sum is the hash that the spelling of k has.
func (k *Key) sum() uint32 {
	sum := sha256.Sum256(append(append([]byte(k.name+"\n"), k.kind), k.public...))
	return binary.BigEndian.Uint32(sum[:])
}

// String returns the key as [ParseKey] reads it.
func (k *Key) String() string {
	return k.ID() + "+" + base64.StdEncoding.EncodeToString(append([]byte{k.kind}, k.public...))
}

// ID names the key in messages, as example.com/ledger+6b5c1ea2.
func (k *Key) ID() string { return keyID(k.name, k.hash) }

func keyID(name string, hash uint32) string { return fmt.Sprintf("%s+%08x", name, hash) }

// Name is who signs: the origin of a ledger, or a witness.
func (k *Key) Name() string { return k.name }

// KeyHash tells keys of one name apart.
func (k *Key) KeyHash() uint32 { return k.hash }

// OfWitness tells keys that cosign from those that sign.
func (k *Key) OfWitness() bool { return k.kind == witnessKey }

// Verify tells whether a signature is k's of a text.
func (k *Key) Verify(text, signature []byte) bool {
	if k.kind == logKey {
		return ed25519.Verify(k.public, text, signature)
	}
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	return time < 1<<63 && ed25519.Verify(k.public, cosigned(time, text), signature[8:])
}

// cosigned is what a witness signs.
func cosigned(time uint64, text []byte) []byte {
	return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", time), text...)
}

// A Signer is a private key.
type Signer struct {
	key     *Key
	private ed25519.PrivateKey
}

// NewSigner reads the text of a key file.
func NewSigner(text []byte) (*Signer, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "PRIVATE+KEY+")
	if !ok {
		return nil, errors.New("expected a private key, as PRIVATE+KEY+example.com/ledger+6b5c1ea2+...; keygen makes one")
	}
	name, hash, data, err := cutKey(rest)
	if err != nil {
		return nil, err
	}
	s := newSigner(name, data[0], data[1:])
	if s.key.hash != hash {
		return nil, fmt.Errorf("private key %s+%08x: its hash should be %08x: it is damaged", name, hash, s.key.hash)
	}
	return s, nil
}

func newSigner(name string, kind byte, seed []byte) *Signer {
	private := ed25519.NewKeyFromSeed(seed)
	k := &Key{name: name, kind: kind, public: private.Public().(ed25519.PublicKey)}
	k.hash = k.sum()
	return &Signer{k, private}
}

// GenerateKey makes a key, of a witness if it is to cosign what others sign.
func GenerateKey(random io.Reader, name string, witness bool) (*Signer, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, err
	}
	if witness {
		return newSigner(name, witnessKey, seed), nil
	}
	return newSigner(name, logKey, seed), nil
}

// KeyFile returns the text from which [NewSigner] makes s. It is the secret.
func (s *Signer) KeyFile() []byte {
	return fmt.Appendf(nil, "PRIVATE+KEY+%s+%s\n", s.key.ID(), base64.StdEncoding.EncodeToString(append([]byte{s.key.kind}, s.private.Seed()...)))
}

// Key returns the public key.
func (s *Signer) Key() *Key { return s.key }

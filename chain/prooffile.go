package chain

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Proof is the text of C2SP tlog-proof: that an entry is in the ledger of a checkpoint.
//
//	c2sp.org/tlog-proof@v1
//	extra BASE64          a line of evidence: the header, and the openings to be shown
//	index N               place in the ledger, from 0
//	BASE64(hash)...       the proof, as of Prove
//
//	checkpoint            a signed note
//
// Extra is bound to the rest by what it says alone: its digest must be the leaf.
type Proof struct {
	Extra  []byte
	Index  uint64
	Hashes []Hash
	Note   string // of the checkpoint
}

const proofMagic = "c2sp.org/tlog-proof@v1"

// Append appends the text of p.
func (p *Proof) Append(dst []byte) []byte {
	dst = append(dst, proofMagic+"\n"...)
	if p.Extra != nil {
		dst = append(base64.StdEncoding.AppendEncode(append(dst, "extra "...), p.Extra), '\n')
	}
	dst = append(strconv.AppendUint(append(dst, "index "...), p.Index, 10), '\n')
	return append(append(appendHashes(dst, p.Hashes), '\n'), p.Note...)
}

// IsProof tells the text of a proof from others.
func IsProof(text string) bool { return strings.HasPrefix(text, proofMagic+"\n") }

// ParseProof reads the text of a proof.
func ParseProof(text string) (p Proof, err error) {
	lines, ok := strings.CutPrefix(text, proofMagic+"\n")
	if !ok {
		return p, fmt.Errorf("expected %s", proofMagic)
	}
	if extra, ok := strings.CutPrefix(lines, "extra "); ok {
		extra, lines, _ = strings.Cut(extra, "\n")
		if p.Extra, err = base64.StdEncoding.Strict().DecodeString(extra); err != nil {
			return p, fmt.Errorf("extra: expected base64: %w", err)
		}
	}
	p.Index, p.Hashes, p.Note, err = parseHashes("index", lines)
	return p, err
}

// A Growth is the text with which C2SP tlog-witness asks for a cosignature: that the
// ledger of a checkpoint begins with that of an older one, which the reader has.
//
//	old N                 the size that the reader knows
//	BASE64(hash)...       the proof, as of ProveTree
//
//	checkpoint            a signed note
type Growth struct {
	Old    uint64
	Hashes []Hash
	Note   string // of the checkpoint
}

// Append appends the text of g.
func (g *Growth) Append(dst []byte) []byte {
	dst = append(strconv.AppendUint(append(dst, "old "...), g.Old, 10), '\n')
	return append(append(appendHashes(dst, g.Hashes), '\n'), g.Note...)
}

// ParseGrowth reads the text of a growth.
func ParseGrowth(text string) (g Growth, err error) {
	g.Old, g.Hashes, g.Note, err = parseHashes("old", text)
	return g, err
}

func appendHashes(dst []byte, hashes []Hash) []byte {
	for i := range hashes {
		dst = append(base64.StdEncoding.AppendEncode(dst, hashes[i][:]), '\n')
	}
	return dst
}

// maxHashes is how long a proof can be: a tree has at most 63 levels below its root.
const maxHashes = 63

// parseHashes reads a named number, hashes up to an empty line, and the note behind it.
func parseHashes(name, text string) (n uint64, hashes []Hash, note string, err error) {
	head, note, ok := strings.Cut(text, "\n\n")
	if !ok {
		return 0, nil, "", errors.New("expected an empty line, and a checkpoint behind it")
	}
	lines := strings.Split(head, "\n")
	number, ok := strings.CutPrefix(lines[0], name+" ")
	if !ok {
		return 0, nil, "", fmt.Errorf("expected a line '%s N', found %q", name, elide(lines[0]))
	}
	if n, err = parseSize(number); err != nil {
		return 0, nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if len(lines)-1 > maxHashes {
		return 0, nil, "", fmt.Errorf("%d hashes: a proof has at most %d", len(lines)-1, maxHashes)
	}
	for i, line := range lines[1:] {
		h, err := parseHash(line)
		if err != nil {
			return 0, nil, "", fmt.Errorf("hash %d of the proof: %w", i+1, err)
		}
		hashes = append(hashes, h)
	}
	return n, hashes, note, nil
}

// Check checks everything that p says: that the evidence is what was hashed, that its
// digest is in the tree of the checkpoint at its place, and that the checkpoint is to be
// trusted. The error is a *[ProofError] if p can be read and does not prove it.
func (p *Proof) Check(trust *Trust) (*Evidence, *SignedCheckpoint, error) {
	if p.Extra == nil {
		return nil, nil, errors.New("the proof has no evidence (a line 'extra'), so that it says of no entry what it is")
	}
	e, err := readEvidence(p.Extra)
	if err != nil {
		return nil, nil, fmt.Errorf("extra: %w", err)
	}
	c, err := trust.Open(p.Note)
	if err != nil {
		return nil, nil, err
	}
	if broken := e.Check(new(Committer)); broken != nil {
		return nil, nil, disproved("the evidence is not what was hashed: %v", broken)
	}
	if e.Seq != p.Index {
		return nil, nil, disproved("the evidence is of entry %d, the proof of entry %d", e.Seq, p.Index)
	}
	return e, c, Check(p.Hashes, p.Index, e.Digest, &c.Checkpoint)
}

// readEvidence reads a line that must be as [Evidence.Append] writes it.
func readEvidence(line []byte) (*Evidence, error) {
	canonical, err := Canonical(nil, line)
	if err != nil {
		return nil, err
	}
	e, err := ParseEvidence(TextOf(canonical))
	if err == nil && !bytes.Equal(e.Append(nil), line) {
		err = errors.New("the evidence is not in canonical form")
	}
	return &e, err
}

package chain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Trust says which checkpoints to believe: those that one of the logs signed, and
// enough witnesses cosigned. Its text is that of C2SP tlog-policy, of which URLs are read
// and not used:
//
//	log VKEY [URL]
//	witness NAME VKEY [URL]
//	group NAME all|any|COUNT MEMBER...      members are witnesses, or groups above
//	quorum NAME|none
type Trust struct {
	logs      []*Key
	witnesses []*Key
	quorum    quorum
}

// A quorum is a witness, or a group of which need members must have cosigned; its zero
// value asks for none.
type quorum struct {
	name    string
	witness *Key
	need    int
	members []quorum
}

// reached tells whether enough of q are among those who signed.
func (q *quorum) reached(by []Signature) bool {
	if q.witness != nil {
		return slices.ContainsFunc(by, func(s Signature) bool { return s.Key == q.witness })
	}
	n := 0
	for i := range q.members {
		if q.members[i].reached(by) {
			n++
		}
	}
	return n >= q.need
}

// TrustKeys returns the trust in logs alone.
func TrustKeys(logs ...*Key) *Trust {
	t := new(Trust)
	for _, k := range logs {
		if !slices.ContainsFunc(t.logs, k.same) {
			t.logs = append(t.logs, k)
		}
	}
	return t
}

// same tells whether the public keys are one, whatever their names.
func (k *Key) same(other *Key) bool { return bytes.Equal(k.public, other.public) }

// ParseTrust reads the text of a trust file. Its error names the line.
func ParseTrust(text string) (*Trust, error) {
	p := trustParser{Trust: new(Trust), named: map[string]quorum{"none": {}}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if !p.decided {
		return nil, fmt.Errorf("expected a line 'quorum NAME', or 'quorum none'")
	}
	return p.Trust, nil
}

type trustParser struct {
	*Trust
	named   map[string]quorum // witnesses and groups
	decided bool
}

// trustLines are the kinds of lines, with the least and most words that follow.
var trustLines = map[string]struct {
	least, most int
	form        string
	read        func(*trustParser, []string) error
}{
	"log":     {1, 2, "log VKEY [URL]", (*trustParser).log},
	"witness": {2, 3, "witness NAME VKEY [URL]", (*trustParser).witness},
	"group":   {3, 1 << 20, "group NAME all|any|COUNT MEMBER...", (*trustParser).group},
	"quorum":  {1, 1, "quorum NAME, or quorum none", (*trustParser).setQuorum},
}

func (p *trustParser) line(line string) error {
	if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }); i >= 0 {
		return fmt.Errorf("a control character, %q", line[i])
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) == 0 || words[0][0] == '#' {
		return nil
	}
	kind, ok := trustLines[words[0]]
	if !ok {
		return fmt.Errorf("expected log, witness, group or quorum, found %q", elide(words[0]))
	}
	if n := len(words) - 1; n < kind.least || n > kind.most {
		return fmt.Errorf("expected %s", kind.form)
	}
	return kind.read(p, words[1:])
}

func (p *trustParser) log(words []string) error {
	k, err := ParseKey(words[0])
	if err != nil {
		return err
	}
	if k.OfWitness() {
		return fmt.Errorf("%s is the key of a witness, not of a log", k.ID())
	}
	if slices.ContainsFunc(p.logs, k.same) {
		return fmt.Errorf("the key of %s is there already", k.ID())
	}
	p.logs = append(p.logs, k)
	return nil
}

func (p *trustParser) witness(words []string) error {
	k, err := ParseKey(words[1])
	if err != nil {
		return err
	}
	if !k.OfWitness() {
		return fmt.Errorf("%s is no key of a witness: expected one of kind 4", k.ID())
	}
	if slices.ContainsFunc(p.witnesses, k.same) {
		return fmt.Errorf("the key of %s is there already: one witness would count twice", k.ID())
	}
	p.witnesses = append(p.witnesses, k)
	return p.name(quorum{name: words[0], witness: k})
}

func (p *trustParser) name(q quorum) error {
	if _, taken := p.named[q.name]; taken {
		return fmt.Errorf("the name %q is taken", elide(q.name))
	}
	p.named[q.name] = q
	return nil
}

func (p *trustParser) group(words []string) error {
	q := quorum{name: words[0]}
	for _, member := range words[2:] {
		m, ok := p.named[member]
		if !ok || member == "none" {
			return fmt.Errorf("no witness or group %q above", elide(member))
		}
		if slices.ContainsFunc(q.members, func(other quorum) bool { return other.name == member }) {
			return fmt.Errorf("%q is in the group twice", elide(member))
		}
		q.members = append(q.members, m)
	}
	switch words[1] {
	case "all":
		q.need = len(q.members)
	case "any":
		q.need = 1
	default:
		n, err := parseSize(words[1])
		if err != nil || n < 1 || n > uint64(len(q.members)) {
			return fmt.Errorf("expected all, any or a count from 1 to %d, found %q", len(q.members), elide(words[1]))
		}
		q.need = int(n)
	}
	return p.name(q)
}

func (p *trustParser) setQuorum(words []string) error {
	if p.decided {
		return fmt.Errorf("a second line quorum")
	}
	q, ok := p.named[words[0]]
	if !ok {
		return fmt.Errorf("no witness or group %q above", elide(words[0]))
	}
	p.quorum, p.decided = q, true
	return nil
}

// A SignedCheckpoint is a checkpoint that may be believed, with its note.
type SignedCheckpoint struct {
	Checkpoint
	Note     string
	By       *Key        // of the ledger
	Cosigned []Signature // by witnesses that are known
	Unknown  []string    // the keys of the other signatures
}

// Open reads the note of a checkpoint, which a log must have signed whose name is the
// checkpoint's origin, and enough witnesses cosigned. The error is a *[ProofError] if it
// can be read and is not to be believed.
func (t *Trust) Open(text string) (*SignedCheckpoint, error) {
	n, err := OpenNote(text, slices.Concat(t.logs, t.witnesses)...)
	if err != nil {
		return nil, err
	}
	c, err := ParseCheckpoint(n.Text)
	if err != nil {
		return nil, err
	}
	signed := &SignedCheckpoint{Checkpoint: c, Note: text, Unknown: n.Unknown}
	for _, s := range n.By {
		switch {
		case s.Key.OfWitness():
			signed.Cosigned = append(signed.Cosigned, s)
		case s.Key.name == c.Origin:
			signed.By = s.Key
		default:
			return nil, disproved("%s signed a checkpoint of another ledger, %s", s.Key.ID(), c.Origin)
		}
	}
	if signed.By == nil {
		return nil, disproved("the checkpoint of %s is cosigned, and not signed by the ledger: expected %s", c.Origin, orKeys(t.logs))
	}
	if !t.quorum.reached(signed.Cosigned) {
		return nil, disproved("the checkpoint of %s at size %d is cosigned by %d of the witnesses that are trusted: that is not the quorum %q", c.Origin, c.Size, len(signed.Cosigned), t.quorum.name)
	}
	return signed, nil
}

// Logs returns the keys that may sign.
func (t *Trust) Logs() []*Key { return t.logs }

// With returns the trust that takes a key as well, which one of the logs named as the
// next of the same ledger.
func (t *Trust) With(next *Key) *Trust {
	more := *t
	if !slices.ContainsFunc(t.logs, next.same) {
		more.logs = append(slices.Clone(t.logs), next)
	}
	return &more
}

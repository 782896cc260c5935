package db

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// Checkpointing says how a ledger's checkpoints are made. They are what shows that
// entries were cut off its end, or its history written anew: keep them, or some of
// them, where whoever can write the ledger cannot write.
type Checkpointing struct {
	// Signer has the key. Its name is the ledger's origin.
	Signer *Signer
	// Every is the time between checkpoints; 0 makes those that are asked for, alone.
	// With it, Close makes a last one.
	Every time.Duration
	// Out is a file to which each is appended, beside that in the ledger's folder.
	Out string
	// Witnesses cosign each.
	Witnesses []*Witness
	// Failed, if it is not nil, is told why one that was due could not be made. The next
	// is made when it is due; the ledger goes on.
	Failed func(error)
}

// check reports everything that is wrong, and sets the origin that follows.
func (c *Checkpointing) check(o *Options) error {
	var errs []error
	if c.Every < 0 {
		errs = append(errs, fmt.Errorf("Checkpoint.Every of %s: expected no time before now", c.Every))
	}
	if c.Signer == nil && (c.Every != 0 || c.Out != "" || len(c.Witnesses) > 0) {
		errs = append(errs, errors.New("Checkpoint.Every, Out and Witnesses need a Signer"))
	}
	if c.Signer != nil && c.Signer.Key().OfWitness() {
		errs = append(errs, fmt.Errorf("Checkpoint.Signer: %s is the key of a witness", c.Signer.Key().ID()))
	}
	if c.Signer != nil && o.Origin == "" {
		o.Origin = c.Signer.Key().Name()
	}
	if c.Signer != nil && o.Origin != c.Signer.Key().Name() {
		errs = append(errs, fmt.Errorf("origin %q: Checkpoint.Signer has the key of %s", o.Origin, c.Signer.Key().Name()))
	}
	return errors.Join(errs...)
}

// Actions of the ledger's own session.
const (
	createAction     = "create"
	checkpointAction = "checkpoint" // the last entry under each checkpoint
	rotateAction     = "rotate"     // names the key that comes next
)

// maxBehind is how far the clock may go back before a checkpoint is refused, whose time
// would be wrong.
const maxBehind = time.Minute

// Checkpoint signs what the ledger is. It appends an entry to the ledger's own session,
// so that there is one at every time, busy or not, and the last entry under a checkpoint
// tells when it was made; reads what is stored again, from the last checkpoint on; signs;
// has the witnesses cosign; and appends the note to the file checkpoints and to Out.
// The checkpoint is returned beside an error that came behind the signature.
func (l *Ledger) Checkpoint(ctx context.Context) (*chain.SignedCheckpoint, error) {
	l.checkpointing.Lock()
	defer l.checkpointing.Unlock()
	signer := l.opt.Checkpoint.Signer
	if signer == nil {
		return nil, errors.New("db: a checkpoint needs Options.Checkpoint.Signer")
	}
	if l.opt.late() {
		return nil, errors.New("db: a ledger that is loaded has no checkpoint before it is closed")
	}
	last, err := l.lastCheckpoint()
	if err == nil {
		err = l.mayAppendTo(l.opt.Checkpoint.Out, signer.Key().Name())
	}
	if err != nil {
		return nil, err
	}
	seq, err := l.heartbeat(signer)
	if err != nil {
		return nil, err
	}
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	c := &chain.Checkpoint{Origin: signer.Key().Name(), Size: seq + 1}
	if c.Root, err = s.reread(ctx, last, c.Size); err != nil {
		return nil, err
	}
	note, err := signer.sign(c, s)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, w := range l.opt.Checkpoint.Witnesses {
		cosigned, err := w.cosign(note, c, s, l.opt.Now())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		note = cosigned
	}
	for _, path := range []string{l.checkpointsFile(), l.opt.Checkpoint.Out} {
		if path != "" {
			errs = append(errs, guard.AppendDurable(path, []byte(note), chain.WholeNotes))
		}
	}
	return &chain.SignedCheckpoint{Checkpoint: *c, Note: note, By: signer.Key()}, errors.Join(errs...)
}

// mayAppendTo refuses an Out that is not a file of checkpoints, before anything is signed.
// Behind its last whole one may be what a crash left of another, which is cut off.
func (l *Ledger) mayAppendTo(out, origin string) error {
	if out == "" {
		return nil
	}
	info, err := os.Stat(out)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(out))
	}
	if err == nil {
		err = guard.OutsideLedgers(out)
	}
	var end []byte
	if err == nil {
		end, err = guard.ReadEnd(out)
	}
	if err != nil {
		return fmt.Errorf("cannot append checkpoints to %s: %w", out, err)
	}
	torn, first := string(bytes.TrimRight(end[chain.WholeNotes(end):], "\x00")), origin+"\n"
	if !strings.HasPrefix(torn, first) && !strings.HasPrefix(first, torn) {
		return fmt.Errorf("cannot append checkpoints to %s: it has something else at its end; choose another file", out)
	}
	return nil
}

// heartbeat appends the entry that is last under a checkpoint, and makes it durable.
func (l *Ledger) heartbeat(signer *Signer) (seq uint64, err error) {
	id, err := l.signing()
	if err == nil {
		err = maySign(signer.Key(), &id)
	}
	if err != nil {
		return 0, err
	}
	args, err := json.Marshal(map[string]string{"key": signer.Key().String()})
	if err != nil {
		return 0, err
	}
	return l.control(checkpointAction, args, nil)
}

// control appends an entry of the ledger's own session, durably. args are an object;
// signer, if it is not nil, signs them.
func (l *Ledger) control(action string, args []byte, signer *Signer) (seq uint64, err error) {
	l.write.Lock()
	defer l.write.Unlock()
	if err := l.beforeWrite(nil); err != nil {
		return 0, err
	}
	if now, last := l.now(), l.link.state.recorded; last.Time().Sub(now.Time()) > maxBehind {
		return 0, fmt.Errorf("the clock says %s, and the last entry was recorded at %s: the clock went back; set it right first", now, last)
	}
	canonical, err := chain.Canonical(nil, args)
	if err != nil {
		return 0, err
	}
	text, err := controlEntry(action, canonical, signer)
	if err != nil {
		return 0, err
	}
	var b batch
	seq = l.link.state.size
	if err := l.appendOwn(&b, text); err != nil {
		return 0, l.fail(err)
	}
	if err := l.publish(&b); err != nil {
		return 0, err
	}
	if l.opt.NoSync {
		if err := l.store.Sync(); err != nil {
			return 0, l.fail(err)
		}
	}
	return seq, l.syncHeads()
}

// controlEntry returns an entry of the ledger's own session about itself, signed if signer is not
// nil. args are canonical.
func controlEntry(action string, args []byte, signer *Signer) (string, error) {
	text := fmt.Sprintf(`{"session":"%s","action":"%s","args":%s`, OwnSession, action, args)
	if signer != nil {
		note, err := signer.Sign(chain.ControlText(signer.Key().Name(), action, args))
		if err != nil {
			return "", err
		}
		text += `,"metadata":{"note":` + string(chain.Quote(note)) + `}`
	}
	return text + "}", nil
}

// reread returns the root of the first size entries as they stand in the store: those
// behind the last checkpoint are read and hashed again, each against its digest, and so
// are linked and put on top of what that checkpoint covers. So what is signed is what is
// kept, and a checkpoint costs what is new.
func (s *Snapshot) reread(ctx context.Context, last *chain.Checkpoint, size uint64) (root chain.Hash, err error) {
	var edge chain.Edge
	if last != nil && last.Size <= size {
		if edge, err = chain.ReadEdge(last.Size, s); err != nil {
			return root, err
		}
		if edge.Root() != last.Root {
			return root, damaged("the first %d entries have another root than the last checkpoint", last.Size)
		}
	}
	for e, err := range s.Evidence(ctx, Range{From: edge.Size(), To: size}) {
		if err != nil {
			return root, err
		}
		if e.Seq != edge.Size() {
			return root, damaged("entry %d stands where entry %d should", e.Seq, edge.Size())
		}
		edge.Append(e.Digest, nil)
	}
	stored, err := chain.ReadEdge(size, s)
	if err == nil && (edge.Size() != size || stored.Root() != edge.Root()) {
		err = damaged("the %d entries as they are stored have another root than the tree", size)
	}
	return edge.Root(), err
}

// checkpointsFile is where the ledger's own checkpoints are.
func (l *Ledger) checkpointsFile() string { return filepath.Join(l.dir, "checkpoints") }

// lastCheckpoint returns the last of the ledger's own, nil if it has none. Nothing is
// checked of it.
func (l *Ledger) lastCheckpoint() (*chain.Checkpoint, error) {
	note, err := l.lastNote()
	if err != nil || note == "" {
		return nil, err
	}
	c, err := chain.CheckpointOf(note)
	if err != nil {
		return nil, damaged("the last of %s: %v", l.checkpointsFile(), err)
	}
	return &c, nil
}

func (l *Ledger) lastNote() (string, error) {
	end, err := guard.ReadEnd(l.checkpointsFile())
	if err != nil {
		return "", err
	}
	return chain.LastNote(string(end)), nil
}

// repairCheckpoints cuts off a checkpoint that a crash left half written.
func (l *Ledger) repairCheckpoints() error {
	if _, err := os.Stat(l.checkpointsFile()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return guard.AppendDurable(l.checkpointsFile(), nil, chain.WholeNotes)
}

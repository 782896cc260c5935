//go:build powercut

package db

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolledger/chain"
)

func init() {
	children["power write"] = childPowerWrite
	children["power check"] = childPowerCheck
}

// TestPowerCut writes a ledger on a disk that remembers the order of its writes and
// flushes, and then looks at what the disk would have held had the power failed there:
// all that was flushed, and of what was not, none, some or all. Whatever is left opens,
// without a report of damage, and has all that was acknowledged before.
//
// POWERCUT_POINTS sets at how many places, for each of the cases. POWERCUT_KEEP names
// a folder for the images of those that fail. It needs root, FUSE, loop devices and some
// 4 GB where temporary files go.
func TestPowerCut(t *testing.T) {
	needsDisks(t)
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if end, ok := t.Deadline(); ok { // time is needed to unmount
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Minute))
		defer cancel()
	}
	for _, tt := range []struct{ name, fs, key string }{
		{"ext4", "ext4", ""},
		{"ext4 encrypted", "ext4", "0123456789abcdef"},
		{"xfs", "xfs", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath("mkfs." + tt.fs); err != nil {
				t.Skip(err)
			}
			p := powerCut{fs: tt.fs, key: tt.key, dir: t.TempDir(), seed: uint64(time.Now().UnixNano())}
			p.write(t)
			p.cutAll(ctx, t, envCount("POWERCUT_POINTS", 40))
		})
	}
}

type powerCut struct {
	fs, key string
	dir     string
	seed    uint64
	disk    *powerDisk
	start   int // the first record of a writer
}

// write has three processes write a ledger, one after the other: the first closes it,
// the second is killed, the third recovers it.
func (p *powerCut) write(t *testing.T) {
	p.disk = newDisk(t, p.dir)
	t.Run("write", func(t *testing.T) {
		p.disk.mount(t, filepath.Join(p.dir, "fuse"))
		device, detach := attach(t, filepath.Join(p.dir, "fuse", "disk"))
		if err := makeFS(p.fs, device); err != nil {
			t.Fatal(err)
		}
		mnt := filepath.Join(p.dir, "writer")
		unmount, err := mount(t, p.fs, device, mnt)
		if err != nil {
			t.Fatal(err)
		}
		syscall.Sync() // from here on, every cut leaves a file system
		p.start = len(p.disk.records)
		for _, end := range []string{"close", "kill", "close"} {
			p.run(t, end == "kill", "power write", filepath.Join(mnt, "l"), p.key, filepath.Join(p.dir, "fuse", "ack"), end)
		}
		unmount()
		detach()
	})
	if t.Failed() {
		t.FailNow()
	}
	if len(p.disk.records) == 0 {
		t.SkipNow() // write has said why
	}
	count := map[recordOp]int{}
	for _, r := range p.disk.records[p.start:] {
		count[r.op]++
	}
	t.Logf("%d writes, %d flushes, %d acknowledgements, %d MB, seed %d", count[opWrite], count[opFlush], count[opAck], p.disk.end>>20, p.seed)
}

// run runs a child to its end.
func (p *powerCut) run(t *testing.T, killed bool, name string, args ...string) {
	t.Helper()
	c := startChild(t, name, args...)
	timer := time.AfterFunc(3*time.Minute, func() {
		t.Errorf("%s does not end", name)
		c.cmd.Process.Kill()
	})
	defer timer.Stop()
	for c.out.Scan() {
		t.Log(c.out.Text())
	}
	if err := c.cmd.Wait(); (err != nil) != killed || c.stderr.Len() > 0 {
		t.Fatalf("%s ended with %v: %s", name, err, c.stderr)
	}
}

// cuts chooses where the power fails: anywhere, after an acknowledgement, while a
// ledger is opened or closed.
func (p *powerCut) cuts(t *testing.T, n int) []cut {
	t.Helper()
	rng := rand.New(rand.NewPCG(p.seed, 2))
	r := replay{disk: p.disk}
	var acks, phases []cut
	phase := ""
	for i := p.start; i < len(p.disk.records); i++ {
		if x := p.disk.records[i]; x.op == opAck {
			data, err := r.data(x)
			if err != nil {
				t.Fatal(err)
			}
			if data[0] == '#' {
				phase = strings.TrimSpace(string(data[1:]))
				if phase == "open" || phase == "closed" {
					phase = ""
				}
			} else {
				acks = append(acks, cut{at: i + 1, near: "after an acknowledgement"})
			}
		}
		if phase != "" {
			phases = append(phases, cut{at: i + 1, near: phase})
		}
	}
	if len(acks) == 0 || len(phases) == 0 {
		t.Fatalf("%d acknowledgements, %d writes of opening and closing, want some", len(acks), len(phases))
	}
	var cuts []cut
	for i := range n {
		c := cut{at: p.start + rng.IntN(len(p.disk.records)-p.start+1), near: "anywhere"}
		switch i % 3 {
		case 1:
			c = acks[rng.IntN(len(acks))]
		case 2:
			c = phases[rng.IntN(len(phases))]
		}
		c.kept, c.seed = kept(rng.IntN(int(keptKinds))), rng.Uint64()
		cuts = append(cuts, c)
	}
	slices.SortFunc(cuts, func(a, b cut) int { return a.at - b.at })
	return cuts
}

func (p *powerCut) cutAll(ctx context.Context, t *testing.T, n int) {
	r := replay{disk: p.disk, base: createFile(t, filepath.Join(p.dir, "base"))}
	if err := r.base.Truncate(diskSize); err != nil {
		t.Fatal(err)
	}
	for done, c := range p.cuts(t, n) {
		if ctx.Err() != nil {
			t.Fatalf("stopped after %d of %d cuts: %v", done, n, context.Cause(ctx))
		}
		t.Run(fmt.Sprintf("at %d of %d, %s, kept %s", c.at, len(p.disk.records), c.near, c.kept), func(t *testing.T) {
			p.cut(t, &r, c)
		})
	}
}

// cut makes what a cut leaves and has a process look at it.
func (p *powerCut) cut(t *testing.T, r *replay, c cut) {
	image, acked := filepath.Join(p.dir, "cut"), filepath.Join(p.dir, "acked")
	if err := r.image(c, image); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(acked, r.acked.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("POWERCUT_KEEP"); dir != "" {
		defer func() {
			if t.Failed() {
				p.keep(t, r, c, filepath.Join(dir, fmt.Sprintf("%s.%d", p.fs, c.at)))
			}
		}()
	}
	device, detach := attach(t, image)
	mnt := filepath.Join(p.dir, "reader")
	unmount, err := mount(t, p.fs, device, mnt)
	if err != nil {
		t.Fatalf("the file system does not survive the cut: %v", err)
	}
	readFirst := "no"
	if c.seed%4 == 0 {
		readFirst = "yes"
	}
	p.run(t, false, "power check", filepath.Join(mnt, "l"), p.key, acked, readFirst)
	unmount()
	detach()
}

// keep makes the image again, since opening it has changed it, beside what it must hold.
func (p *powerCut) keep(t *testing.T, r *replay, c cut, path string) {
	if err := r.image(c, path+".img"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path+".acked", r.acked.Bytes(), 0o600); err != nil {
		t.Error(err)
	}
}

// powerPacks is how many blocks a writer makes at least: a group of them, and more.
const powerPacks = groupBlocks + 4

// childPowerWrite does all that a ledger is for, at the same time. What is acknowledged
// goes to the file ack, and when the ledger begins to open and to close.
func childPowerWrite(args []string) error {
	dir, key, ack, end := args[0], args[1], args[2], args[3]
	f, err := os.OpenFile(ack, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	os.Stdout = f // where say says it
	fmt.Fprintln(f, "# opening")
	l, err := Open(dir, Options{Key: []byte(key)})
	if err != nil {
		return err
	}
	fmt.Fprintln(f, "# open")
	appended := make(chan error, 4)
	for g := range cap(appended) {
		go func() { appended <- appendForever(l, fmt.Sprint("goroutine ", g)) }()
	}
	var work sync.WaitGroup
	var errs [3]error
	for i, do := range []func(*Ledger) error{appendLarge, loadSome, packSome} {
		work.Go(func() { errs[i] = do(l) })
	}
	work.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if end == "kill" {
		killSelf()
	}
	fmt.Fprintln(f, "# closing")
	if err := l.Close(); err != nil {
		return err
	}
	fmt.Fprintln(f, "# closed")
	for range cap(appended) {
		if err := <-appended; !errors.Is(err, ErrClosed) {
			return err
		}
	}
	return nil
}

// appendLarge appends entries of some 100 KB.
func appendLarge(l *Ledger) error {
	letters := make([]byte, 700_000)
	for i := range letters {
		letters[i] = "0123456789abcdef"[rand.IntN(16)]
	}
	for range 8 {
		text := letters[:100_000+rand.IntN(600_000)]
		receipts, err := l.AppendJSON(context.Background(), fmt.Appendf(nil, `{"session":"large","args":{"text":"%s"}}`, text))
		if err != nil {
			return err
		}
		say(receipts)
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// loadSome loads little, and once more than a block.
func loadSome(l *Ledger) error {
	for _, n := range []uint64{50, blockRows + 900, 500} {
		next, err := count(l, "load")
		if err != nil {
			return err
		}
		var texts [][]byte
		for i := range n {
			texts = append(texts, made("load", next+i))
		}
		if _, err := load(l, texts); err != nil {
			return err
		}
		r, err := l.Entry(context.Background(), "load", next+n-1)
		if err != nil {
			return err
		}
		say([]Receipt{r.receipt()})
		time.Sleep(200 * time.Millisecond)
	}
	return nil
}

// packSome makes short blocks until they make a group, and its runs.
func packSome(l *Ledger) error {
	for range powerPacks {
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		if err := pack(l); err != nil {
			return err
		}
	}
	l.packing.Lock()
	defer l.packing.Unlock()
	return l.groupRuns()
}

// childPowerCheck opens what a cut left, three times, and compares it with what was
// acknowledged.
func childPowerCheck(args []string) error {
	dir, key, readFirst := args[0], args[1], args[3] == "yes"
	acked, err := readAcked(args[2])
	if err != nil {
		return err
	}
	reading, writing := Options{Key: []byte(key), ReadOnly: true}, Options{Key: []byte(key)}
	order := []Options{writing, reading}
	if _, err := os.Stat(filepath.Join(dir, "CURRENT")); err == nil && readFirst {
		order = []Options{reading, writing}
	}
	first, err := leftOver(dir, order[0], acked)
	if err != nil {
		return fmt.Errorf("the first opening, with %d sessions acknowledged: %w", len(acked), err)
	}
	second, err := leftOver(dir, order[1], acked)
	if err != nil {
		return fmt.Errorf("the second opening: %w", err)
	}
	if first != second {
		return fmt.Errorf("the second opening has %s, the first %s", second, first)
	}
	l, err := Open(dir, writing)
	if err != nil {
		return fmt.Errorf("the third opening: %w", err)
	}
	if _, err := l.AppendJSON(context.Background(), []byte(`{"session":"after"}`)); err != nil {
		return err
	}
	if err := errors.Join(pack(l), l.Close()); err != nil {
		return err
	}
	_, err = leftOver(dir, reading, acked)
	return err
}

// readAcked reads what say wrote.
func readAcked(path string) (map[string]map[uint64]chain.Hash, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	acked := map[string]map[uint64]chain.Hash{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if lines.Text()[0] == '#' {
			continue
		}
		var session string
		var index uint64
		var digest []byte
		if _, err := fmt.Sscanf(lines.Text(), "%q %d %x", &session, &index, &digest); err != nil {
			return nil, fmt.Errorf("acknowledged was %q: %w", lines.Text(), err)
		}
		if acked[session] == nil {
			acked[session] = map[uint64]chain.Hash{}
		}
		acked[session][index] = chain.Hash(digest)
	}
	return acked, lines.Err()
}

// leftOver opens a ledger, verifies it, requires what was acknowledged, and returns its
// size and root.
func leftOver(dir string, opt Options, acked map[string]map[uint64]chain.Hash) (string, error) {
	l, err := Open(dir, opt)
	if err != nil {
		return "", err
	}
	rep, err := l.Verify(context.Background(), nil)
	if err != nil {
		return "", err
	}
	if !rep.Intact() {
		return "", fmt.Errorf("Verify = %+v, want an intact ledger", rep)
	}
	if err := hasAcked(l, acked); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d entries, root %x", rep.Entries, rep.Root), l.Close()
}

// hasAcked requires that indexes are without a gap and what was acknowledged is there.
func hasAcked(l *Ledger, acked map[string]map[uint64]chain.Hash) error {
	s, err := l.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	counts, found := map[string]uint64{}, map[string]int{}
	for r, err := range s.Records(context.Background(), Range{}) {
		if err != nil {
			return err
		}
		if r.Index != counts[r.Session] {
			return fmt.Errorf("session %q: index %d, want %d", r.Session, r.Index, counts[r.Session])
		}
		counts[r.Session]++
		if want, ok := acked[r.Session][r.Index]; ok {
			found[r.Session]++
			if want != r.Digest {
				return fmt.Errorf("session %q: index %d has digest %x, acknowledged was %x", r.Session, r.Index, r.Digest, want)
			}
		}
		if strings.HasPrefix(r.Session, "goroutine") || r.Session == "load" {
			if err := isMade(r); err != nil {
				return err
			}
		}
	}
	for session, indexes := range acked {
		if found[session] != len(indexes) {
			return fmt.Errorf("session %q: %d entries were acknowledged, %d of them are there, of %d", session, len(indexes), found[session], counts[session])
		}
		for index := range indexes {
			if index%64 > 0 {
				continue
			}
			if r, err := s.Entry(session, index); err != nil || r.Digest != indexes[index] {
				return fmt.Errorf("session %q: index %d: %w, want the entry that was acknowledged", session, index, err)
			}
		}
	}
	return nil
}

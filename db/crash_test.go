package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// TestCrash kills a process that appends and loads, at random moments, again and
// again. What it acknowledged is there, whole and linked. CRASH_ROUNDS sets how often.
func TestCrash(t *testing.T) {
	rounds := envCount("CRASH_ROUNDS", 5)
	for _, key := range []string{"", "0123456789abcdef"} {
		t.Run("key of "+strconv.Itoa(len(key)), func(t *testing.T) {
			t.Parallel()
			c := crasher{t: t, key: key, rng: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))}
			for n := range (rounds + 1) / 2 {
				if n == 0 || c.size > 60_000 {
					c.dir, c.acked = filepath.Join(t.TempDir(), "l"), map[string]map[uint64]chain.Hash{}
				}
				c.round()
			}
		})
	}
}

type crasher struct {
	t     *testing.T
	rng   *rand.Rand
	dir   string
	key   string
	acked map[string]map[uint64]chain.Hash
	size  uint64
}

func (c *crasher) round() {
	c.t.Helper()
	for range 1 + c.rng.IntN(2) { // killed again before it recovered, perhaps
		p := startChild(c.t, "load", c.dir, c.key)
		within := 1000
		if c.rng.IntN(4) == 0 {
			within = 60 // in opening, perhaps
		}
		timer := time.AfterFunc(time.Duration(c.rng.IntN(within))*time.Millisecond, func() { p.cmd.Process.Kill() })
		for p.out.Scan() {
			c.ack(p.out.Text())
		}
		timer.Stop()
		p.kill()
		if text := p.stderr.String(); text != "" {
			c.t.Fatalf("the writer said: %s", text)
		}
	}
	first := c.check(Options{Key: []byte(c.key)})
	if second := c.check(Options{Key: []byte(c.key), ReadOnly: true}); second != first {
		c.t.Fatalf("the second opening has %s, the first %s", second, first)
	}
}

func (c *crasher) ack(line string) {
	var session string
	var index uint64
	var digest []byte
	if n, err := fmt.Sscanf(line, "%q %d %x", &session, &index, &digest); n != 3 || len(digest) != 32 {
		c.t.Fatalf("the writer wrote %q: %v", line, err)
	}
	if c.acked[session] == nil {
		c.acked[session] = map[uint64]chain.Hash{}
	}
	c.acked[session][index] = chain.Hash(digest)
}

// check opens what is left and compares it with what was acknowledged.
func (c *crasher) check(opt Options) string {
	c.t.Helper()
	l, err := Open(c.dir, opt)
	if err != nil {
		c.t.Fatalf("Open after a kill, with %d sessions acknowledged: %v", len(c.acked), err)
	}
	rep := intact(c.t, l)
	counts := map[string]uint64{}
	s, err := l.Snapshot()
	if err != nil {
		c.t.Fatal(err)
	}
	for r, err := range s.Records(context.Background(), Range{}) {
		if err != nil {
			c.t.Fatal(err)
		}
		if r.Index != counts[r.Session] {
			c.t.Fatalf("session %q: index %d, want %d", r.Session, r.Index, counts[r.Session])
		}
		counts[r.Session]++
		if r.Session == OwnSession {
			continue
		}
		if err := isMade(r); err != nil {
			c.t.Fatal(err)
		}
		if want, ok := c.acked[r.Session][r.Index]; ok && want != r.Digest {
			c.t.Fatalf("session %q: index %d has digest %x, acknowledged was %x", r.Session, r.Index, r.Digest, want)
		}
	}
	s.Close()
	for session, indexes := range c.acked {
		for index, want := range indexes {
			if index >= counts[session] {
				c.t.Fatalf("session %q: index %d was acknowledged, %d entries are there", session, index, counts[session])
			}
			if c.rng.IntN(50) > 0 {
				continue
			}
			if r, err := l.Entry(context.Background(), session, index); err != nil || r.Digest != want {
				c.t.Fatalf("session %q: index %d: %v, want the entry that was acknowledged", session, index, err)
			}
		}
	}
	closeLedger(c.t, l)
	c.size = rep.Entries
	return fmt.Sprintf("%d entries, root %x", rep.Entries, rep.Root)
}

// childLoad appends from several goroutines, loads and packs until it is killed. Each
// acknowledged entry is a line.
func childLoad(args []string) error {
	l, err := Open(args[0], Options{Key: []byte(args[1])})
	if err != nil {
		return err
	}
	errs := make(chan error)
	for g := range 4 {
		go func() { errs <- appendForever(l, fmt.Sprint("goroutine ", g)) }()
	}
	go func() { errs <- loadForever(l) }()
	go func() {
		for {
			time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			if err := pack(l); err != nil {
				errs <- err
			}
		}
	}()
	return <-errs
}

var stdout sync.Mutex

func say(receipts []Receipt) {
	var b strings.Builder
	for _, r := range receipts {
		fmt.Fprintf(&b, "%q %d %x\n", r.Session, r.Index, r.Digest[:])
	}
	stdout.Lock()
	defer stdout.Unlock()
	os.Stdout.WriteString(b.String())
}

// count returns how many entries a session has.
func count(l *Ledger, session string) (uint64, error) {
	h, err := l.Session(context.Background(), session)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return h.Count, nil
}

func appendForever(l *Ledger, session string) error {
	next, err := count(l, session)
	if err != nil {
		return err
	}
	for {
		var texts [][]byte
		for range 1 + rand.IntN(3) {
			texts = append(texts, made(session, next))
			next++
		}
		receipts, err := l.AppendJSON(context.Background(), texts...)
		if err != nil {
			return err
		}
		say(receipts)
	}
}

func loadForever(l *Ledger) error {
	for round := 0; ; round++ {
		n := uint64(1 + rand.IntN(100))
		if rand.IntN(4) == 0 {
			n = 8_192 + rand.Uint64N(2000)
		}
		var texts [][]byte
		next := map[string]uint64{}
		for i := range n {
			session := fmt.Sprint("load ", i%5)
			if _, ok := next[session]; !ok {
				before, err := count(l, session)
				if err != nil {
					return err
				}
				next[session] = before
			}
			texts = append(texts, made(session, next[session]))
			next[session]++
		}
		if _, err := load(l, texts); err != nil {
			return err
		}
		for session, count := range next {
			r, err := l.Entry(context.Background(), session, count-1)
			if err != nil {
				return err
			}
			say([]Receipt{r.receipt()})
		}
	}
}

// packSteps are all the places where a pack may stop.
var packSteps = []string{"pack: before pages", "pack: before switch", "pack: before deletes", "group: before switch"}

var errHook = errors.New("stopped by the test")

// stopAt makes packs stop at a step, the n-th time that one gets there. It is for
// before a ledger is opened, which packs at once.
func stopAt(step string, n int, stop func() error) {
	testHook = func(at string) error {
		if at != step {
			return nil
		}
		if n--; n > 0 {
			return nil
		}
		return stop()
	}
}

// TestPackStopped stops a pack between every two steps, by an error and by a kill.
// What is left has every entry, takes new ones, and finishes the pack.
func TestPackStopped(t *testing.T) {
	for _, step := range packSteps {
		for _, n := range []int{1, 7} {
			if strings.HasPrefix(step, "group") && n > 1 {
				continue // blocks are made one by one, so a group is whole once
			}
			for _, how := range []string{"error", "kill"} {
				t.Run(fmt.Sprintf("%s %d %s", step, n, how), func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "l")
					if how == "kill" {
						p := startChild(t, "pack", dir, step, strconv.Itoa(n))
						for p.out.Scan() {
						}
						if err := p.cmd.Wait(); err == nil || p.stderr.Len() > 0 {
							t.Fatalf("the packer ended with %v, %s, want it killed", err, p.stderr)
						}
					} else {
						stopAt(step, n, func() error { return errHook })
						l := open(t, dir, Options{})
						err := packMany(l)
						if !errors.Is(err, errHook) {
							t.Fatalf("packMany = %v, want it stopped", err)
						}
						if step != "group: before switch" {
							_, err = l.AppendJSON(t.Context(), made("a", 1<<40))
							if !errors.Is(err, errHook) {
								t.Errorf("append after a failed pack = %v, want what failed", err)
							}
						}
						closeLedger(t, l)
						testHook = func(string) error { return nil }
					}
					afterStop(t, dir)
				})
			}
		}
	}
}

// packMany makes short blocks until a group of them is whole and some are left.
func packMany(l *Ledger) error {
	next := map[string]uint64{}
	for block := range groupBlocks + 3 {
		var texts [][]byte
		for i := range 3 + block%3 {
			session := fmt.Sprint("s", (block+i)%4)
			texts = append(texts, made(session, next[session]))
			next[session]++
		}
		if _, err := l.AppendJSON(context.Background(), texts...); err != nil {
			return err
		}
		if err := pack(l); err != nil {
			return err
		}
	}
	l.packing.Lock()
	defer l.packing.Unlock()
	return l.groupRuns()
}

func childPack(args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	stopAt(args[1], n, func() error { killSelf(); return nil })
	l, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	return packMany(l)
}

// afterStop opens a ledger whose pack was stopped and goes on.
func afterStop(t *testing.T, dir string) {
	t.Helper()
	l := open(t, dir, Options{})
	before := intact(t, l)
	told := mustAnswers(t, l)
	eventually(t, l, "the pack to finish", func(st *state) bool {
		return len(st.ranges) == 1 && st.groups == st.blocks/groupBlocks
	})
	intact(t, l)
	sameAnswers(t, mustAnswers(t, l), told)
	next, err := count(l, "s1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.AppendJSON(t.Context(), made("s1", next)); err != nil {
		t.Fatalf("append after a pack that was stopped = %v, want no error", err)
	}
	packNow(t, l)
	closeLedger(t, l)
	l = open(t, dir, Options{ReadOnly: true})
	if rep := intact(t, l); rep.Entries != before.Entries+1 {
		t.Errorf("%d entries, want %d", rep.Entries, before.Entries+1)
	}
	leftovers(t, l)
	closeLedger(t, l)
}

// leftovers requires that nothing of the tail is stored that a block has.
func leftovers(t *testing.T, l *Ledger) {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, space := range []byte{spaceTail, spaceIndex} {
		n := uint64(0)
		opt := badger.DefaultIteratorOptions
		opt.Prefix, opt.PrefetchValues = []byte{space}, false
		it := s.txn.NewIterator(opt)
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		it.Close()
		if want := s.state.size - s.state.packed; n != want {
			t.Errorf("%d keys %c are stored, want the %d of the tail", n, space, want)
		}
	}
}

// TestLoadStopped ends a load at its last step, after its heads were written and
// before anything of it is visible: by a kill. Its heads must never come to count.
func TestLoadStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	p := startChild(t, "leave", dir)
	for p.out.Scan() {
	}
	p.cmd.Wait()
	if p.stderr.Len() > 0 {
		t.Fatal(p.stderr)
	}
	l := open(t, dir, Options{})
	for i := range uint64(300) { // past the seq of the heads that were left
		if _, err := l.AppendJSON(t.Context(), made("other", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := count(l, "loaded"); n != 1 || err != nil {
		t.Errorf("session loaded has %d entries, %v, want 1", n, err)
	}
	if n, err := count(l, "new"); n != 0 || err != nil {
		t.Errorf("session new has %d entries, %v, want 0", n, err)
	}
	if _, err := l.AppendJSON(t.Context(), made("loaded", 1)); err != nil {
		t.Errorf("append of the next entry of session loaded = %v", err)
	}
	closeLedger(t, l)
	l = open(t, dir, Options{})
	intact(t, l)
	closeLedger(t, l)
}

// childLeave loads a little and is killed after all but the state is written.
func childLeave(args []string) error {
	l, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	if _, err := l.AppendJSON(context.Background(), made("loaded", 0)); err != nil {
		return err
	}
	w, err := l.NewLoader(context.Background())
	if err != nil {
		return err
	}
	var texts [][]byte
	for i := range uint64(100) {
		texts = append(texts, made("loaded", i+1), made("new", i))
	}
	if _, err := addAll(w, texts); err != nil {
		return err
	}
	// What Finish does, up to the transaction that makes it visible.
	l.link = l.link.clone()
	var b batch
	for p, m := range w.chunk.entries() {
		if err := l.place(&b, placedRow{&row{*m, *p}, nil}, l.now()); err != nil {
			return err
		}
	}
	if err := l.settle(&b); err != nil {
		return err
	}
	l.link.writeHeads(&b)
	l.link.tiles.write(&b, false)
	if err := b.flush(l.store, true); err != nil {
		return err
	}
	killSelf()
	return nil
}

// TestHugeEntry takes the largest entry there may be through all that happens to one.
func TestHugeEntry(t *testing.T) {
	if testing.Short() {
		t.Skip("an entry of 64 MiB takes its time")
	}
	dir := filepath.Join(t.TempDir(), "l")
	text := huge(chain.MaxEntry)
	l := open(t, dir, Options{})
	if _, err := l.AppendJSON(t.Context(), huge(chain.MaxEntry+1)); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("append of 64 MiB and a byte = %v, want the limit", err)
	}
	if _, err := l.AppendJSON(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	intact(t, l)
	closeLedger(t, l)
	for _, step := range packSteps[:3] {
		p := startChild(t, "huge", dir, step)
		for p.out.Scan() {
		}
		p.cmd.Wait()
		if p.stderr.Len() > 0 {
			t.Fatal(p.stderr)
		}
		l = open(t, dir, Options{})
		eventually(t, l, "the pack to finish", func(st *state) bool { return len(st.ranges) == 1 })
		hasHuge(t, l, text)
		closeLedger(t, l)
	}
	l = open(t, dir, Options{})
	if n, err := load(l, [][]byte{text}); n != 1 || err != nil {
		t.Errorf("load of 64 MiB = %d, %v, want no error", n, err)
	}
	packNow(t, l)
	intact(t, l)
	closeLedger(t, l)
}

func hasHuge(t *testing.T, l *Ledger, text []byte) {
	t.Helper()
	intact(t, l)
	r, err := l.Entry(t.Context(), "huge", 0)
	if err != nil {
		t.Fatal(err)
	}
	want, err := chain.Canonical(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	r.Members[chain.Index], r.Members[chain.Recorded], r.Members[chain.At] = nil, nil, nil
	if string(r.JSON()) != string(want) {
		t.Error("the entry of 64 MiB is another one")
	}
}

// huge makes an entry of n bytes that does not get smaller.
func huge(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	text := []byte(`{"args":{"`)
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for len(text) < 1<<20 {
		text = append(text, letters[rng.IntN(64)])
	}
	text = append(text, `":"`...)
	const rest = `"},"session":"huge"}`
	for len(text) < n-len(rest) {
		text = append(text, letters[rng.IntN(64)])
	}
	return append(text, rest...)
}

// childHuge packs and is killed at a step.
func childHuge(args []string) error {
	stopAt(args[1], 1, func() error { killSelf(); return nil })
	l, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	if next, err := count(l, "small"); err != nil {
		return err
	} else if _, err := l.AppendJSON(context.Background(), made("small", next)); err != nil {
		return err
	}
	return pack(l)
}

package db

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolledger/chain"
)

// A subject is a small ledger that is damaged in every way, and what it must answer.
type subject struct {
	name string
	dir  string
	key  string
	want golden
	head []byte // a digest that stands where the heads of sessions do
	file []file
}

// A file is what a ledger's file has up to its last byte that is not zero.
type file struct {
	path string // in the ledger
	data []byte
	size int
}

// A golden is all that a ledger answers, for another process to compare with.
type golden struct {
	Entries  []goldenEntry
	Sessions []string // heads
	Note     string   // a checkpoint, from elsewhere, to hold it against, if there is one
	Key      string   // that signed it
}

type goldenEntry struct {
	Session string
	Index   uint64
	Told    string
}

// A damage is something that is done to one file of a ledger.
type damage struct {
	file, kind, detail string
	do                 func(f *file) (deleted bool) // to a copy
	reading            bool                         // how the ledger is opened then
}

// What comes of a damage: the same answers, or an error that says what happened. The
// last two must not be.
const (
	identical = "identical"
	reported  = "reported"
	crashed   = "crash, then reported"
	wrong     = "WRONG"
	bad       = "BAD"
)

// TestFaults damages a ledger file by file and asks it everything, in a process that
// may crash. FAULT_SAMPLES multiplies how many places of a file are damaged.
func TestFaults(t *testing.T) {
	samples := envCount("FAULT_SAMPLES", 1)
	if testing.Short() {
		samples = 0
	}
	table := newFaultTable()
	for _, name := range []string{"closed", "encrypted", "killed"} {
		s := makeSubject(t, name)
		s.read(t)
		s.suffer(t, s.damages(samples), table)
	}
	t.Log(table)
	if os.Getenv("FAULT_TEXTS") != "" {
		t.Log(table.said())
	}
}

// suffer does all damages, each to a copy, and asks what is left.
func (s *subject) suffer(t *testing.T, damages []damage, table *faultTable) {
	t.Helper()
	var workers sync.WaitGroup
	jobs := make(chan damage)
	for range 2 {
		workers.Go(func() { s.work(t, jobs, table) })
	}
	for _, d := range damages {
		jobs <- d
	}
	close(jobs)
	workers.Wait()
}

func makeSubject(t *testing.T, name string) *subject {
	t.Helper()
	s := &subject{name: name, dir: filepath.Join(t.TempDir(), "l")}
	if name == "encrypted" {
		s.key = "0123456789abcdef"
	}
	l := open(t, s.dir, Options{Key: []byte(s.key)})
	if err := packMany(l); err != nil {
		t.Fatal(err)
	}
	next := map[string]uint64{}
	more := func(session string) []byte {
		if _, ok := next[session]; !ok {
			next[session], _ = count(l, session)
		}
		next[session]++
		return made(session, next[session]-1)
	}
	for block := range 2 {
		var texts [][]byte
		for i := range 300 {
			texts = append(texts, more(fmt.Sprint("s", (block+i)%9)))
		}
		if _, err := l.AppendJSON(t.Context(), texts...); err != nil {
			t.Fatal(err)
		}
		if block == 0 {
			packNow(t, l)
		}
	}
	if name == "encrypted" { // an entry in parts
		text := noise("args", rand.New(rand.NewPCG(1, 1)), 600_000)
		if _, err := l.AppendJSON(t.Context(), []byte(`{"session":"parts",`+text+`}`)); err != nil {
			t.Fatal(err)
		}
	}
	intact(t, l)
	s.want = goldenOf(t, l)
	h, err := l.Session(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	s.head = h.Digest[:]
	if name == "killed" {
		// What a killed process wrote is in the system's cache, so a copy of its
		// files while it waits is the same.
		to := filepath.Join(t.TempDir(), "l")
		if err := copyTree(to, s.dir); err != nil {
			t.Fatal(err)
		}
		s.dir = to
	}
	closeLedger(t, l)
	return s
}

func goldenOf(t *testing.T, l *Ledger) (g golden) {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for r, err := range s.Records(t.Context(), Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		g.Entries = append(g.Entries, goldenEntry{r.Session, r.Index, told(r)})
	}
	for h, err := range s.Sessions() {
		if err != nil {
			t.Fatal(err)
		}
		g.Sessions = append(g.Sessions, fmt.Sprintf("%+v", *h))
	}
	return g
}

// read reads the files of s.
func (s *subject) read(t *testing.T) {
	t.Helper()
	err := filepath.Walk(s.dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		f := file{size: int(info.Size())}
		f.path, _ = filepath.Rel(s.dir, path)
		if f.data, err = os.ReadFile(path); err != nil {
			return err
		}
		f.data = bytes.TrimRight(f.data, "\x00")
		s.file = append(s.file, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// damages returns what is to be done to each file.
func (s *subject) damages(samples int) (all []damage) {
	rng := rand.New(rand.NewPCG(uint64(samples), uint64(len(s.name))))
	for i := range s.file {
		f := &s.file[i]
		flips := places(rng, len(f.data), 20*samples+3)
		// Keys have no checksum of their own: some are hit on purpose.
		if at := bytes.Index(f.data, s.head); at > 0 && filepath.Ext(f.path) == ".sst" {
			for range 40 * samples {
				flips = append(flips, max(0, at-500+rng.IntN(1400)))
			}
		}
		for _, d := range f.damages(rng, flips, samples) {
			d.file, d.reading = f.path, s.name != "killed" && len(all)%2 == 0
			all = append(all, d)
		}
	}
	return all
}

func (f *file) damages(rng *rand.Rand, flips []int, samples int) (all []damage) {
	for _, at := range flips {
		all = append(all, flip(at, at%8))
	}
	for _, n := range lengths(rng, f, 2*samples) {
		all = append(all, damage{kind: "truncate", detail: fmt.Sprintf("to %d of %d", n, f.size), do: func(f *file) bool {
			f.data, f.size = f.data[:min(n, len(f.data))], n
			return false
		}})
	}
	pages := map[int]bool{}
	for _, at := range places(rng, len(f.data), 6*samples+2) {
		from := at &^ 4095
		if pages[from] {
			continue
		}
		pages[from] = true
		all = append(all, damage{kind: "zero", detail: fmt.Sprint("page at ", from), do: func(f *file) bool {
			clear(f.data[from:min(from+4096, len(f.data))])
			return false
		}})
	}
	gone := damage{kind: "delete", do: func(*file) bool { return true }}
	return append(all, gone, gone) // open both ways
}

func flip(at, bit int) damage {
	return damage{kind: "flip", detail: fmt.Sprintf("bit %d at %d", bit, at), do: func(f *file) bool { f.data[at] ^= 1 << bit; return false }}
}

// copy makes a copy of s with one damage.
func (s *subject) copy(to string, d *damage) error {
	if err := os.MkdirAll(filepath.Join(to, "badger.1"), 0o700); err != nil {
		return err
	}
	for _, f := range s.file {
		path := filepath.Join(to, f.path)
		if f.path == d.file {
			f.data = slices.Clone(f.data)
			if d.do(&f) {
				continue
			}
		}
		if err := errors.Join(os.WriteFile(path, f.data, 0o600), os.Truncate(path, int64(f.size))); err != nil {
			return err
		}
	}
	return nil
}

// places returns n offsets below end: all, or most of them at random.
func places(rng *rand.Rand, end, n int) []int {
	at := map[int]bool{}
	for i := 0; end <= n && i < end; i++ {
		at[i] = true
	}
	for len(at) < min(n, end) {
		i := rng.IntN(end)
		if rng.IntN(3) == 0 {
			i = end - 1 - rng.IntN(min(end, 4096)) // where indexes and sums are
		}
		at[i] = true
	}
	return slices.Sorted(maps.Keys(at))
}

func lengths(rng *rand.Rand, f *file, n int) []int {
	if f.size == 0 {
		return nil
	}
	at := map[int]bool{0: true, len(f.data) / 2: true, f.size - 1: true}
	for range n {
		at[rng.IntN(f.size)] = true
	}
	return slices.Sorted(maps.Keys(at))
}

// work does damages one after the other, each to a copy.
func (s *subject) work(t *testing.T, todo <-chan damage, table *faultTable) {
	tmp := t.TempDir()
	want := filepath.Join(tmp, "want")
	text, err := json.Marshal(s.want)
	if err == nil {
		err = os.WriteFile(want, text, 0o600)
	}
	if err != nil {
		t.Error(err)
		return
	}
	a := &asker{t: t, args: []string{want, s.key}}
	for d := range todo {
		dir := filepath.Join(tmp, "l")
		if err := s.copy(dir, &d); err != nil {
			t.Error(err)
			continue
		}
		outcome, text := a.ask(dir, d.reading)
		if outcome == "crash" {
			again, what := a.ask(dir, d.reading)
			if again == reported {
				outcome, text = crashed, text+"; then: "+what
			} else {
				outcome, text = bad, "crash: "+text+"; then "+again+": "+what
			}
		}
		table.add(s.name, &d, outcome, text)
		if outcome == wrong || outcome == bad {
			t.Errorf("%s: %s: %s %s (reading: %v): %s: %s", s.name, d.file, d.kind, d.detail, d.reading, outcome, text)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
	a.end()
}

// An asker has a process that asks ledgers everything, a new one when one crashed.
type asker struct {
	t    *testing.T
	args []string
	c    *child
}

func (a *asker) end() {
	if a.c != nil {
		a.c.kill()
	}
	a.c = nil
}

func (a *asker) ask(dir string, reading bool) (outcome, text string) {
	if a.c == nil {
		a.c = startChild(a.t, "ask", a.args...)
	}
	fmt.Fprintf(a.c.in, "%v %s\n", reading, dir)
	hangs := time.AfterFunc(20*time.Second, func() { a.c.cmd.Process.Signal(syscall.SIGQUIT) }) // which tells where it hangs
	if a.c.out.Scan() && hangs.Stop() {
		outcome, text, _ = strings.Cut(a.c.out.Text(), "\t")
		return outcome, text
	}
	if !hangs.Stop() {
		a.c.cmd.Wait()
		text = ours(a.c.stderr.String())
		a.end()
		return bad, "it hangs: " + text
	}
	a.c.cmd.Wait()
	text = ours(a.c.stderr.String())
	a.end()
	return "crash", text
}

// ours returns why a process ended, and the functions of this module that were running.
func ours(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, _, isCall := strings.Cut(strings.TrimPrefix(line, "toolledger/"), "(0x")
		switch {
		case strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "SIG"):
			lines = append(lines, line)
		case isCall && strings.HasPrefix(line, "toolledger/"):
			lines = append(lines, name)
		}
	}
	return strings.Join(lines[:min(len(lines), 12)], " | ")
}

// childAsk asks the ledgers that its standard input names.
func childAsk(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var want golden
	if err := json.Unmarshal(text, &want); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		reading, dir, _ := strings.Cut(in.Text(), " ")
		q := &question{want: &want}
		q.all(dir, Options{ReadOnly: reading == "true", Key: []byte(args[1])})
		outcome, text := q.outcome()
		fmt.Printf("%s\t%s\n", outcome, strings.ReplaceAll(text, "\n", " | "))
	}
	return in.Err()
}

// A question is all that can be asked of a ledger, and what came of it.
type question struct {
	want    *golden
	damaged bool // opening said that something is missing
	errs    []string
	wrong   []string
	slow    []string
}

func (q *question) outcome() (string, string) {
	switch {
	case len(q.wrong) > 0:
		return wrong, fmt.Sprintf("%d times: %s (errors: %.200q)", len(q.wrong), q.wrong[0], q.errs)
	case len(q.slow) > 0:
		return bad, "it hangs: " + q.slow[0]
	case len(q.errs) > 0:
		return reported, q.errs[0]
	}
	return identical, ""
}

// err notes an error; true if there is none.
func (q *question) err(what string, err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		q.slow = append(q.slow, what)
	} else if err != nil {
		q.errs = append(q.errs, what+": "+err.Error())
	}
	return err == nil
}

func (q *question) not(format string, args ...any) {
	q.wrong = append(q.wrong, fmt.Sprintf(format, args...))
}

func (q *question) all(dir string, opt Options) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	l, err := Open(dir, opt)
	q.err("open", err)
	if l == nil {
		return
	}
	q.damaged = isDamaged(err)
	q.asks(ctx, l, opt)
	q.err("close", l.Close()) // not deferred: a panic shall end the process
}

func (q *question) asks(ctx context.Context, l *Ledger, opt Options) {
	s, err := l.Snapshot()
	if !q.err("snapshot", err) {
		return
	}
	q.records(ctx, s)
	q.entries(s)
	q.sessions(s)
	rep, err := s.Verify(ctx, nil)
	if q.err("verify", err) && !rep.Intact() {
		q.errs = append(q.errs, fmt.Sprintf("verify: %+v", *rep))
	}
	if q.want.Note != "" {
		q.signed(s)
	}
	s.Close()
	if opt.ReadOnly {
		return
	}
	session := q.want.Entries[len(q.want.Entries)/2].Session
	receipts, err := l.AppendJSON(ctx, fmt.Appendf(nil, `{"session":%q}`, session))
	if q.err("append", err) && (receipts[0].Seq != uint64(len(q.want.Entries)) || receipts[0].Index != q.count(session)) {
		q.not("append returned %+v", receipts[0])
	}
}

// signed holds the ledger against the checkpoint.
func (q *question) signed(s *Snapshot) {
	key, err := chain.ParseKey(q.want.Key)
	if !q.err("key", err) {
		return
	}
	rep, err := s.VerifySigned(chain.TrustKeys(key), []string{q.want.Note}, "")
	if q.err("verify with a checkpoint", err) && len(rep.Against) > 0 {
		q.errs = append(q.errs, fmt.Sprintf("verify with a checkpoint: %+v", rep.Against))
	}
}

func (q *question) count(session string) (n uint64) {
	for i := range q.want.Entries {
		if q.want.Entries[i].Session == session {
			n++
		}
	}
	return n
}

func (q *question) records(ctx context.Context, s *Snapshot) {
	n := 0
	for r, err := range s.Records(ctx, Range{}) {
		if !q.err("records", err) {
			return
		}
		// The first asking, which crashed, may have appended one more.
		extra := q.damaged && n == len(q.want.Entries) && r.Session == q.want.Entries[len(q.want.Entries)/2].Session
		if !extra && (n >= len(q.want.Entries) || told(r) != q.want.Entries[n].Told) {
			q.not("record %d is %.100s", n, told(r))
		}
		n++
	}
	if n != len(q.want.Entries) && !q.damaged {
		q.not("%d records of %d", n, len(q.want.Entries))
	}
}

func (q *question) entries(s *Snapshot) {
	for _, e := range q.want.Entries {
		r, err := s.Entry(e.Session, e.Index)
		switch what := fmt.Sprintf("entry %q %d", e.Session, e.Index); {
		case errors.Is(err, ErrNotFound) && !q.damaged:
			q.not("%s: %v", what, err)
		case err == nil && told(r) != e.Told:
			q.not("%s is %.100s", what, told(r))
		default:
			q.err(what, err)
		}
	}
}

func (q *question) sessions(s *Snapshot) {
	n := 0
	for h, err := range s.Sessions() {
		if !q.err("sessions", err) {
			return
		}
		if q.damaged { // it may end earlier
			continue
		}
		if n >= len(q.want.Sessions) || fmt.Sprintf("%+v", *h) != q.want.Sessions[n] {
			q.not("head %d is %+v", n, *h)
		}
		n++
	}
	if n != len(q.want.Sessions) && !q.damaged {
		q.not("%d sessions of %d", n, len(q.want.Sessions))
	}
}

// A faultTable counts what came of each kind of damage to each kind of file.
type faultTable struct {
	mu     sync.Mutex
	counts map[[3]string]map[string]int // guarded by mu
	texts  map[string]map[string]int    // guarded by mu: what was said, by outcome and file
}

func newFaultTable() *faultTable {
	return &faultTable{counts: map[[3]string]map[string]int{}, texts: map[string]map[string]int{}}
}

// outcomes returns how often each came of any damage.
func (f *faultTable) outcomes() map[string]int {
	sum := map[string]int{}
	for _, row := range f.counts {
		for outcome, n := range row {
			sum[outcome] += n
		}
	}
	return sum
}

func (f *faultTable) add(subject string, d *damage, outcome, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := filepath.Base(d.file)
	if ext := filepath.Ext(file); ext == ".sst" || ext == ".mem" || ext == ".vlog" {
		file = "*" + ext
	}
	row := [3]string{subject, file, d.kind}
	if f.counts[row] == nil {
		f.counts[row] = map[string]int{}
	}
	f.counts[row][outcome]++
	said := outcome + " " + strings.Join(row[:], " ")
	if f.texts[said] == nil {
		f.texts[said] = map[string]int{}
	}
	f.texts[said][text]++
}

func (f *faultTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %-12s %-9s %9s %9s %9s %6s %4s\n", "ledger", "file", "damage", identical, reported, "crash", "wrong", "bad")
	for _, row := range slices.SortedFunc(maps.Keys(f.counts), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		n := f.counts[row]
		fmt.Fprintf(&b, "%-10s %-12s %-9s %9d %9d %9d %6d %4d\n", row[0], row[1], row[2], n[identical], n[reported], n[crashed], n[wrong], n[bad])
	}
	return b.String()
}

// said lists what was said, for somebody who wants to know whether it helps.
func (f *faultTable) said() string {
	var b strings.Builder
	for _, of := range slices.Sorted(maps.Keys(f.texts)) {
		fmt.Fprintln(&b, of)
		for _, text := range slices.Sorted(maps.Keys(f.texts[of])) {
			fmt.Fprintf(&b, "%8d %.400s\n", f.texts[of][text], text)
		}
	}
	return b.String()
}

// TestLostHead: a session whose head the store has lost is damaged, and neither empty
// nor new.
func TestLostHead(t *testing.T) {
	for _, session := range []string{"s1", "tail"} {
		l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
		if err := packMany(l); err != nil {
			t.Fatal(err)
		}
		if _, err := l.AppendJSON(t.Context(), made("tail", 0), made("tail", 1)); err != nil {
			t.Fatal(err)
		}
		l.packing.Lock()
		l.write.Lock()
		var b batch
		b.delete(sessionKey(spaceSession, session))
		if err := b.commit(l.store); err != nil {
			t.Fatal(err)
		}
		l.link.forget()
		l.counted = false // as after an opening
		l.write.Unlock()
		l.packing.Unlock()
		if _, err := l.Entry(t.Context(), session, 1); !isDamaged(err) {
			t.Errorf("entry of session %s, whose head is lost = %v, want a DamagedError", session, err)
		}
		if _, err := l.Session(t.Context(), session); !isDamaged(err) {
			t.Errorf("head of session %s, which is lost = %v, want a DamagedError", session, err)
		}
		if r, err := l.AppendJSON(t.Context(), fmt.Appendf(nil, `{"session":%q}`, session)); err == nil {
			t.Errorf("append to session %s, whose head is lost = %+v, want an error", session, r)
		}
		closeLedger(t, l)
	}
}

// TestWrongRun: a run that leads to blocks without the entries is damage wherever it
// is used, and ends no walk as if there were no more.
func TestWrongRun(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	if err := packMany(l); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.findRun("s1", 0)
	s.Close()
	if err != nil || r == nil {
		t.Fatalf("findRun = %v, %v", r, err)
	}
	var b batch
	blocks := r.blocks
	r.blocks = nil
	for i := range blocks { // the number of rows of another block
		r.blocks = append(r.blocks, runBlock{blocks[i].block, blocks[(i+1)%len(blocks)].rows + 1})
	}
	b.set(indexKey(spaceRun, "s1", 0), r.encode(0))
	if err := b.commit(l.store); err != nil {
		t.Fatal(err)
	}
	want, err := count(l, "s1")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i := range want {
		switch r, err := l.Entry(t.Context(), "s1", i); {
		case err == nil:
			if err := isMade(r); err != nil {
				t.Error(err)
			}
		case !isDamaged(err):
			t.Errorf("entry %d by a wrong run = %v, want a DamagedError", i, err)
		default:
			failed++
		}
	}
	if failed == 0 {
		t.Error("every entry was found by a wrong run")
	}
	if s, err = l.Snapshot(); err != nil {
		t.Fatal(err)
	}
	n, since := uint64(0), chain.Time{}
	for _, err = range s.Records(t.Context(), Range{Session: "s1", Since: &since}) {
		if err == nil {
			n++
		}
	}
	if n != want && !isDamaged(err) {
		t.Errorf("a walk by a wrong run has %d of %d records, %v, want all or a DamagedError", n, want, err)
	}
	s.Close()
	if rep, err := l.Verify(t.Context(), nil); err != nil || rep.Intact() {
		t.Errorf("Verify of a wrong run = %+v, %v, want a fault", rep, err)
	}
	closeLedger(t, l)
}

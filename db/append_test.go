package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// TestConcurrent appends to one session from several goroutines.
func TestConcurrent(t *testing.T) {
	const goroutines, each = 8, 1000
	dir := filepath.Join(t.TempDir(), "l")
	l := open(t, dir, Options{})
	var all sync.WaitGroup
	seen := make([]map[uint64]bool, goroutines)
	for g := range goroutines {
		seen[g] = map[uint64]bool{}
		all.Go(func() {
			for i := range each {
				r, err := l.Append(t.Context(), Entry{Session: "one", Tool: fmt.Sprint("g", g), Args: fmt.Appendf(nil, `{"i":%d}`, i)})
				if err != nil || seen[g][r.Index] {
					t.Errorf("append = %+v, %v", r, err)
					return
				}
				seen[g][r.Index] = true
			}
		})
	}
	all.Wait()
	n := 0
	for _, indexes := range seen {
		n += len(indexes)
		for index := range indexes {
			if index >= goroutines*each {
				t.Fatalf("index %d of %d", index, goroutines*each)
			}
		}
	}
	if rep := intact(t, l); n != goroutines*each || rep.Entries != goroutines*each+1 {
		t.Errorf("%d receipts and %d entries, want %d", n, rep.Entries, goroutines*each)
	}
	packNow(t, l)
	closeLedger(t, l)
	l = open(t, dir, Options{ReadOnly: true})
	intact(t, l)
	closeLedger(t, l)
}

// TestConcurrentReaders reads and verifies while others append, load and pack.
func TestConcurrentReaders(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	var writers, readers sync.WaitGroup
	for g := range 3 {
		writers.Go(func() {
			for i := range uint64(150) {
				if _, err := l.AppendJSON(t.Context(), made(fmt.Sprint("s", g), i)); err != nil {
					t.Error(err)
				}
				if i%50 == 20 {
					if err := pack(l); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writers.Go(func() {
		for i := range uint64(20) {
			if _, err := load(l, [][]byte{made("loaded", 2*i), made("loaded", 2*i+1)}); err != nil {
				t.Error(err)
			}
		}
	})
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				if _, err := answers(l); err != nil {
					t.Error(err)
				}
				intact(t, l)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	closeLedger(t, l)
}

// TestAppendCanceled: the context of an append counts while it waits for its place.
func TestAppendCanceled(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, Entry{Session: "a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("append with a context that is over = %v, want its error", err)
	}
	l.write.Lock() // as a load has it
	first := make(chan error, 1)
	go func() { // is taken from the queue, and waits for the lock
		_, err := l.Append(t.Context(), Entry{Session: "first"})
		first <- err
	}()
	for waiting(l) == 0 && len(first) == 0 {
		if time.Sleep(10 * time.Millisecond); waiting(l) == 0 {
			break
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := l.Append(ctx, Entry{Session: "second"})
		second <- err
	}()
	for waiting(l) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("an append that was canceled while it waited = %v, want its context's error", err)
	}
	l.write.Unlock()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if n, err := count(l, "second"); n != 0 || err != nil {
		t.Errorf("the canceled entry is there: %d, %v", n, err)
	}
	intact(t, l)
	closeLedger(t, l)
}

func waiting(l *Ledger) int {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	return len(l.queue.wait)
}

func TestClosed(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	closeLedger(t, l)
	if _, err := l.Append(t.Context(), Entry{Session: "a"}); !errors.Is(err, ErrClosed) {
		t.Errorf("append after Close = %v, want ErrClosed", err)
	}
	if _, err := l.NewLoader(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("NewLoader after Close = %v, want ErrClosed", err)
	}
	if _, err := l.Entry(t.Context(), OwnSession, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("Entry after Close = %v, want ErrClosed", err)
	}
	if _, err := l.Verify(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Verify after Close = %v, want ErrClosed", err)
	}
	if err := l.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("Close after Close = %v, want ErrClosed", err)
	}
}

// TestCloseWhileAppending: an append beside Close is in the ledger, or is refused.
func TestCloseWhileAppending(t *testing.T) {
	for range 10 {
		dir := filepath.Join(t.TempDir(), "l")
		l := open(t, dir, Options{})
		taken := make(chan uint64)
		for g := range 4 {
			go func() {
				for i := uint64(0); ; i++ {
					if _, err := l.AppendJSON(context.Background(), made(fmt.Sprint("s", g), i)); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Errorf("append beside Close = %v, want ErrClosed", err)
						}
						taken <- i
						return
					}
				}
			}()
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		closeLedger(t, l)
		n := uint64(1)
		for range 4 {
			n += <-taken
		}
		l = open(t, dir, Options{})
		if rep := intact(t, l); rep.Entries != n {
			t.Errorf("%d entries, want the %d that were taken", rep.Entries, n)
		}
		closeLedger(t, l)
	}
}

// TestVerifyCanceled: what a canceled verification has under way ends before Close
// takes the files away.
func TestVerifyCanceled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	l := open(t, dir, Options{})
	var texts [][]byte
	for i := range uint64(9000) {
		texts = append(texts, made("a", i))
	}
	if _, err := load(l, texts); err != nil {
		t.Fatal(err)
	}
	closeLedger(t, l)
	for i := range 5 {
		l := open(t, dir, Options{ReadOnly: true})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
		if _, err := l.Verify(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Verify = %v, want its context's error", err)
		}
		if verifying() {
			t.Error("Verify has returned and still reads")
		}
		for verifying() { // or closing crashes the test
			time.Sleep(time.Millisecond)
		}
		closeLedger(t, l)
	}
}

// verifying tells whether a goroutine of a verification runs.
func verifying() bool {
	buf := make([]byte, 1<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), "db.(*verifier).")
}

// TestSameGroup: entries that wait together are as if one came after the other.
func TestSameGroup(t *testing.T) {
	another := withIndex([]byte(`{"session":"a","tool":"another"}`), 0)
	for _, tt := range []struct {
		name     string
		requests [][][]byte
		conflict int // the request that is refused
		count    uint64
	}{
		{"the same again", [][][]byte{{made("a", 0)}, {made("a", 0)}}, -1, 1},
		{"another in its place", [][][]byte{{made("a", 0)}, {another}}, 1, 1},
		{"the next and the same", [][][]byte{{made("a", 0)}, {made("a", 1), made("a", 0)}}, -1, 2},
		{"the next and another", [][][]byte{{made("a", 0)}, {made("a", 1), another}, {made("a", 1)}}, 1, 2},
		{"behind one that is refused", [][][]byte{{made("a", 7)}, {made("a", 0)}}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
			var group []*request
			for _, texts := range tt.requests {
				r := &request{done: make(chan struct{})}
				for _, text := range texts {
					canonical, err := chain.Canonical(nil, text)
					if err == nil {
						err = r.add(chain.TextOf(canonical))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				group = append(group, r)
			}
			l.write.Lock()
			l.commitGroup(group)
			l.write.Unlock()
			for i, r := range group {
				<-r.done
				var c *ConflictError
				if i != tt.conflict && r.err != nil || i == tt.conflict && !errors.As(r.err, &c) {
					t.Errorf("request %d: %v", i, r.err)
				}
			}
			if n, err := count(l, "a"); n != tt.count || err != nil {
				t.Errorf("%d entries, %v, want %d", n, err, tt.count)
			}
			intact(t, l)
			closeLedger(t, l)
		})
	}
}

// TestLargeBatch appends batches that no transaction of the store holds, and goes on.
func TestLargeBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct {
		name    string
		n, size int
	}{
		{"many", 20_000, 0},
		{"many of some size", 3000, 1000},
		{"few large", 6, 600_000},
		{"larger than a range", 3, 5 << 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "l")
			l := open(t, dir, Options{})
			var texts [][]byte
			for range tt.n {
				texts = append(texts, []byte(`{"session":"a",`+noise("args", rng, tt.size)+`}`))
			}
			receipts, err := l.AppendJSON(t.Context(), texts...)
			if err != nil || len(receipts) != tt.n {
				t.Errorf("append of %d entries of %d bytes = %d, %v", tt.n, tt.size, len(receipts), err)
			}
			if _, err := l.AppendJSON(t.Context(), []byte(`{"session":"b"}`)); err != nil {
				t.Errorf("append after it = %v", err)
			}
			intact(t, l)
			closeLedger(t, l)
			l = open(t, dir, Options{})
			intact(t, l)
			closeLedger(t, l)
		})
	}
}

// TestAbortKeepsSeed: a load that is given up leaves the open range as it was.
func TestAbortKeepsSeed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	l := open(t, dir, Options{})
	packNow(t, l) // so that the load and what comes after begin at the same seq
	w, err := l.NewLoader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(blockRows + 1) {
		if _, err := addAll(w, [][]byte{made("loaded", i)}); err != nil {
			t.Fatal(err)
		}
	}
	w.Abort()
	if _, err := l.AppendJSON(t.Context(), made("a", 0)); err != nil {
		t.Fatal(err)
	}
	intact(t, l)
	closeLedger(t, l)
}

// TestTwoWriters: the second is told at once who the first is.
func TestTwoWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	c := startChild(t, "hold", dir)
	if !c.out.Scan() {
		t.Fatal("the first writer did not open: ", c.stderr)
	}
	start := time.Now()
	for _, opt := range []Options{{}, {ReadOnly: true}} {
		_, err := Open(dir, opt)
		var held *guard.HeldError
		if !errors.As(err, &held) || held.PID != c.cmd.Process.Pid || !strings.Contains(err.Error(), fmt.Sprint(held.PID)) {
			t.Errorf("Open beside a writer = %v, want the process %d named", err, c.cmd.Process.Pid)
		}
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %v, want at once", d)
	}
	c.kill()
	l := open(t, dir, Options{})
	intact(t, l)
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("Open twice in one process = %v, want it refused", err)
	}
	closeLedger(t, l)
	one, two := open(t, dir, Options{ReadOnly: true}), open(t, dir, Options{ReadOnly: true})
	intact(t, one)
	intact(t, two)
	closeLedger(t, one)
	closeLedger(t, two)
}

// childHold opens a ledger and keeps it until its standard input ends.
func childHold(args []string) error {
	l, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	if _, err := l.AppendJSON(context.Background(), made("a", 0)); err != nil {
		return err
	}
	fmt.Println("open")
	io.Copy(io.Discard, os.Stdin)
	return l.Close()
}

// TestFullDisk fills a small disk: the ledger refuses in time, lives, and loses
// nothing.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=260m", "none", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted: %s", out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", disk).Run() })
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(disk, "l")
	l := open(t, dir, Options{})
	var taken []Receipt
	fill := func() {
		t.Helper()
		rng := rand.New(rand.NewPCG(uint64(len(taken)), 4))
		for range 1000 {
			text := []byte(`{"session":"a",` + noise("args", rng, rng.IntN(2<<20)) + `}`)
			receipts, err := l.AppendJSON(t.Context(), text)
			if err == nil {
				taken = append(taken, receipts...)
				continue
			}
			if !errors.Is(err, guard.ErrNoSpace) {
				t.Fatalf("append after %d entries = %v, want ErrNoSpace", len(taken), err)
			}
			t.Logf("after %d entries: %v", len(taken), err)
			return
		}
		t.Fatal("the disk does not get full")
	}
	there := func() {
		t.Helper()
		for _, want := range taken {
			if r, err := l.Entry(t.Context(), "a", want.Index); err != nil || r.receipt() != want {
				t.Fatalf("entry %+v: %v", want, err)
			}
		}
		intact(t, l)
	}
	fill()
	if len(taken) == 0 {
		t.Fatal("the disk was full from the start")
	}
	there()
	leave := func(name string) { // little space, whatever flushing has given back
		t.Helper()
		free, err := guard.FreeSpace(dir)
		if err == nil && free > 100<<20 {
			err = os.WriteFile(name, make([]byte, free-100<<20), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	more := filepath.Join(disk, "more")
	leave(more)
	if _, err := load(l, [][]byte{[]byte(`{"session":"a"}`)}); !errors.Is(err, guard.ErrNoSpace) {
		t.Errorf("load on a full disk = %v, want ErrNoSpace", err)
	}
	os.Remove(more)
	closeLedger(t, l)
	filler := filepath.Join(disk, "filler") // closing gives some space back
	leave(filler)
	if refused, err := Open(dir, Options{}); !errors.Is(err, guard.ErrNoSpace) {
		t.Errorf("Open on a full disk = %v, want ErrNoSpace", err)
		refused.Close()
	} else if _, clean, err := guard.ReadClean(dir); !clean {
		t.Errorf("an opening that was refused took the mark of a clean close away: %v", err)
	}
	l = open(t, dir, Options{ReadOnly: true})
	there()
	closeLedger(t, l)
	if err := errors.Join(os.Remove(ballast), os.Remove(filler)); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir, Options{})
	there()
	before := len(taken)
	fill()
	if len(taken) == before {
		t.Error("nothing can be appended after space came back")
	}
	there()
	closeLedger(t, l)
	l = open(t, dir, Options{ReadOnly: true})
	there()
	closeLedger(t, l)
}

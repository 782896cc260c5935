package db

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolledger/chain"
)

// childEnv names what the test binary does in place of the tests: a part of them that
// may end with its process.
const childEnv = "LEDGER_TEST_CHILD"

// children are what a child can be, by name.
var children = map[string]func(args []string) error{
	"load":   childLoad,
	"pack":   childPack,
	"ask":    childAsk,
	"huge":   childHuge,
	"leave":  childLeave,
	"hold":   childHold,
	"remove": childRemove,
}

func TestMain(m *testing.M) {
	name, isChild := os.LookupEnv(childEnv)
	if !isChild {
		os.Exit(m.Run())
	}
	if err := children[name](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A child is a process of the test binary. It is killed when the test ends.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr *strings.Builder
}

func startChild(t testing.TB, name string, args ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], args...), stderr: new(strings.Builder)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+name)
	c.cmd.Stderr = c.stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	t.Cleanup(c.kill)
	return c
}

// kill ends c as kill -9 does and waits for it.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.in.Close()
	c.cmd.Wait()
}

// killSelf ends this process as kill -9 does.
func killSelf() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	panic(fmt.Sprint("still alive: ", err))
}

// envCount returns the number in an environment variable.
func envCount(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func closeLedger(t testing.TB, l *Ledger) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("Close = %v, want no error", err)
	}
}

// intact requires that verification finds nothing.
func intact(t testing.TB, l *Ledger) *Report {
	t.Helper()
	rep, err := l.Verify(context.Background(), nil)
	if err != nil || !rep.Intact() {
		t.Fatalf("Verify = %+v, %v, want an intact ledger", rep, err)
	}
	return rep
}

// pack makes a block of the tail, however short it is.
func pack(l *Ledger) error {
	l.packing.Lock()
	defer l.packing.Unlock()
	l.write.Lock()
	defer l.write.Unlock()
	return l.packTail()
}

func packNow(t testing.TB, l *Ledger) {
	t.Helper()
	if err := pack(l); err != nil {
		t.Fatalf("packTail = %v, want no error", err)
	}
}

// eventually waits until the state of the ledger is as it should become.
func eventually(t testing.TB, l *Ledger, what string, is func(*state) bool) {
	t.Helper()
	for range 2000 {
		s, err := l.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		ok := is(&s.state)
		s.Close()
		if ok {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("waited for %s in vain", what)
}

// load loads texts and returns how many were new.
func load(l *Ledger, texts [][]byte) (int, error) {
	w, err := l.NewLoader(context.Background())
	if err != nil {
		return 0, err
	}
	n, err := addAll(w, texts)
	if err != nil {
		w.Abort()
		return 0, err
	}
	return n, w.Finish("import", `{"by":"test"}`)
}

func addAll(w *Loader, texts [][]byte) (int, error) {
	n := 0
	for _, text := range texts {
		canonical, err := chain.Canonical(nil, text)
		if err != nil {
			return n, err
		}
		in, err := ParseInput(chain.TextOf(canonical))
		if err != nil {
			return n, err
		}
		fresh, err := w.Add(&in)
		if err != nil {
			return n, err
		}
		if fresh {
			n++
		}
	}
	return n, nil
}

// made returns the entry of a session at an index in a history that two processes can
// make alike: all of it follows from its place.
func made(session string, index uint64) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", session, index))
	rng := rand.New(rand.NewPCG(uint64(sum[0])<<8|uint64(sum[1]), index))
	text := make([]byte, rng.IntN(200))
	for i := range text {
		text[i] = byte(sum[i%32]) ^ byte(rng.Uint32())
	}
	return fmt.Appendf(nil, `{"session":%s,"index":%d,"time":"2026-01-02T03:04:05.%09dZ","tool":"t%d","args":{"n":%d,"sum":"%x","text":"%x"}}`,
		chain.Quote(session), index, index%1e9, index%7, index, sum[:4], text)
}

// isMade tells whether r is what made makes of its place.
func isMade(r *Record) error {
	canonical, err := chain.Canonical(nil, made(r.Session, r.Index))
	if err != nil {
		return err
	}
	m, err := chain.ParseEntry(chain.TextOf(canonical))
	if err != nil {
		return err
	}
	m[chain.At] = nil // perhaps not in its one form
	got := r.Members
	got[chain.Recorded], got[chain.At] = nil, nil
	if string(got.Append(nil)) != string(m.Append(nil)) {
		return fmt.Errorf("session %q: index %d is %s, want %s", r.Session, r.Index, got.Append(nil), m.Append(nil))
	}
	return nil
}

// told returns all that a ledger tells of an entry.
func told(r *Record) string {
	return fmt.Sprintf("%q %d %d %s %s %s %s", r.Session, r.Index, r.Seq, r.Recorded, hex.EncodeToString(r.Digest[:]), hex.EncodeToString(r.Prev[:]), r.JSON())
}

// answers returns what a ledger tells of all its entries and sessions: it is the same
// before and after whatever must not change them.
func answers(l *Ledger) (lines []string, err error) {
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for r, err := range s.Records(context.Background(), Range{}) {
		if err != nil {
			return lines, err
		}
		line := told(r)
		again, err := s.Entry(r.Session, r.Index)
		if err != nil {
			return lines, err
		}
		if told(again) != line {
			return lines, fmt.Errorf("an entry is %s, and in a scan %s", told(again), line)
		}
		lines = append(lines, line)
	}
	if uint64(len(lines)) != s.Size() {
		return lines, fmt.Errorf("%d records of %d", len(lines), s.Size())
	}
	for h, err := range s.Sessions() {
		if err != nil {
			return lines, err
		}
		lines = append(lines, fmt.Sprintf("%+v", *h))
	}
	return append(lines, fmt.Sprintf("root %x", s.Root())), nil
}

func mustAnswers(t testing.TB, l *Ledger) []string {
	t.Helper()
	lines, err := answers(l)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func sameAnswers(t testing.TB, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("answer %d is\n%.300s\nwant\n%.300s", i, got[i], want[i])
		}
	}
	t.Fatalf("%d answers, want %d", len(got), len(want))
}

// copyTree copies a ledger's folder. Holes in its files become zeros.
func copyTree(to, from string) error {
	return filepath.Walk(from, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		if info.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return copyHoles(filepath.Join(to, rel), path, info.Size())
	})
}

// copyHoles copies a file up to its last byte that is not zero and leaves the rest a hole.
func copyHoles(to, from string, size int64) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	n := len(data)
	for n > 0 && data[n-1] == 0 {
		n--
	}
	return errors.Join(os.WriteFile(to, data[:n], 0o600), os.Truncate(to, size))
}

package guard

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4/table"
)

// TestKill kills a writer again and again while Badger flushes and compacts. What
// is left always passes, has every acknowledged row, and passes once closed.
// GUARD_ROUNDS sets how often.
func TestKill(t *testing.T) {
	rounds := 4
	if s := os.Getenv("GUARD_ROUNDS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	for _, name := range []string{"plain", "encrypted"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			next, unnamed := 0, 0
			for range rounds {
				if next > 20_000 { // counting takes its time
					dir, next = t.TempDir(), 0
				}
				next = killWriter(t, dir, name, next)
				unnamed += countUnnamed(t, dir)
				if err := CheckStore(dir, Expect{Key: kinds[name].key}); err != nil {
					t.Fatalf("CheckStore after a kill at row %d = %v, want no error", next, err)
				}
				if rand.IntN(3) == 0 {
					continue // killed again before it recovered
				}
				next = recoverStore(t, dir, name, next)
			}
			t.Logf("%d kills left %d tables that MANIFEST does not name", rounds, unnamed)
		})
	}
}

func countUnnamed(t *testing.T, dir string) (n int) {
	t.Helper()
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range glob(t, dir, "*.sst") {
		id, _ := table.ParseFileID(path)
		if _, ok := m.tables[id]; !ok {
			n++
		}
	}
	return n
}

// killWriter lets a child write from a row on, kills it within a short time and
// returns the row after the last that it acknowledged.
func killWriter(t *testing.T, dir, kind string, from int) int {
	t.Helper()
	cmd, out := startChild(t, "write", dir, kind, strconv.Itoa(from))
	if !out.Scan() {
		t.Fatalf("the writer from row %d ended without a commit: %v", from, cmd.Wait())
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, func() { cmd.Process.Kill() })
	defer timer.Stop()
	line := out.Text()
	for out.Scan() {
		line = out.Text()
	}
	cmd.Wait()
	next, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// recoverStore opens a killed store as a ledger does, counts, closes and returns
// how many rows it has.
func recoverStore(t *testing.T, dir, kind string, acknowledged int) int {
	t.Helper()
	k := kinds[kind]
	db := openBadger(t, RecoveryOptions(testOptions(dir, k)))
	n := count(t, db)
	closeBadger(t, db)
	if n < acknowledged {
		t.Fatalf("%d rows after a kill, want the %d acknowledged", n, acknowledged)
	}
	if err := CheckStore(dir, Expect{Key: k.key, Clean: true}); err != nil {
		t.Fatalf("CheckStore after a clean close = %v, want no error", err)
	}
	if err := VerifyTables(t.Context(), dir, k.key); err != nil {
		t.Fatalf("VerifyTables after a clean close = %v, want no error", err)
	}
	if n%20 != 0 {
		t.Fatalf("%d rows after a kill: a part of a commit", n)
	}
	return n
}

// TestCleanClose closes stores with compactions under way.
func TestCleanClose(t *testing.T) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i := range 4 {
				mark, err := MarkTables(dir)
				if err != nil {
					t.Fatal(err)
				}
				fill(t, testOptions(dir, k), i*2000, (i+1)*2000)
				if err := CheckStore(dir, Expect{Key: k.key, Clean: true}); err != nil {
					t.Errorf("CheckStore = %v, want no error", err)
				}
				if err := VerifyTables(t.Context(), dir, k.key); err != nil {
					t.Errorf("VerifyTables = %v, want no error", err)
				}
				if lost, err := LostTables(dir, mark); len(lost) > 0 || err != nil {
					t.Errorf("LostTables = %v, %v, want none", lost, err)
				}
			}
		})
	}
}

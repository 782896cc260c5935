package guard

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// A child is this test binary run again to be killed: "lock DIR", "read DIR" or
// "write DIR KIND FROM". It prints a line once it holds the lock, or for every
// commit the number of the next row.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		if err := child(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func child(args []string) error {
	switch args[0] {
	case "lock", "read":
		if _, err := Lock(args[1], args[0] == "read"); err != nil {
			return err
		}
		fmt.Println("locked")
		_, err := io.Copy(io.Discard, os.Stdin) // until killed, or until the parent ends
		return err
	}
	from, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	log := new(Log)
	db, err := badger.Open(testOptions(args[1], kinds[args[2]]).WithLogger(log))
	if err != nil {
		return err
	}
	for log.Failed() == nil {
		if err := write(db, from, from+20); err != nil {
			return err
		}
		from += 20
		fmt.Println(from)
	}
	return log.Failed()
}

// startChild starts a child and returns its output; it is killed with the test.
func startChild(t *testing.T, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"child"}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// A kind of store: how it is written.
type kind struct {
	key         []byte
	compression options.CompressionType
}

var kinds = map[string]kind{
	"plain":     {},
	"snappy":    {compression: options.Snappy},
	"zstd":      {compression: options.ZSTD},
	"encrypted": {key: []byte("0123456789abcdef"), compression: options.ZSTD},
}

// testOptions make many small tables of few rows, and compactions all the time.
func testOptions(dir string, k kind) badger.Options {
	o := badger.DefaultOptions(dir).WithLogger(nil).WithMetricsEnabled(false).WithDetectConflicts(false).
		WithMemTableSize(256 << 10).WithNumMemtables(2).WithValueThreshold(1 << 10).WithValueLogFileSize(1 << 20).
		WithBaseTableSize(64 << 10).WithBaseLevelSize(256 << 10).
		WithNumLevelZeroTables(2).WithNumLevelZeroTablesStall(4).WithNumCompactors(2).WithCompactL0OnClose(true).
		WithCompression(k.compression).WithBlockCacheSize(4 << 20).WithIndexCacheSize(4 << 20)
	if k.key != nil {
		o = o.WithEncryptionKey(k.key).WithEncryptionKeyRotationDuration(1e9 * 3600)
	}
	return o
}

// flushOnly keeps every flushed table: nothing is compacted.
func flushOnly(o badger.Options) badger.Options { return RecoveryOptions(o) }

func rowKey(i int) []byte { return binary.BigEndian.AppendUint64([]byte("e"), uint64(i)) }

// write commits rows, and the same number of others that are deleted later, so
// that compactions have something to drop.
func write(db *badger.DB, from, to int) error {
	return db.Update(func(tx *badger.Txn) error {
		for i := from; i < to; i++ {
			value := make([]byte, 200)
			for j := range value {
				value[j] = byte(i * (j + 1) >> 3)
			}
			if err := errors.Join(tx.Set(rowKey(i), value), tx.Set(fmt.Appendf(nil, "t%d", i), value[:20])); err != nil {
				return err
			}
			if i >= 1000 {
				if err := tx.Delete(fmt.Appendf(nil, "t%d", i-1000)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// count returns how many rows there are from 0 on without a gap.
func count(t *testing.T, db *badger.DB) (n int) {
	t.Helper()
	err := db.View(func(tx *badger.Txn) error {
		for ; ; n++ {
			if _, err := tx.Get(rowKey(n)); err == badger.ErrKeyNotFound {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func openBadger(t *testing.T, o badger.Options) *badger.DB {
	t.Helper()
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func closeBadger(t *testing.T, db *badger.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// fill writes rows into a store and closes it.
func fill(t *testing.T, o badger.Options, from, to int) {
	t.Helper()
	db := openBadger(t, o)
	for i := from; i < to; i += 20 {
		if err := write(db, i, i+20); err != nil {
			t.Fatal(err)
		}
	}
	closeBadger(t, db)
}

// killed returns a store whose writer was killed: tables, and rows in a log. The
// log of a killed process is in the system's cache, so a copy of the folder of a
// writer that waits is the same.
func killed(t *testing.T, k kind) string {
	t.Helper()
	dir := t.TempDir()
	fill(t, flushOnly(testOptions(dir, k)), 0, 2000)
	db := openBadger(t, flushOnly(testOptions(dir, k)))
	defer db.Close()
	if err := write(db, 2000, 2100); err != nil {
		t.Fatal(err)
	}
	return copyDir(t, dir)
}

// closed returns a store that was closed: several tables, no log.
func closed(t *testing.T, k kind) string {
	t.Helper()
	dir := t.TempDir()
	fill(t, flushOnly(testOptions(dir, k)), 0, 3000)
	return dir
}

func copyDir(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	for _, path := range glob(t, dir, "*") {
		if err := copyFile(filepath.Join(to, filepath.Base(path)), path); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// edit changes the content of a file.
func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func cut(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }

func flip(at func(size int) int) func([]byte) []byte {
	return func(b []byte) []byte { b[at(len(b))] ^= 0x55; return b }
}

// wantDamage requires an error that is or holds a DamageError of this file, whose
// text has these words.
func wantDamage(t *testing.T, err error, file, words string) {
	t.Helper()
	var d *DamageError
	if !errors.As(err, &d) {
		t.Fatalf("error = %v, want a DamageError of %s", err, file)
	}
	if filepath.Base(d.File) != file || !strings.Contains(err.Error(), words) {
		t.Errorf("error = %v, want one of %s with %q", err, file, words)
	}
}

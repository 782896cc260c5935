package guard

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4/options"
)

// A fault is something done to a store's files, and the answer to it.
type fault struct {
	name  string
	kind  string // of kinds, "plain" if empty
	file  string
	do    func(t *testing.T, dir string)
	words string // of the error; empty: it is no error
	clean string // of the error after a clean close, if it differs; "ok": none
}

func remove(names ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		for _, name := range names {
			for _, path := range glob(t, dir, name) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func change(name string, f func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, dir string) { edit(t, filepath.Join(dir, name), f) }
}

func put(name, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func both(f ...func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		for _, f := range f {
			f(t, dir)
		}
	}
}

// records returns where the records of a MANIFEST begin.
func records(b []byte) (at []int) {
	for i := manifestHead; i+8 <= len(b); i += 8 + int(binary.BigEndian.Uint32(b[i:])) {
		at = append(at, i)
	}
	return at
}

func lastRecord(b []byte) int { at := records(b); return at[len(at)-1] }

// zeroRecord turns the last record to zeros that are records themselves.
func zeroRecord(b []byte) []byte {
	at := lastRecord(b)
	return append(b[:at], make([]byte, (len(b)-at+7)/8*8)...)
}

// tornPage adds the begin of a record that ends with the page.
func tornPage(b []byte) []byte {
	rest := pageSize - len(b)
	record := make([]byte, rest)
	binary.BigEndian.PutUint32(record, uint32(rest))
	return append(b, record...)
}

var manifestFaults = []fault{
	{name: "untouched", do: both()},
	{name: "missing", file: "MANIFEST", do: remove("MANIFEST"), words: "is missing"},
	{name: "missing, no tables", file: "MANIFEST", do: remove("MANIFEST", "*.sst"), words: "is missing"},
	{name: "missing, only a log", file: "MANIFEST", do: both(remove("*"), put("00001.mem", "")), words: "is missing"},
	{name: "missing, only KEYREGISTRY", file: "MANIFEST", do: remove("MANIFEST", "*.sst", "*.vlog", "*.mem"), words: "is missing"},
	{name: "short by one byte", file: "MANIFEST", do: change("MANIFEST", cut(1)), words: "ends within a record"},
	{name: "short by half a record", file: "MANIFEST", do: change("MANIFEST", cut(9)), words: "ends within a record"},
	{name: "one byte more", file: "MANIFEST", do: change("MANIFEST", func(b []byte) []byte { return append(b, 0) }), words: "ends within a record"},
	{name: "torn at the end of a page", file: "MANIFEST", do: change("MANIFEST", tornPage), words: "", clean: "ends within a record"},
	{name: "a record zeroed", file: "MANIFEST", do: change("MANIFEST", zeroRecord), words: "zeros"},
	{name: "zeros at its end", file: "MANIFEST", do: change("MANIFEST", func(b []byte) []byte { return append(b, make([]byte, 8)...) }), words: "zeros"},
	{name: "all zeros", file: "MANIFEST", do: change("MANIFEST", func(b []byte) []byte { clear(b); return b }), words: "bad magic"},
	{name: "empty", file: "MANIFEST", do: change("MANIFEST", func([]byte) []byte { return nil }), words: "bad magic"},
	{name: "head only", do: change("MANIFEST", func(b []byte) []byte { return b[:8] }), file: "000001.sst", words: "is not named"},
	{name: "a bit in a record", file: "MANIFEST", do: change("MANIFEST", flip(func(n int) int { return n - 2 })), words: "checksum"},
	{name: "a bit in a length", file: "MANIFEST", do: change("MANIFEST", func(b []byte) []byte { b[lastRecord(b)] ^= 0x40; return b }), words: "cannot be read"},
}

func TestCheckManifest(t *testing.T) { runFaults(t, manifestFaults) }

var tableFaults = []fault{
	{name: "missing", file: "000002.sst", do: remove("000002.sst"), words: "is missing, although MANIFEST names it"},
	{name: "all missing", file: "000001.sst", do: remove("*.sst"), words: "is missing, although MANIFEST names it"},
	{name: "empty", file: "000002.sst", do: put("000002.sst", ""), words: "too short"},
	{name: "three bytes", file: "000002.sst", do: put("000002.sst", "abc"), words: "too short"},
	{name: "short by one byte", file: "000002.sst", do: change("000002.sst", cut(1)), words: ";"},
	{name: "short by half", file: "000002.sst", do: change("000002.sst", func(b []byte) []byte { return b[:len(b)/2] }), words: ";"},
	{name: "longer", file: "000002.sst", do: change("000002.sst", func(b []byte) []byte { return append(b, 0, 0, 0, 0) }), words: "cut short or overwritten"},
	{name: "zeroed end", file: "000002.sst", do: change("000002.sst", func(b []byte) []byte { clear(b[len(b)-100:]); return b }), words: "cut short or overwritten"},
	{name: "a bit in the index", file: "000002.sst", do: change("000002.sst", flip(func(n int) int { return n - 60 })), words: "does not match its checksum"},
	{name: "a folder", file: "000002.sst", do: both(remove("000002.sst"), func(t *testing.T, dir string) { os.Mkdir(filepath.Join(dir, "000002.sst"), 0o700) }), words: "not a file that Badger made"},
	{name: "a link to nothing", file: "000002.sst", do: both(remove("000002.sst"), func(t *testing.T, dir string) { os.Symlink("x", filepath.Join(dir, "000002.sst")) }), words: "not a file that Badger made"},
	{name: "another spelling", file: "2.sst", do: put("2.sst", ""), words: "not a file that Badger made"},
	{name: "a negative number", file: "-1.sst", do: put("-1.sst", ""), words: "not a file that Badger made"},
	{name: "no number", file: "old.sst", do: put("old.sst", ""), words: "not a file that Badger made"},
	{name: "unnamed, just made", file: "000900.sst", do: put("000900.sst", ""), clean: "is not named"},
	{name: "unnamed, not yet synced", file: "000900.sst", do: put("000900.sst", string(make([]byte, 5000))), clean: "is not named"},
	{name: "its record cut off", file: "000004.sst", do: change("MANIFEST", func(b []byte) []byte { return b[:lastRecord(b)] }), words: "is not named"},
	{name: "its record cut off, encrypted", kind: "encrypted", file: "000004.sst", do: change("MANIFEST", func(b []byte) []byte { return b[:lastRecord(b)] }), words: "is not named"},
	{name: "two records cut off", file: "000003.sst", do: change("MANIFEST", func(b []byte) []byte { return b[:records(b)[3]] }), words: "is not named"},
}

func TestCheckTables(t *testing.T) { runFaults(t, tableFaults) }

var otherFaults = []fault{
	{name: "registry missing", file: "KEYREGISTRY", do: remove("KEYREGISTRY"), words: "is missing"},
	{name: "registry missing, encrypted", kind: "encrypted", file: "KEYREGISTRY", do: remove("KEYREGISTRY"), words: "is missing"},
	{name: "registry empty", file: "KEYREGISTRY", do: put("KEYREGISTRY", ""), words: "cut short"},
	{name: "registry without keys", kind: "encrypted", file: "000001.sst", do: change("KEYREGISTRY", func(b []byte) []byte { return b[:28] }), words: "needs data key 1"},
	{name: "registry ends after a length", kind: "encrypted", file: "KEYREGISTRY", do: change("KEYREGISTRY", func(b []byte) []byte { return b[:36] }), words: "no whole record at byte 28"},
	{name: "registry short by one byte", kind: "encrypted", file: "KEYREGISTRY", do: change("KEYREGISTRY", cut(1)), words: "no whole record"},
	{name: "registry, a bit in a key", kind: "encrypted", file: "KEYREGISTRY", do: change("KEYREGISTRY", flip(func(n int) int { return n - 4 })), words: "no whole record"},
	{name: "registry with zeros", file: "KEYREGISTRY", do: change("KEYREGISTRY", func(b []byte) []byte { return append(b, make([]byte, 16)...) }), words: "no whole record at byte 28"},
	{name: "empty log", file: "00077.mem", do: put("00077.mem", ""), clean: "was not there"},
	{name: "empty value log", file: "000077.vlog", do: put("000077.vlog", ""), clean: "shorter than the head"},
	{name: "short log", file: "00077.mem", do: put("00077.mem", "123"), words: "shorter than the head", clean: "was not there"},
	{name: "zeroed log", file: "00077.mem", do: put("00077.mem", string(make([]byte, 5000))), clean: "was not there"},
	{name: "short value log", file: "000077.vlog", do: put("000077.vlog", "123"), words: "shorter than the head"},
	{name: "log of another store", file: "00077.mem", do: put("00077.mem", "\x00\x00\x00\x00\x00\x00\x00\x09123456789012"), words: "needs data key 9", clean: "was not there"},
	{name: "log without number", file: "x.mem", do: put("x.mem", ""), words: "not a file that Badger made"},
	{name: "value log, another spelling", file: "1.vlog", do: put("1.vlog", ""), words: "not a file that Badger made"},
	{name: "other files", do: both(put("LOCK", "123\n"), put("MANIFEST-REWRITE", "x"), put("notes.txt", ""))},
}

func TestCheckOthers(t *testing.T) { runFaults(t, otherFaults) }

// runFaults does every fault to a store that was closed, and lets it pass as
// after a clean close and as after a crash.
func runFaults(t *testing.T, faults []fault) {
	stores := map[string]string{"plain": closed(t, kinds["plain"]), "encrypted": closed(t, kinds["encrypted"])}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if f.kind == "" {
				f.kind = "plain"
			}
			dir := copyDir(t, stores[f.kind])
			f.do(t, dir)
			if f.clean == "" {
				f.clean = f.words
			}
			key := kinds[f.kind].key
			wantFault(t, CheckStore(dir, Expect{Key: key, Clean: true}), f.file, f.clean)
			wantFault(t, CheckStore(dir, Expect{Key: key}), f.file, f.words)
			if f.words != "" {
				return
			}
			db := openBadger(t, testOptions(dir, kinds[f.kind]))
			defer closeBadger(t, db)
			if n := count(t, db); n != 3000 {
				t.Errorf("%d rows, want 3000", n)
			}
		})
	}
}

func wantFault(t *testing.T, err error, file, words string) {
	t.Helper()
	if words != "" {
		wantDamage(t, err, file, words)
	} else if err != nil {
		t.Errorf("CheckStore = %v, want no error", err)
	}
}

func TestCheckKey(t *testing.T) {
	stores := map[string]string{"plain": closed(t, kinds["plain"]), "encrypted": closed(t, kinds["encrypted"])}
	for _, tt := range []struct {
		kind, key string
		ok        bool
	}{
		{"plain", "", true},
		{"plain", "0123456789abcdef", false},
		{"encrypted", "", false},
		{"encrypted", "0123456789abcdef", true},
		{"encrypted", "0123456789abcdeF", false},
		{"encrypted", "short", false},
	} {
		err := CheckStore(stores[tt.kind], Expect{Key: []byte(tt.key)})
		if tt.ok && err != nil || !tt.ok && !errors.Is(err, ErrKey) {
			t.Errorf("CheckStore of %s with key %q = %v", tt.kind, tt.key, err)
		}
	}
}

// TestCheckNew: an empty folder is a new store, and what a crash in Badger's first
// open leaves is one, too.
func TestCheckNew(t *testing.T) {
	dir := t.TempDir()
	wantFault(t, CheckStore(dir, Expect{}), "", "")
	wantFault(t, CheckStore(dir, Expect{Clean: true}), "MANIFEST", "is missing")
	wantFault(t, CheckStore(filepath.Join(dir, "none"), Expect{}), "none", "is missing")
	put("MANIFEST-REWRITE", "Bdg")(t, dir)
	wantFault(t, CheckStore(dir, Expect{}), "", "")
	put("MANIFEST", "Bdgr\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00")(t, dir)
	wantFault(t, CheckStore(dir, Expect{}), "", "")
	wantFault(t, CheckStore(dir, Expect{Clean: true}), "KEYREGISTRY", "is missing")
	fill(t, testOptions(dir, kinds["plain"]), 0, 20)
	wantFault(t, CheckStore(dir, Expect{Clean: true}), "", "")
}

// TestCheckFlush goes through what a kill leaves of a flush: a table beside the
// log it was made from, before MANIFEST names it. Without that log, or with it
// damaged, the table has the only copy.
func TestCheckFlush(t *testing.T) {
	for _, name := range []string{"plain", "encrypted"} {
		k := kinds[name]
		dir := killed(t, k)
		wantFault(t, CheckStore(dir, Expect{Key: k.key}), "", "")
		flushed := copyDir(t, dir)
		closeBadger(t, openBadger(t, flushOnly(testOptions(flushed, k))))
		tables := glob(t, flushed, "*.sst")
		made := tables[len(tables)-1]
		if err := copyFile(filepath.Join(dir, filepath.Base(made)), made); err != nil {
			t.Fatal(err)
		}
		wantFault(t, CheckStore(dir, Expect{Key: k.key}), "", "")
		again := copyDir(t, dir)
		change(filepath.Base(glob(t, again, "*.mem")[0]), func(b []byte) []byte { clear(b[20:30]); return b })(t, again)
		wantFault(t, CheckStore(again, Expect{Key: k.key}), filepath.Base(made), "nowhere else")
		remove("*.mem")(t, dir)
		wantFault(t, CheckStore(dir, Expect{Key: k.key}), filepath.Base(made), "nowhere else")
	}
}

// TestCheckCompaction goes through what a kill leaves of a compaction: its tables
// before MANIFEST names them, its sources after MANIFEST forgot them.
func TestCheckCompaction(t *testing.T) {
	for _, name := range []string{"plain", "encrypted"} {
		k := kinds[name]
		before := closed(t, k)
		after := copyDir(t, before)
		closeBadger(t, openBadger(t, testOptions(after, k)))
		made, gone := 0, 0
		one, two := copyDir(t, before), copyDir(t, after)
		for _, pair := range []struct {
			from, to string
			n        *int
		}{{after, one, &made}, {before, two, &gone}} {
			for _, path := range glob(t, pair.from, "*.sst") {
				if copyFile(filepath.Join(pair.to, filepath.Base(path)), path) == nil {
					*pair.n++
				}
			}
			wantFault(t, CheckStore(pair.to, Expect{Key: k.key}), "", "")
			if err := CheckStore(pair.to, Expect{Key: k.key, Clean: true}); err == nil {
				t.Error("CheckStore after a clean close = nil, want an error")
			}
		}
		if made == 0 || gone == 0 {
			t.Errorf("%d tables made, %d gone: there was no compaction", made, gone)
		}
	}
}

// TestCheckRotated has many data keys. A wrong one yields an error or a number,
// never a panic.
func TestCheckRotated(t *testing.T) {
	k := kinds["encrypted"]
	dir := t.TempDir()
	for i := range 3 {
		fill(t, flushOnly(testOptions(dir, k)).WithEncryptionKeyRotationDuration(1), i*800, i*800+800)
	}
	wantFault(t, CheckStore(dir, Expect{Key: k.key, Clean: true}), "", "")
	wantFault(t, CheckStore(dir, Expect{Key: k.key}), "", "")
	ks, err := readRegistry(dir, k.key)
	if err != nil || len(ks) < 4 {
		t.Fatalf("readRegistry = %d keys, %v, want several", len(ks), err)
	}
	for _, path := range glob(t, dir, "*.sst") {
		for _, key := range ks {
			var bad errTable
			if _, err := readTable(path, key, options.None); err != nil && !errors.As(err, &bad) {
				t.Errorf("readTable(%s) = %v", path, err)
			}
		}
	}
}

package db

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"toolledger/chain"
)

// told says what a report has.
func (r *SessionReport) told() string {
	out := fmt.Sprintf("%s: %d", r.Session, r.Entries)
	if r.Broken != nil {
		out += " " + r.Broken.Error()
	}
	if r.Fault != nil {
		out += fmt.Sprintf(" fault %d at %d", r.Fault.Invariant, r.Fault.Index)
	}
	if r.Unread {
		out += " unread"
	}
	return out
}

// sessionLedger has sessions s0 to s3 in blocks and, with the session "tail", in the tail.
func sessionLedger(t *testing.T) *Ledger {
	t.Helper()
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	if err := packMany(l); err != nil {
		t.Fatal(err)
	}
	next, err := count(l, "s1")
	if err == nil {
		_, err = l.AppendJSON(t.Context(), made("s1", next), made("tail", 0), made("s1", next+1), made("tail", 1), made("tail", 2))
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// change writes a value as if it had been so, checksum and all.
func change(t *testing.T, l *Ledger, key []byte, how func(value []byte) []byte) {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	value, err := get(s.txn, key)
	if err != nil {
		t.Fatal(err)
	}
	changed := how(bytes.Clone(value))
	s.Close()
	var b batch
	if changed == nil {
		b.delete(key)
	} else {
		b.set(key, changed)
	}
	if err := b.commit(l.store); err != nil {
		t.Fatal(err)
	}
}

// seqOf returns where an entry is in the ledger.
func seqOf(t *testing.T, l *Ledger, session string, index uint64) uint64 {
	t.Helper()
	r, err := l.Entry(t.Context(), session, index)
	if err != nil {
		t.Fatal(err)
	}
	return r.Seq
}

// TestVerifySession changes what is stored of one entry, and holds what is found of each
// session against what the whole ledger's verification finds of it.
func TestVerifySession(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, l *Ledger)
		want   map[string]string // of sessions that are not intact, behind the number of entries
	}{
		{"nothing", func(*testing.T, *Ledger) {}, nil},
		{"an entry of the tail", func(t *testing.T, l *Ledger) {
			change(t, l, tailKey(seqOf(t, l, "tail", 1), 0), func(v []byte) []byte {
				at := bytes.Index(v, []byte(`"tool":"t1"`))
				v[at+9] = '2'
				binary.BigEndian.PutUint32(v[64:], uint32(len(v)-tailHead))
				return v
			})
		}, map[string]string{"tail": "broken 1"}},
		{"the digest of an entry in a block", func(t *testing.T, l *Ledger) {
			seq := seqOf(t, l, "s2", 3)
			change(t, l, tileKey(0, seq>>chain.TileHeight), func(v []byte) []byte {
				v[int(seq%chain.TileWidth)*hashSize] ^= 1
				return v
			})
		}, map[string]string{"s2": "broken 3"}},
		{"the head of a session", func(t *testing.T, l *Ledger) {
			change(t, l, sessionKey(spaceSession, "s3"), func(v []byte) []byte {
				v[8] ^= 1
				return v
			})
		}, map[string]string{"s3": "fault 5"}},
		{"two heads", func(t *testing.T, l *Ledger) {
			for _, s := range []string{"s0", "s3"} {
				change(t, l, sessionKey(spaceSession, s), func(v []byte) []byte {
					v[8] ^= 1
					return v
				})
			}
		}, map[string]string{"s0": "fault 5", "s3": "fault 5"}},
		{"the last entry is gone", func(t *testing.T, l *Ledger) {
			change(t, l, tailKey(seqOf(t, l, "tail", 2), 0), func([]byte) []byte { return nil })
		}, map[string]string{"tail": "unread 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := sessionLedger(t)
			defer closeLedger(t, l)
			c.change(t, l)
			s, err := l.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			whole, err := s.Verify(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Intact() != (c.want == nil) {
				t.Errorf("Verify = %+v", whole)
			}
			n := 0
			for of := range whole.EachSession() {
				n++
				got, err := s.VerifySession(context.Background(), of.Session)
				if err != nil {
					t.Fatal(err)
				}
				if got.told() != of.told() && !of.Unread {
					t.Errorf("alone: %s\nof the ledger: %s", got.told(), of.told())
				}
				kind := ""
				switch {
				case got.Unread:
					kind = fmt.Sprint("unread ", got.Fault.Index)
				case got.Broken != nil:
					kind = fmt.Sprint("broken ", got.Broken.Index)
				case got.Fault != nil:
					kind = fmt.Sprint("fault ", got.Fault.Invariant)
				}
				if kind != c.want[of.Session] || got.Intact() != (kind == "") {
					t.Errorf("%s is %q (%s), want %q", of.Session, kind, got.told(), c.want[of.Session])
				}
			}
			if n != 6 { // with the ledger's own
				t.Errorf("%d sessions", n)
			}
			if _, err := s.VerifySession(context.Background(), "nobody"); !errors.Is(err, ErrNotFound) {
				t.Errorf("a session that is not there: %v", err)
			}
		})
	}
}

// TestVerifySessionExpected: expected is the digest that the changed entry has, found the one
// that is stored.
func TestVerifySessionExpected(t *testing.T) {
	l := sessionLedger(t)
	defer closeLedger(t, l)
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var e *chain.Evidence
	for e, err = range s.Evidence(t.Context(), Range{Session: "tail"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Entry.IndexNumber() == 1 {
			break
		}
	}
	s.Close()
	change(t, l, tailKey(e.Seq, 0), func(v []byte) []byte {
		v[bytes.Index(v, []byte(`"tool":"t1"`))+9] = '2'
		return v
	})
	e.Entry[chain.Tool] = []byte(`"t2"`)
	want := e.Check(new(chain.Committer))
	if s, err = l.Snapshot(); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.VerifySession(t.Context(), "tail"); err != nil || r.Broken == nil || *r.Broken != *want || r.Entries != 3 {
		t.Errorf("VerifySession = %+v, %v, want broken %v", r, err, want)
	}
}

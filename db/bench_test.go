package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"toolledger/db/internal/guard"
)

// benchEntry is a call of about 700 bytes.
func benchEntry(session string, i int) Entry {
	return Entry{Session: session, ID: fmt.Sprintf("ledger_%d", i), Agent: "agent_03", Role: "role_3", Tool: "search", Authorization: "ALLOWED", Policy: "policy_3", Phase: "COMPLETE",
		Args: fmt.Appendf(nil, `{"path":"docs/%d/clean.md","query":"order refund and knowledge","limit":17}`, i%500), Request: fmt.Sprintf("req_%016x", i), Environment: "production",
		Reasoning: "the user asked for state of ticket order refund and knowledge base says it is solved so I should send mail search docs install config error retry deploy restart service check disk clean log file",
		Context:   []string{"ticket order refund and knowledge base says it is solved so I"}, Response: []byte(`{"status":"success","data":{"hits":17,"text":"weather calendar meeting contact phone address"}}`)}
}

// BenchmarkAppend appends durably: one goroutine, and 64. Beside each stands a bare
// loop of synced Badger transactions of the keys and values that a commit of as many
// entries writes, and before both the disk's own speed.
func BenchmarkAppend(b *testing.B) {
	b.Run("fdatasync", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "f"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			f.WriteAt(make([]byte, 4096), 0)
			f.Sync()
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds()), "median-us")
	})
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("goroutines=%d/ledger", n), func(b *testing.B) { benchAppend(b, n) })
		b.Run(fmt.Sprintf("goroutines=%d/bare", n), func(b *testing.B) { benchBare(b, n) })
	}
}

func benchAppend(b *testing.B, goroutines int) {
	l := open(b, filepath.Join(b.TempDir(), "l"), Options{})
	defer l.Close()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := g; i < b.N; i += goroutines {
				if _, err := l.Append(context.Background(), benchEntry(fmt.Sprint("s", g), i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/float64(l.commits.n), "entries/commit")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

// benchBare commits what commits of that many entries write.
func benchBare(b *testing.B, entries int) {
	dir := b.TempDir()
	l := open(b, filepath.Join(dir, "l"), Options{})
	var batches []batch
	recordBatches = func(written *batch) {
		batches = append(batches, batch{slices.Clone(written.keys), slices.Clone(written.values), written.size})
	}
	for range 20 {
		list := make([]Entry, entries)
		for i := range list {
			list[i] = benchEntry(fmt.Sprint("s", i), i)
		}
		if _, err := l.AppendBatch(context.Background(), list); err != nil {
			b.Fatal(err)
		}
	}
	recordBatches = nil
	l.Close()
	store, err := badger.Open((&Options{}).badgerOptions(filepath.Join(dir, "bare"), new(guard.Log)))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	b.ResetTimer()
	for i := 0; i < b.N; i += entries {
		from := &batches[i/entries%len(batches)]
		c := batch{from.keys, from.values, from.size}
		if err := c.commit(store); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

// BenchmarkSession reads all of the first session that is not the ledger's own, of the
// ledger that the variable LEDGER names.
func BenchmarkSession(b *testing.B) {
	dir := os.Getenv("LEDGER")
	if dir == "" {
		b.Skip("LEDGER names no ledger")
	}
	ctx := context.Background()
	l := open(b, dir, Options{ReadOnly: true})
	defer l.Close()
	s, err := l.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	session := ""
	for r, err := range s.Records(ctx, Range{}) {
		if err != nil {
			b.Fatal(err)
		}
		if session = r.Session; session[0] != OwnSession[0] {
			break
		}
	}
	entries := 0
	for b.Loop() {
		for _, err := range s.Records(ctx, Range{Session: session}) {
			if err != nil {
				b.Fatal(err)
			}
			entries++
		}
	}
	b.ReportMetric(float64(entries)/float64(b.N), "entries")
}

// BenchmarkSessions reads all of another session each time, of the ledger that the variable
// LEDGER names.
func BenchmarkSessions(b *testing.B) {
	dir := os.Getenv("LEDGER")
	if dir == "" {
		b.Skip("LEDGER names no ledger")
	}
	l := open(b, dir, Options{ReadOnly: true})
	defer l.Close()
	s, err := l.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var sessions []string
	for h, err := range s.Sessions() {
		if err != nil {
			b.Fatal(err)
		}
		sessions = append(sessions, h.Session)
	}
	entries, i := 0, 0
	for b.Loop() {
		for _, err := range s.Records(context.Background(), Range{Session: sessions[(i*37)%len(sessions)]}) {
			if err != nil {
				b.Fatal(err)
			}
			entries++
		}
		i++
	}
	b.ReportMetric(float64(entries)/float64(b.N), "entries")
}

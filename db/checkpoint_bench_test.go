package db

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"toolledger/chain"
)

// BenchmarkProof proves entries of a ledger of 1,000,000, checks such a proof, and makes a
// checkpoint whenever 1,000 entries are new.
func BenchmarkProof(b *testing.B) {
	n := envCount("PROOF_ENTRIES", 1_000_000)
	dir := b.TempDir()
	signer := newSigner(b, filepath.Join(dir, "key"))
	opt := Options{Load: true, Checkpoint: Checkpointing{Signer: signer}}
	l := open(b, filepath.Join(dir, "l"), opt)
	w, err := l.NewLoader(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		e := benchEntry(fmt.Sprint("s", i%1000), i)
		m, err := e.members()
		if err == nil {
			var in Input
			if in, err = ParseInput(chain.TextOf(m.Append(nil))); err == nil {
				_, err = w.Add(&in)
			}
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish("import", "{}"); err != nil {
		b.Fatal(err)
	}
	closeLedger(b, l)
	opt.Load = false
	l = open(b, filepath.Join(dir, "l"), opt)
	defer l.Close()
	b.Run("checkpoint/first", func(b *testing.B) { // of all: the others find it done
		for b.Loop() {
			checkpoint(b, l)
		}
	})
	b.Run("checkpoint/1000 new", func(b *testing.B) {
		from := uint64(0)
		for b.Loop() {
			b.StopTimer()
			loadMore(b, l, from, 1000)
			from += 1000
			b.StartTimer()
			checkpoint(b, l)
		}
	})
	var p *chain.Proof
	b.Run("prove", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s, err := l.Snapshot()
			if err != nil {
				b.Fatal(err)
			}
			p, err = s.Prove(fmt.Sprint("s", i*7919%1000), uint64(i*104729%(n/1000)), "", "/args/path")
			s.Close()
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(p.Append(nil))), "bytes")
	})
	text := string(p.Append(nil))
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			read, err := chain.ParseProof(text)
			if err == nil {
				_, _, err = read.Check(chain.TrustKeys(signer.Key()))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func loadMore(b *testing.B, l *Ledger, from, n uint64) {
	var texts [][]byte
	for i := range n {
		texts = append(texts, made("more", from+i))
	}
	if _, err := load(l, texts); err != nil {
		b.Fatal(err)
	}
}

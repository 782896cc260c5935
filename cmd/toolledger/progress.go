package main

import (
	"fmt"
	"io"
	"time"
)

// A progress shows on a terminal how far something is, from the second second on.
type progress struct {
	w     io.Writer
	of    int64
	start time.Time
	next  time.Time
	shown bool
	calls int
}

func newProgress(w io.Writer, of int64) *progress {
	now := time.Now()
	p := &progress{w: w, of: of, start: now, next: now.Add(time.Second)}
	if !isTerminal(w) {
		p.w = nil
	}
	return p
}

// update shows bytes, entries a second and the time that is left.
func (p *progress) update(bytes int64, entries uint64) {
	if p.calls++; p.w == nil || p.calls%64 != 1 && p.of > 0 {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(time.Second / 4)
	elapsed := now.Sub(p.start).Seconds()
	line := fmt.Sprintf("%d MB, %.0f entries/s", bytes/1e6, float64(entries)/elapsed)
	if p.of > bytes && bytes > 0 {
		left := time.Duration(elapsed * float64(p.of-bytes) / float64(bytes) * float64(time.Second))
		line += fmt.Sprintf(", %d%%, %v left", bytes*100/p.of, left.Round(time.Second))
	}
	p.show(line)
}

// entries shows how many of all entries are done.
func (p *progress) entries(done, of uint64) {
	now := time.Now()
	if p.w == nil || now.Before(p.next) {
		return
	}
	p.next = now.Add(time.Second / 4)
	p.show(fmt.Sprintf("%d of %d entries, %d%%", done, of, done*100/max(of, 1)))
}

func (p *progress) show(line string) {
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

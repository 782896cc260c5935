package shell

import (
	"fmt"
	"io"
	"sync"
	"time"

	"toolledger/query"
)

// A progress shows on a terminal how many entries a query has read, from its first second on
// until its first row.
type progress struct {
	w    io.Writer
	stop chan struct{}
	done chan struct{}
	once sync.Once
}

func (s *Shell) progress(stats *query.Stats) *progress {
	p := &progress{w: s.Err, stop: make(chan struct{}), done: make(chan struct{})}
	if !s.Progress {
		close(p.done)
		return p
	}
	all := s.Ledger.Entries()
	go p.show(func() (int64, int64) { return stats.Scanned.Load() + stats.Skipped.Load(), all })
	return p
}

func (p *progress) show(count func() (read, all int64)) {
	defer close(p.done)
	tick := time.NewTimer(time.Second)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-p.stop:
			if shown {
				io.WriteString(p.w, "\r\x1b[K")
			}
			return
		case <-tick.C:
			read, all := count()
			text := fmt.Sprintf("%d entries read", read)
			if all > 0 && read <= all { // some queries read a table twice
				text = fmt.Sprintf("%d of %d entries read, %d%%", read, all, read*100/all)
			}
			fmt.Fprintf(p.w, "\r\x1b[K%s", text)
			shown = true
			tick.Reset(time.Second / 4)
		}
	}
}

// end takes away what is shown. It may be called more than once.
func (p *progress) end() {
	p.once.Do(func() { close(p.stop) })
	<-p.done
}

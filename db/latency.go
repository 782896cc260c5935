package db

import (
	"slices"
	"sync"
	"time"
)

// A latency remembers how long the last commits took.
type latency struct {
	mu   sync.Mutex
	last [1024]time.Duration
	n    int
}

func (l *latency) observe(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[l.n%len(l.last)] = d
	l.n++
}

// median returns the median of the last commits, 0 if there was none.
func (l *latency) median() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := slices.Clone(l.last[:min(l.n, len(l.last))])
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}

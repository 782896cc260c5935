package shell

import (
	"context"
	"iter"
	"time"
)

// grace is how long a query may take to end once it was interrupted. Most look for it every few
// thousand rows; one that computes something long of one row, or puts a million in order, does
// not.
const grace = 50 * time.Millisecond

// An aside is a query's work beside who waits for it, who goes on without it where an interrupt
// does not end it soon: then it is left to itself, and nobody looks at what comes of it.
type aside struct {
	ctx  context.Context
	left <-chan struct{} // what it was left in is done; nil: it was not left
}

// beside runs do, one at a time, and returns what it returns. Its own error is that of an
// interrupt, behind which do may still run.
func beside[T any](a *aside, do func() T) (out T, err error) {
	done := make(chan struct{})
	result := new(T)
	go func() {
		*result = do()
		close(done)
	}()
	select {
	case <-done:
		return *result, nil
	case <-a.ctx.Done():
	}
	select {
	case <-done:
		return *result, nil
	case <-time.After(grace):
		a.left = done
		return out, a.ctx.Err()
	}
}

// then runs what comes behind the work: at once, or when what was left is done.
func (a *aside) then(do func()) {
	if a.left == nil {
		do()
		return
	}
	go func() {
		<-a.left
		do()
	}()
}

// A pulled is one step of a sequence.
type pulled[K, V any] struct {
	key   K
	value V
	more  bool
}

// besideEach is the sequence, each step of which runs beside.
func besideEach[K any](a *aside, seq iter.Seq2[K, error]) iter.Seq2[K, error] {
	return func(yield func(K, error) bool) {
		next, stop := iter.Pull2(seq)
		defer func() { a.then(stop) }()
		for {
			step, err := beside(a, func() (p pulled[K, error]) {
				p.key, p.value, p.more = next()
				return p
			})
			if err != nil {
				yield(step.key, err)
				return
			}
			if !step.more || !yield(step.key, step.value) {
				return
			}
		}
	}
}

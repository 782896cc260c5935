package shell

import (
	"context"
	"errors"
	"iter"
	"testing"
)

// TestBesideEach passes a sequence on; an interrupt ends it although its step does not end, and
// what comes behind waits for that step.
func TestBesideEach(t *testing.T) {
	broken := errors.New("broken")
	stuck := make(chan struct{})
	ctx, interrupt := context.WithCancel(t.Context())
	seq := func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(2, broken)
		interrupt()
		<-stuck
		yield(3, nil)
	}
	a := &aside{ctx: ctx}
	var got []int
	var errs []error
	for n, err := range besideEach(a, iter.Seq2[int, error](seq)) {
		got, errs = append(got, n), append(errs, err)
	}
	if len(got) != 3 || got[0] != 1 || got[1] != 2 || errs[0] != nil || errs[1] != broken || errs[2] != context.Canceled || a.left == nil {
		t.Errorf("%v, %v, left %v", got, errs, a.left)
	}
	behind := make(chan bool, 1)
	a.then(func() { behind <- true })
	select {
	case <-behind:
		t.Error("what comes behind did not wait")
	default:
	}
	close(stuck)
	<-behind

	a = &aside{ctx: t.Context()}
	for range besideEach(a, iter.Seq2[int, error](func(yield func(int, error) bool) { yield(1, nil) })) {
	}
	done := false
	if a.then(func() { done = true }); !done || a.left != nil {
		t.Error("nothing was left, and it was not done at once")
	}
}

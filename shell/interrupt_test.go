package shell

import (
	"context"
	"testing"
	"time"
)

func TestInterrupts(t *testing.T) {
	var i interrupts
	i.run(func(ctx context.Context) {
		if i.came() || ctx.Err() == nil {
			t.Error("the first one ends what runs, and nothing else")
		}
		if !i.came() {
			t.Error("the second one ends the shell")
		}
	})
	i.last = time.Now().Add(-twice)
	if i.came() {
		t.Error("one long after another is the first")
	}
	i = interrupts{}
	i.run(func(ctx context.Context) {
		i.ignore(true)
		for range 2 {
			if i.came() || ctx.Err() != nil {
				t.Error("a pager's interrupts are not ours")
			}
		}
		i.ignore(false)
		if i.came() || ctx.Err() == nil {
			t.Error("behind the pager they are")
		}
	})
	if i.left() {
		t.Error("an interrupt between two lines is lost")
	}
	i.plain = true
	if !i.left() {
		t.Error("an interrupt of a plain line is taken twice")
	}
}

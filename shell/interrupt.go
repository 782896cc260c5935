package shell

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// twice is how soon after an interrupt another one ends the shell.
const twice = time.Second

// interrupts are those of a shell at a terminal. While a line is edited they come as a key;
// while something runs, as a signal.
type interrupts struct {
	mu      sync.Mutex
	last    time.Time
	cancel  context.CancelFunc // of what runs, nil if nothing does
	ignored bool               // a pager has the keyboard
	plain   bool               // the input takes interrupts as signals, not as keys
	prompt  string             // that is shown, "" if none is
}

// listen takes the signals until stop is called. leave ends the process, show writes to the
// terminal.
func (i *interrupts) listen(leave func(status int), show func(text string)) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-signals:
				if n, ok := sig.(syscall.Signal); ok && sig != os.Interrupt {
					leave(128 + int(n))
				} else if i.left() {
					continue
				} else if i.came() {
					leave(130)
				} else if prompt := i.shown(); prompt != "" {
					show("^C\n" + prompt)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// left tells whether an interrupt is left to the input, which takes the signal too.
func (i *interrupts) left() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cancel == nil && i.plain
}

// shown returns the prompt behind which an interrupt came as a signal: the library shows it just
// before it takes interrupts as keys.
func (i *interrupts) shown() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.prompt
}

// show remembers which prompt is shown, "" for none.
func (i *interrupts) show(prompt string) {
	i.mu.Lock()
	i.prompt = prompt
	i.mu.Unlock()
}

// came takes an interrupt, and tells whether it is the second one.
func (i *interrupts) came() (second bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ignored {
		return false
	}
	if second = time.Since(i.last) < twice; !second && i.cancel != nil {
		i.cancel()
	}
	i.last = time.Now()
	return second
}

// run runs something that an interrupt ends.
func (i *interrupts) run(do func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	i.mu.Lock()
	i.cancel = cancel
	i.mu.Unlock()
	defer func() {
		i.mu.Lock()
		i.cancel = nil
		i.mu.Unlock()
	}()
	do(ctx)
}

// ignore leaves interrupts to a program that has the keyboard.
func (i *interrupts) ignore(on bool) {
	i.mu.Lock()
	i.ignored = on
	i.mu.Unlock()
}

package db

import (
	"context"
	"sync"
	"time"
)

// A checkpointLoop makes a checkpoint whenever one is due, busy or not: the entry under
// each shows until when the ledger was alive.
type checkpointLoop struct {
	cancel context.CancelFunc
	done   chan struct{}
	last   func() error // the last one, made once
}

func (l *Ledger) startCheckpoints() {
	if l.opt.Checkpoint.Every == 0 || l.opt.late() {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	loop := &checkpointLoop{cancel: cancel, done: make(chan struct{})}
	loop.last = sync.OnceValue(func() error {
		cancel()
		<-loop.done
		if covered, err := l.covered(); covered || err != nil {
			return err
		}
		_, err := l.Checkpoint(context.Background())
		return err
	})
	l.checkpoints = loop
	go func() {
		defer close(loop.done)
		tick := time.NewTicker(l.opt.Checkpoint.Every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if _, err := l.Checkpoint(ctx); err != nil && ctx.Err() == nil && l.opt.Checkpoint.Failed != nil {
				l.opt.Checkpoint.Failed(err)
			}
		}
	}()
}

// stopCheckpoints ends the loop, and makes the last checkpoint.
func (l *Ledger) stopCheckpoints() error {
	if l.checkpoints == nil {
		return nil
	}
	return l.checkpoints.last()
}

// covered tells whether the last checkpoint covers every entry.
func (l *Ledger) covered() (bool, error) {
	s, err := l.Snapshot()
	if err != nil {
		return false, err
	}
	defer s.Close()
	last, err := l.lastCheckpoint()
	return last != nil && last.Size == s.Size(), err
}

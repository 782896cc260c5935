package query

import "runtime"

// parallel applies a function to each batch on all cores, and passes the results on in the
// order of the batches. f must not depend on what came before.
func parallel(open func(*run) Batches, f func(r *run, b *Batch) (*Batch, error)) func(*run) Batches {
	type result struct {
		b   *Batch
		err error
	}
	return func(r *run) Batches {
		return func(yield func(*Batch, error) bool) {
			workers := runtime.GOMAXPROCS(0)
			slots := make(chan struct{}, workers)
			queue := make(chan chan result, 2*workers)
			stop := make(chan struct{})
			done := make(chan struct{})
			defer func() { <-done }()
			defer close(stop)
			go func() {
				defer close(done)
				defer close(queue)
				defer func() { // those that still work read what the caller may close
					for range workers {
						slots <- struct{}{}
					}
				}()
				for b, err := range open(r) {
					out := make(chan result, 1)
					select {
					case queue <- out:
					case <-stop:
						return
					}
					if err == nil {
						err = r.ctx.Err()
					}
					if err != nil {
						out <- result{nil, err}
						return
					}
					slots <- struct{}{}
					go func() {
						b, err := f(r, b)
						out <- result{b, err}
						<-slots
					}()
				}
			}()
			for out := range queue {
				res := <-out
				if res.err != nil {
					yield(nil, res.err)
					return
				}
				if res.b.N > 0 && !yield(res.b, nil) {
					return
				}
			}
		}
	}
}

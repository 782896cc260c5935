package query

import (
	"iter"
	"runtime"
	"sync"
)

// parallel does something with each part on all cores, and passes the results on in the order
// of the parts, without those that are nil.
func parallel[T any](r *run, parts iter.Seq[part], do func(part) (*T, error)) iter.Seq2[*T, error] {
	type result struct {
		t   *T
		err error
	}
	type job struct {
		p   part
		out chan<- result
	}
	return func(yield func(*T, error) bool) {
		workers := runtime.GOMAXPROCS(0)
		jobs := make(chan job)
		queue := make(chan chan result, workers) // more of them would wait with all that they hold
		stop := make(chan struct{})
		var working sync.WaitGroup // who works reads what the caller may close
		defer working.Wait()
		defer close(stop)
		work := func() { // on a stack that has grown once
			for j := range jobs {
				t, err := do(j.p)
				j.out <- result{t, err}
			}
		}
		working.Go(func() {
			defer close(queue)
			defer close(jobs)
			for p := range parts {
				out := make(chan result, 1)
				select {
				case queue <- out:
				case <-stop:
					return
				}
				if err := r.ctx.Err(); err != nil {
					out <- result{nil, err}
					return
				}
				select {
				case jobs <- job{p, out}:
					continue
				default:
				}
				if workers > 0 {
					workers--
					working.Go(work)
				}
				jobs <- job{p, out}
			}
		})
		for out := range queue {
			res := <-out
			if res.err != nil {
				yield(nil, res.err)
				return
			}
			if res.t != nil && !yield(res.t, nil) {
				return
			}
		}
	}
}

// through reads a part and takes it through steps, as long as it has a row; nil if it has
// none.
func (p part) through(r *run, steps []step) (*Batch, error) {
	b, err := p()
	for i := 0; err == nil && b != nil && b.N > 0 && i < len(steps); i++ {
		b, err = steps[i](r, b)
	}
	if err != nil || b == nil || b.N == 0 {
		return nil, err
	}
	return b, nil
}

// digested makes something of each batch of a relation, on all cores where it can, and uses
// what came out in the order of the batches.
func digested[T any](r *run, rel *relation, do func(*Batch) (*T, error), use func(*T) error) error {
	if rel.scan == nil {
		return r.each(rel.open(r), func(b *Batch) error {
			t, err := do(b)
			if err == nil {
				err = use(t)
			}
			return err
		})
	}
	for t, err := range parallel(r, rel.scan.parts(r), func(p part) (*T, error) {
		b, err := p.through(r, rel.steps)
		if err != nil || b == nil {
			return nil, err
		}
		return do(b)
	}) {
		if err == nil {
			err = use(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package db

// A free list keeps what may be used again. Unlike a sync.Pool it is not emptied by a
// garbage collection, of which a load and a verification make many.
type free[T any] chan *T

func newFree[T any](most int) free[T] { return make(free[T], most) }

// get returns one, a new one if there is none.
func (f free[T]) get() *T {
	select {
	case v := <-f:
		return v
	default:
		return new(T)
	}
}

// put keeps v, unless there are enough.
func (f free[T]) put(v *T) {
	select {
	case f <- v:
	default:
	}
}

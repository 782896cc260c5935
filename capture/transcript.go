package capture

import (
	"fmt"
	"io"
	"iter"

	"toolledger/chain"
)

// Transcript reads the calls of a transcript, sealed or not, and yields what use
// makes of each, in the file's order. The indexes must count from 0. use is
// called on several goroutines at once; what its result keeps of the call is
// valid until the next result is asked for. Errors are those of [Lines].
func Transcript[T any](r io.Reader, sealed bool, use func(*chain.Call) (T, error)) iter.Seq2[T, error] {
	type used struct {
		index uint64
		value T
	}
	lines := Lines(r, func(text *chain.Text) (used, error) {
		c, err := chain.ParseCall(text, sealed)
		if err != nil {
			return used{}, err
		}
		v, err := use(&c)
		return used{c.Index, v}, err
	})
	return func(yield func(T, error) bool) {
		var next uint64
		for line, err := range lines {
			if err == nil && line.Value.index != next {
				err = &LineError{line.Number, fmt.Errorf("index: expected %d, found %d", next, line.Value.index)}
			}
			if !yield(line.Value.value, err) || err != nil {
				return
			}
			next++
		}
	}
}

// Each makes a use for [Transcript] of a function that has no error.
func Each[T any](use func(*chain.Call) T) func(*chain.Call) (T, error) {
	return func(c *chain.Call) (T, error) { return use(c), nil }
}

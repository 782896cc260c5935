package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"runtime/debug"
	"sync"

	"toolledger/chain"
)

const (
	// MaxLine is how many bytes a line may have, its newline not counted. A longer
	// one is refused, never cut.
	MaxLine = 64 << 20

	blockSize = 256 << 10 // of text; fits the cache of a core together with its canonical form
	maxAhead  = 4 << 20   // of text: how much is read ahead of the results; a longer line goes alone
)

// A Line is what a line of the input became.
type Line[T any] struct {
	Number int // from 1; blank lines count
	Value  T
}

// A LineError is what is wrong with a line of the input.
type LineError struct {
	Number int // from 1
	Err    error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Number, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Lines reads JSON Lines. Each line that is not blank is brought to canonical
// form and given to parse, which is called on several goroutines at once. The
// results come in the order of the lines, up to the first error: a [*LineError],
// or the reader's. What a result keeps of the canonical text is valid until the
// next result is asked for.
//
// A line of over 4 MiB is read alone, and its memory given back to the system, at
// the price of a garbage collection.
func Lines[T any](r io.Reader, parse func(canonical []byte) (T, error)) iter.Seq2[Line[T], error] {
	return func(yield func(Line[T], error) bool) {
		workers := runtime.GOMAXPROCS(0)
		work := make(chan *block[T], 2*workers)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(work)
		for range workers {
			wg.Go(func() {
				for b := range work {
					b.parse(parse)
					b.done <- struct{}{}
				}
			})
		}
		c := cutter{r: r, next: 1}
		var queue, free []*block[T] // queue: read and not taken yet, oldest first
		ahead := 0                  // bytes in queue
		for {
			for c.err == nil && len(queue) < cap(work) && ahead < maxAhead {
				b := &block[T]{done: make(chan struct{}, 1)}
				if n := len(free); n > 0 {
					b, free = free[n-1], free[:n-1]
				}
				b.text, b.first = c.cut(b.text[:0])
				ahead += cap(b.text)
				queue = append(queue, b)
				work <- b
			}
			if len(queue) == 0 {
				break
			}
			b := queue[0]
			queue = queue[1:]
			<-b.done
			if !b.take(yield) {
				return
			}
			ahead -= cap(b.text)
			if cap(b.text) > maxAhead {
				clear(b.lines[:cap(b.lines)]) // they point into the text
				b.text, b.canonical = nil, nil
				debug.FreeOSMemory() // so that the next long line does not come on top
			}
			free = append(free, b)
		}
		if !errors.Is(c.err, io.EOF) {
			yield(Line[T]{}, c.err)
		}
	}
}

// A block is some lines and what became of them.
type block[T any] struct {
	text      []byte
	first     int // number of the first line
	canonical []byte
	lines     []Line[T]
	err       error // of the line after these
	done      chan struct{}
}

func (b *block[T]) parse(parse func([]byte) (T, error)) {
	if cap(b.canonical) < len(b.text) {
		b.canonical = make([]byte, 0, len(b.text)) // is enough: the canonical form is not longer
	}
	b.lines, b.err = b.lines[:0], nil
	dst, number := b.canonical[:0], b.first
	for line := range bytes.Lines(b.text) {
		if blank(line) {
			number++
			continue
		}
		start := len(dst)
		var err error
		if dst, err = chain.Canonical(dst, bytes.TrimSuffix(line, []byte("\n"))); err == nil {
			var v T
			if v, err = parse(dst[start:len(dst):len(dst)]); err == nil {
				b.lines = append(b.lines, Line[T]{number, v})
			}
		}
		if err != nil {
			b.err = &LineError{number, err}
			return
		}
		number++
	}
}

func (b *block[T]) take(yield func(Line[T], error) bool) bool {
	for _, l := range b.lines {
		if !yield(l, nil) {
			return false
		}
	}
	if b.err != nil {
		yield(Line[T]{}, b.err)
		return false
	}
	return true
}

// blank tells whether a line has nothing but JSON's white space.
func blank(line []byte) bool {
	return len(bytes.TrimLeft(line, " \t\r\n")) == 0
}

// A cutter cuts a stream into blocks of whole lines.
type cutter struct {
	r    io.Reader
	next int    // number of the next line
	tail []byte // read already, of the line that the next block begins with
	err  error  // io.EOF at the end
}

// cut fills buf with whole lines, at least one unless the stream ends or fails,
// and returns it with the number of its first line.
func (c *cutter) cut(buf []byte) ([]byte, int) {
	first := c.next
	buf = append(buf, c.tail...)
	end := 0 // of the whole lines in buf
	for c.err == nil && (end == 0 && len(buf) <= MaxLine || len(buf) < blockSize) {
		if len(buf) == cap(buf) {
			buf = grow(buf)
		}
		// In steps, so that what follows a long line is little to carry over.
		step := buf[len(buf):min(cap(buf), len(buf)+blockSize)]
		var n int
		n, c.err = c.r.Read(step)
		buf = buf[:len(buf)+n]
		if i := bytes.LastIndexByte(step[:n], '\n'); i >= 0 {
			end = len(buf) - n + i + 1
		}
	}
	if errors.Is(c.err, io.EOF) {
		end = len(buf) // the last line may lack its newline
	}
	// Only the first line can have grown this long.
	if len(buf) > MaxLine && (end == 0 || bytes.IndexByte(buf[:MaxLine+1], '\n') < 0) {
		c.err = &LineError{first, fmt.Errorf("longer than %d bytes (64 MiB), the most a line may have", MaxLine)}
		return buf[:0], first
	}
	c.tail = append(c.tail[:0], buf[end:]...)
	c.next += bytes.Count(buf[:end], []byte("\n"))
	if cap(buf) > maxAhead {
		debug.FreeOSMemory() // what growing to this size left behind
	}
	return buf[:end], first
}

// grow makes room, by doubling, up to the longest line and one step.
func grow(buf []byte) []byte {
	size := min(max(2*cap(buf), blockSize), MaxLine+1+blockSize)
	return append(make([]byte, 0, size), buf...)
}

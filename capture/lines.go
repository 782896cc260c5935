package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"toolledger/chain"
)

const (
	// MaxLine is how many bytes a line may have, its newline not counted. A longer
	// one is refused, never cut.
	MaxLine = 64 << 20

	// MaxEvidence is MaxLine for lines of an export: an entry of the largest size, and
	// what stands around it.
	MaxEvidence = MaxLine + 4<<10

	blockSize = 256 << 10 // of text; fits the cache of a core together with its canonical form
	maxAhead  = 4 << 20   // of text: how much is read ahead of the results; a longer line goes alone
)

// A Line is what a line of the input became.
type Line[T any] struct {
	Number int // from 1; blank lines count
	Value  T
	err    error // instead of the value
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
// results come in the order of the lines. A line that is refused gives a
// [*LineError] in its place, and the next may be asked for all the same; an error
// of the reader ends it. What a result keeps of the canonical text is valid until
// the next result is asked for.
//
// A line of over 4 MiB is read alone, and its memory given back to the system, at
// the price of a garbage collection.
func Lines[T any](r io.Reader, parse func(*chain.Text) (T, error)) iter.Seq2[*Line[T], error] {
	return LinesUpTo(r, MaxLine, Parse(parse), new(int))
}

// A Parser parses a line and appends to dst what it needs of it besides, at most as
// many bytes as the line has.
type Parser[T any] func(dst, line []byte, value *T) ([]byte, error)

// Parse makes parsers that bring each line to canonical form for parse.
func Parse[T any](parse func(*chain.Text) (T, error)) func() Parser[T] {
	return func() Parser[T] {
		var text chain.Text
		return func(dst, line []byte, value *T) (out []byte, err error) {
			if out, err = text.Canonical(dst, line); err == nil {
				*value, err = parse(&text)
			}
			return out, err
		}
	}
}

// LinesUpTo is Lines with another limit to the length of a line, and a parser of its
// own for each piece of the input. In the end, count is how many lines there were, blank ones too.
func LinesUpTo[T any](r io.Reader, limit int, parser func() Parser[T], count *int) iter.Seq2[*Line[T], error] {
	return func(yield func(*Line[T], error) bool) {
		workers := runtime.GOMAXPROCS(0)
		work := make(chan *block[T], 2*workers)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(work)
		for range workers {
			wg.Go(func() {
				for b := range work {
					b.parse(parser())
					b.done <- struct{}{}
				}
			})
		}
		c := cutter{r: r, limit: limit, next: 1}
		var queue, free []*block[T] // queue: read and not taken yet, oldest first
		ahead := 0                  // bytes in queue
		for {
			for (c.err == nil || c.skip) && len(queue) < cap(work) && ahead < maxAhead {
				b := &block[T]{done: make(chan struct{}, 1)}
				if n := len(free); n > 0 {
					b, free = free[n-1], free[:n-1]
				}
				b.text, b.first, b.refused = c.cut(b.text[:0])
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
		*count = c.lines()
		if !errors.Is(c.err, io.EOF) {
			yield(new(Line[T]), c.err)
		}
	}
}

// A block is some lines and what became of them.
type block[T any] struct {
	text      []byte
	first     int // number of the first line
	refused   error
	canonical []byte
	lines     []Line[T]
	done      chan struct{}
}

func (b *block[T]) parse(parse Parser[T]) {
	if cap(b.canonical) < len(b.text) {
		b.canonical = make([]byte, 0, len(b.text)) // is enough: the canonical form is not longer
	}
	b.lines = b.lines[:0]
	dst, number := b.canonical[:0], b.first
	for line := range bytes.Lines(b.text) {
		if blank(line) {
			number++
			continue
		}
		b.lines = append(b.lines, Line[T]{Number: number})
		l := &b.lines[len(b.lines)-1]
		if dst, l.err = parse(dst, bytes.TrimSuffix(line, []byte("\n")), &l.Value); l.err != nil {
			l.err = &LineError{number, l.err}
		}
		number++
	}
	if b.refused != nil {
		b.lines = append(b.lines, Line[T]{Number: number, err: b.refused})
	}
}

func (b *block[T]) take(yield func(*Line[T], error) bool) bool {
	for i := range b.lines {
		if l := &b.lines[i]; !yield(l, l.err) {
			return false
		}
	}
	return true
}

// blank tells whether a line has nothing but JSON's white space.
func blank(line []byte) bool {
	return len(bytes.TrimLeft(line, " \t\r\n")) == 0
}

// A cutter cuts a stream into blocks of whole lines.
type cutter struct {
	r     io.Reader
	limit int
	next  int    // number of the next line
	tail  []byte // read already, of the line that the next block begins with
	skip  bool   // up to the next newline: the line was refused
	open  bool   // the last line has no newline
	err   error  // io.EOF at the end
}

// cut fills buf with whole lines, at least one unless the stream ends or fails,
// and returns it with the number of its first line. A line that is too long is
// refused in place of a block.
func (c *cutter) cut(buf []byte) ([]byte, int, error) {
	if c.skip {
		c.skipLine()
	}
	first := c.next
	buf = append(buf, c.tail...)
	end := 0 // of the whole lines in buf
	for c.err == nil && (end == 0 && len(buf) <= c.limit || len(buf) < blockSize) {
		if len(buf) == cap(buf) {
			buf = c.grow(buf)
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
	if len(buf) > c.limit && (end == 0 || bytes.IndexByte(buf[:c.limit+1], '\n') < 0) {
		c.skip, c.tail = true, append(c.tail[:0], buf[len(buf)-min(len(buf), blockSize):]...)
		return buf[:0], first, &LineError{first, fmt.Errorf("longer than %d bytes (64 MiB), the most a line may have", c.limit)}
	}
	c.tail = append(c.tail[:0], buf[end:]...)
	c.next += bytes.Count(buf[:end], []byte("\n"))
	if end > 0 {
		c.open = buf[end-1] != '\n'
	}
	if cap(buf) > maxAhead {
		debug.FreeOSMemory() // what growing to this size left behind
	}
	return buf[:end], first, nil
}

// lines returns how many lines were cut.
func (c *cutter) lines() int {
	if c.open {
		return c.next
	}
	return c.next - 1
}

// skipLine reads up to the end of a line, part of which is in the tail.
func (c *cutter) skipLine() {
	c.skip = false
	for {
		if i := bytes.IndexByte(c.tail, '\n'); i >= 0 {
			c.tail = append(c.tail[:0], c.tail[i+1:]...)
			c.next++
			return
		}
		if c.err != nil {
			c.tail, c.open = c.tail[:0], true
			return
		}
		c.tail = slices.Grow(c.tail[:0], blockSize)[:blockSize]
		var n int
		n, c.err = c.r.Read(c.tail)
		c.tail = c.tail[:n]
	}
}

// grow makes room, by doubling, up to the longest line and one step.
func (c *cutter) grow(buf []byte) []byte {
	size := min(max(2*cap(buf), blockSize), c.limit+1+blockSize)
	return append(make([]byte, 0, size), buf...)
}

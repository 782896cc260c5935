package column

import "sync"

// What a reader fills is taken from here, and comes back with [Reader.Release]: one who
// reads a few rows of many blocks would otherwise have most of the work with memory.

// intSlices has slices with room for MaxRows integers.
var intSlices = sync.Pool{New: func() any { return new([MaxRows]int64) }}

// takeInts returns an empty slice with room for n integers, at most MaxRows.
func takeInts(n int) []int64 {
	if n < MaxRows/16 { // is not worth keeping
		return make([]int64, 0, n)
	}
	return intSlices.Get().(*[MaxRows]int64)[:0]
}

// ReleaseInts takes back integers that [DecodeInts] made, which nobody may use any more.
func ReleaseInts(ints []int64) {
	if cap(ints) == MaxRows {
		intSlices.Put((*[MaxRows]int64)(ints[:MaxRows]))
	}
}

// codeSlices has slices with room for the codes of MaxRows rows.
var codeSlices = sync.Pool{New: func() any { return new([codeRoom]uint16) }}

// codeRoom is what decoding MaxRows codes takes.
const codeRoom = MaxRows + runSlack

// codeParts has room for the codes of a part of a column.
var codeParts = sync.Pool{New: func() any { return new([codeRows + runSlack]uint16) }}

// takeCodes returns an empty slice with room for n codes, at most MaxRows.
func takeCodes(n int) []uint16 {
	if n < MaxRows/16 {
		return make([]uint16, 0, n+runSlack)
	}
	return codeSlices.Get().(*[codeRoom]uint16)[:0]
}

func releaseCodes(codes []uint16) {
	if cap(codes) == codeRoom {
		codeSlices.Put((*[codeRoom]uint16)(codes[:codeRoom]))
	}
}

// byteSlices has room for pooledBytes: most streams fit.
var byteSlices = sync.Pool{New: func() any { return new([pooledBytes]byte) }}

const pooledBytes = 32 << 10

// smallSlices has room for smallBytes: the streams of codes fit.
var smallSlices = sync.Pool{New: func() any { return new([smallBytes]byte) }}

const smallBytes = 1 << 10

// A stream is what was packed. If raw is in neither, it is of its own, or a part of what it
// was unpacked from.
type stream struct {
	raw   []byte
	from  *[pooledBytes]byte // that raw is in
	small *[smallBytes]byte  // that raw is in
}

// takeStream returns an empty stream with room for just n bytes.
func takeStream(n int) stream {
	switch {
	case n > pooledBytes:
		return stream{raw: make([]byte, 0, n)}
	case n > smallBytes:
		from := byteSlices.Get().(*[pooledBytes]byte)
		return stream{raw: from[:0:n], from: from}
	}
	small := smallSlices.Get().(*[smallBytes]byte)
	return stream{raw: small[:0:n], small: small}
}

// release gives the memory back. Nobody may use raw any more.
func (s *stream) release() {
	if s.from != nil {
		byteSlices.Put(s.from)
	}
	if s.small != nil {
		smallSlices.Put(s.small)
	}
	*s = stream{}
}

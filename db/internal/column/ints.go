package column

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// Integers are stored as residuals: what is left of a number, or of its distance
// to the number before, when the least of them is taken away and their common
// divisor is divided out. So a clock in milliseconds, stored in ticks of 100 ns,
// costs what its milliseconds cost. Byte k of all residuals is plane k, a packed
// stream of its own: the upper bytes are often equal, the lower often noise, and
// apart each is packed as it deserves.
//
//	count (uvarint), and unless it is 0:
//	mode (1)         0 for the numbers, 1 for the distances
//	first (varint)   of the distances only: the number they start from
//	least (varint)
//	divisor (uvarint)
//	width (1)        planes, 0 to 8, the lowest first
//	planes
//
// All arithmetic is modulo 2^64, so no pair of numbers is too far apart.
const (
	modeNumbers byte = iota
	modeDistances
)

// An intPacker packs integers. It keeps its buffers; its zero value is ready.
type intPacker struct {
	residuals []uint64
	plane     []byte
}

type intBuffers struct {
	ints intPacker
	pack packer
}

var intPool = sync.Pool{New: func() any { return new(intBuffers) }}

// AppendInts appends up to MaxRows integers to dst, so packed that a counter costs
// a few bytes in all, and a clock about as much as the noise in it.
func AppendInts(dst []byte, values []int64) []byte {
	b := intPool.Get().(*intBuffers)
	defer intPool.Put(b)
	return b.ints.append(dst, values, &b.pack)
}

// DecodeInts appends the integers of data, which AppendInts made, to dst. See
// [ReleaseInts] for a dst of nil.
func DecodeInts(dst []int64, data []byte) ([]int64, error) {
	c := cursor{data: data}
	dst = c.ints(dst)
	if !c.end() {
		return nil, corrupt("integers")
	}
	return dst, nil
}

// DecodeIntsAt appends those of the integers of data that stand at some places, which are
// in order, to dst. For a few places it costs much less than DecodeInts.
func DecodeIntsAt(dst []int64, data []byte, at []uint16) ([]int64, error) {
	c := cursor{data: data}
	p := c.packedInts()
	defer p.release()
	if !c.end() || len(at) > 0 && int(at[len(at)-1]) >= p.count {
		return dst, corrupt("integers")
	}
	for _, i := range at {
		dst = append(dst, p.at(int(i)))
	}
	return dst, nil
}

func (p *intPacker) append(dst []byte, values []int64, pack *packer) []byte {
	if len(values) > MaxRows {
		panic("column: more integers than a block has rows")
	}
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	if len(values) == 0 {
		return dst
	}
	var least int64
	if distances, step := cheaper(values); distances {
		dst = append(dst, modeDistances)
		dst = binary.AppendVarint(dst, values[0])
		least = step
		p.residuals = p.residuals[:0]
		for i := 1; i < len(values); i++ {
			p.residuals = append(p.residuals, uint64(values[i]-values[i-1]-least))
		}
	} else {
		dst = append(dst, modeNumbers)
		least = step
		p.residuals = p.residuals[:0]
		for _, v := range values {
			p.residuals = append(p.residuals, uint64(v-least))
		}
	}
	dst = binary.AppendVarint(dst, least)
	divisor := reduce(p.residuals)
	dst = binary.AppendUvarint(dst, divisor)
	return p.planes(dst, pack)
}

// cheaper compares what numbers and distances would cost, and returns the least
// number or the least distance.
func cheaper(values []int64) (distances bool, least int64) {
	if len(values) < 2 {
		return false, values[0]
	}
	number, step := values[0], values[1]-values[0]
	for i := 1; i < len(values); i++ {
		number = min(number, values[i])
		step = min(step, values[i]-values[i-1])
	}
	var numbers, steps int
	for i := 1; i < len(values); i++ {
		numbers += bits.Len64(uint64(values[i] - number))
		steps += bits.Len64(uint64(values[i] - values[i-1] - step))
	}
	if steps < numbers {
		return true, step
	}
	return false, number
}

// reduce divides all residuals by their greatest common divisor, which it returns.
func reduce(residuals []uint64) uint64 {
	var divisor uint64
	for _, r := range residuals {
		for r != 0 {
			divisor, r = r, divisor%r
		}
		if divisor == 1 {
			return 1
		}
	}
	if divisor == 0 {
		return 1
	}
	for i := range residuals {
		residuals[i] /= divisor
	}
	return divisor
}

func (p *intPacker) planes(dst []byte, pack *packer) []byte {
	var all uint64
	for _, r := range p.residuals {
		all |= r
	}
	width := (bits.Len64(all) + 7) / 8
	dst = append(dst, byte(width))
	for k := range width {
		p.plane = p.plane[:0]
		for _, r := range p.residuals {
			p.plane = append(p.plane, byte(r>>(8*k)))
		}
		dst = pack.append(dst, p.plane, best)
	}
	return dst
}

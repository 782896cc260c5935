package column

import (
	"encoding/binary"
	"slices"
)

// packedInts are integers as intPacker.append wrote them: their planes are unpacked, but
// not put together. So who wants a few of them need not make all.
type packedInts struct {
	count     int
	distances bool
	first     int64
	least     int64
	divisor   uint64
	width     int
	planes    [8]stream

	place int    // of distances: where at was last
	sum   uint64 // of the residuals up to there
}

// packedInts reads what intPacker.append wrote.
func (c *cursor) packedInts() (p packedInts) {
	p.count = c.uvarint(MaxRows)
	if c.failed || p.count == 0 {
		return p
	}
	mode := c.byte()
	if p.distances = mode == modeDistances; p.distances {
		p.first = c.varint()
	}
	p.least, p.divisor, p.width = c.varint(), c.uint64(1<<64-1), int(c.byte())
	if mode > modeDistances || p.width > len(p.planes) {
		p.width = 0
		c.fail()
	}
	for k := range p.width {
		p.planes[k] = c.stream(p.residuals())
		if len(p.planes[k].raw) != p.residuals() {
			c.fail()
		}
	}
	if c.failed {
		p.release()
		p = packedInts{}
	}
	return p
}

func (p *packedInts) residuals() int {
	if p.distances {
		return p.count - 1
	}
	return p.count
}

func (p *packedInts) release() {
	for k := range p.width {
		p.planes[k].release()
	}
}

// at returns integer i. It is fastest when i does not fall from call to call.
func (p *packedInts) at(i int) int64 {
	if !p.distances {
		var residual uint64
		for k := range p.width {
			residual |= uint64(p.planes[k].raw[i]) << (8 * k)
		}
		return int64(residual*p.divisor) + p.least
	}
	if i < p.place {
		p.place, p.sum = 0, 0
	}
	for k := range p.width {
		p.sum += sumBytes(p.planes[k].raw[p.place:i]) << (8 * k)
	}
	p.place = i
	return p.first + int64(p.sum*p.divisor) + int64(i)*p.least
}

// sumBytes adds the bytes of b, eight at a time.
func sumBytes(b []byte) (sum uint64) {
	const even = 0x00FF00FF00FF00FF
	for len(b) >= 8 {
		n := min(len(b)/8, 128) // of which four sums of 16 bits have room
		var lanes uint64
		for ; n > 0; n-- {
			v := binary.LittleEndian.Uint64(b)
			lanes += v&even + v>>8&even
			b = b[8:]
		}
		sum += lanes&0xFFFF + lanes>>16&0xFFFF + lanes>>32&0xFFFF + lanes>>48
	}
	for _, v := range b {
		sum += uint64(v)
	}
	return sum
}

// all appends all integers to dst.
func (p *packedInts) all(dst []int64) []int64 {
	if p.count == 0 {
		return dst
	}
	start := len(dst)
	if dst == nil {
		dst = takeInts(p.count)
	}
	dst = slices.Grow(dst, p.count)[:start+p.count]
	out := dst[start+p.count-p.residuals():]
	if p.width == 0 {
		clear(out)
	}
	for k := range p.width {
		plane := p.planes[k].raw[:len(out)]
		if k == 0 {
			for i, b := range plane {
				out[i] = int64(b)
			}
			continue
		}
		for i, b := range plane {
			out[i] |= int64(uint64(b) << (8 * k))
		}
	}
	if !p.distances {
		for i, r := range out {
			out[i] = int64(uint64(r)*p.divisor) + p.least
		}
		return dst
	}
	number := p.first
	dst[start] = number
	for i, r := range out {
		number += int64(uint64(r)*p.divisor) + p.least
		out[i] = number
	}
	return dst
}

// ints reads what intPacker.append wrote and appends it to dst.
func (c *cursor) ints(dst []int64) []int64 {
	p := c.packedInts()
	defer p.release()
	return p.all(dst)
}

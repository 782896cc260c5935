package column

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// The general codecs of a packed stream, see the package's comment.
const (
	codecRaw   byte = iota // the bytes themselves
	codecConst             // one byte, repeated, up to maxHuff times
	codecHuff              // huff0: one block of one stream, or of four from fourHuff bytes on
	codecZstd              // one zstd frame
)

const (
	minPack  = 16        // below this many bytes only codecConst can win
	fourHuff = 1024      // from here on huff0 uses four streams, which decode faster
	maxHuff  = 128 << 10 // huff0's limit is a little higher
	// A zstd block of 4 bytes can stand for 128 KiB, and nothing packs better:
	// so what a hostile length makes us allocate is bounded by what it came with.
	maxRatio = 32 << 10
)

// A packer packs byte streams. It keeps its buffers; its zero value is ready.
type packer struct {
	huff huff0.Scratch
	zstd []byte
}

// zstd encoders are large, and few are in use at a time. Letters that come again nowhere are
// still packed by how often each comes: Base64, in which results have images and archives,
// takes three quarters of its size so.
var zstdEncoders = sync.Pool{New: func() any {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return enc
}}

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(4*MaxValue),
		zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return dec
})

var huffScratches = sync.Pool{New: func() any { return new(huff0.Scratch) }}

// How hard a packer tries.
type effort bool

const (
	entropy effort = false // huff0, and zstd only for what is too large for it
	best    effort = true  // huff0 and zstd, whichever is smaller
)

// append appends raw, packed, to dst.
func (p *packer) append(dst, raw []byte, e effort) []byte {
	if isConst(raw) {
		dst = append(dst, codecConst)
		dst = binary.AppendUvarint(dst, uint64(len(raw)))
		return append(dst, raw[0])
	}
	codec, body := codecRaw, raw
	if len(raw) >= minPack && len(raw) <= maxHuff {
		if out, ok := p.huffman(raw); ok {
			codec, body = codecHuff, out
		}
	}
	if len(raw) > maxHuff || e == best && len(raw) >= minPack && len(body) > minPack {
		enc := zstdEncoders.Get().(*zstd.Encoder)
		p.zstd = enc.EncodeAll(raw, p.zstd[:0])
		zstdEncoders.Put(enc)
		if len(p.zstd) < len(body) {
			codec, body = codecZstd, p.zstd
		}
	}
	dst = append(dst, codec)
	dst = binary.AppendUvarint(dst, uint64(len(raw)))
	if codec != codecRaw {
		dst = binary.AppendUvarint(dst, uint64(len(body)))
	}
	return append(dst, body...)
}

// appendRaw appends raw as it is, as a packed stream.
func appendRaw(dst, raw []byte) []byte {
	dst = append(dst, codecRaw)
	dst = binary.AppendUvarint(dst, uint64(len(raw)))
	return append(dst, raw...)
}

// A learner packs streams that are alike: what does not pay for the first, that is long enough
// to tell, is not tried with the others.
type learner struct{ e effort }

func (l *learner) append(dst, raw []byte, p *packer) []byte {
	start := len(dst)
	dst = p.append(dst, raw, l.e)
	if codec := dst[start]; codec != codecZstd && codec != codecConst {
		l.e = entropy
	}
	return dst
}

// huffman returns raw compressed, in a buffer that the next call overwrites.
func (p *packer) huffman(raw []byte) ([]byte, bool) {
	p.huff.Reuse = huff0.ReusePolicyNone
	compress := huff0.Compress4X
	if len(raw) < fourHuff {
		compress = huff0.Compress1X
	}
	out, _, err := compress(raw, &p.huff)
	return out, err == nil && len(out) < len(raw)
}

func isConst(raw []byte) bool {
	if len(raw) > maxHuff {
		return false
	}
	for _, b := range raw {
		if b != raw[0] {
			return false
		}
	}
	return len(raw) > 0
}

// unpack reads the packed stream at the start of data. raw is at most limit
// bytes long; it may be a part of data and must not be written to.
func unpack(data []byte, limit int) (s stream, rest []byte, err error) {
	c := cursor{data: data}
	codec := c.byte()
	size := c.uvarint(uint64(limit))
	switch {
	case c.failed:
		return s, nil, corrupt("length of a stream")
	case codec == codecRaw:
		s.raw = c.bytes(size)
	case codec == codecConst && size <= maxHuff:
		s = takeStream(size)
		s.raw = s.raw[:size]
		for i, b := 0, c.byte(); i < size; i++ {
			s.raw[i] = b
		}
	default:
		body := c.bytes(c.uvarint(uint64(len(c.data))))
		if c.failed || size/maxRatio > len(body) {
			return s, nil, corrupt("stream cut short")
		}
		s, err = decompress(codec, body, size)
	}
	if c.failed {
		err = corrupt("stream cut short")
	}
	return s, c.data, err
}

func decompress(codec byte, body []byte, size int) (s stream, err error) {
	s = takeStream(size)
	switch {
	case codec == codecZstd:
		s.raw, err = zstdDecoder().DecodeAll(body, s.raw)
	case codec == codecHuff && size <= maxHuff:
		s.raw, err = dehuffman(s.raw, body)
	default:
		return s, corrupt("codec of a stream")
	}
	if err != nil || len(s.raw) != size {
		return s, corrupt("packed stream")
	}
	return s, nil
}

// dehuffman fills dst: huff0 takes the capacity for the size.
func dehuffman(dst, body []byte) ([]byte, error) {
	s := huffScratches.Get().(*huff0.Scratch)
	defer huffScratches.Put(s)
	s, streams, err := huff0.ReadTable(body, s)
	if err != nil {
		return nil, err
	}
	if cap(dst) < fourHuff {
		return s.Decoder().Decompress1X(dst, streams)
	}
	return s.Decoder().Decompress4X(dst, streams)
}

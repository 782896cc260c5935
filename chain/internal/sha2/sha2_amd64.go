package sha2

// pairs tells whether the processor has the instructions that sum2 needs. It asks for
// these alone: under a virtual machine each question takes as long as 100 sums.
var pairs = func() bool {
	const ssse3, sse41, sha = 1 << 9, 1 << 19, 1 << 29
	if most, _, _ := cpuid(0); most < 7 {
		return false
	}
	_, _, one := cpuid(1)
	_, seven, _ := cpuid(7)
	return one&(ssse3|sse41) == ssse3|sse41 && seven&sha != 0
}()

// cpuid asks the processor what it is able to do.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// sum2 computes the SHA-256 of two messages, which are padded and have that many
// blocks of 64 bytes, the second some more. They may be the same.
//
//go:noescape
func sum2(sum, sum2 *[32]byte, p, p2 *byte, blocks, more int)

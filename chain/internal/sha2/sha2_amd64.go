package sha2

import "github.com/klauspost/cpuid/v2"

// pairs tells whether the processor has the instructions that sum2 needs.
var pairs = cpuid.CPU.Supports(cpuid.SHA, cpuid.SSSE3, cpuid.SSE4)

// sum2 computes the SHA-256 of two messages, which are padded and have that many
// blocks of 64 bytes, the second some more. They may be the same.
//
//go:noescape
func sum2(sum, sum2 *[32]byte, p, p2 *byte, blocks, more int)

#include "textflag.h"

// SHA-256 (FIPS 180-4) of two messages, by the instructions SHA256RNDS2, SHA256MSG1
// and SHA256MSG2, which Intel's "Intel SHA Extensions" (2013) describes.
//
// Of each message, one register has the words A, B, E and F of the state and one
// C, D, G and H, from the highest to the lowest; four have the 16 words of the
// message schedule that the next rounds need:
//
//	            ABEF  CDGH  schedule
//	first       X1    X2    X3 to X6
//	second      X7    X8    X9 to X12
//
// X0 has four words plus their constants, as SHA256RNDS2 wants it; X13 is free,
// X14 turns the bytes of words around.

// Four rounds: two with the low half of X0, two with the high one.
#define ROUNDS(k, abef, cdgh, w) \
	MOVO k(AX), X0; \
	PADDL w, X0; \
	SHA256RNDS2 X0, abef, cdgh; \
	PSHUFD $0x0E, X0, X0; \
	SHA256RNDS2 X0, cdgh, abef

// w is the schedule's newest words, before those ahead of them; next becomes the
// words after w: it has been through SHA256MSG1.
#define EXTEND(w, before, next) \
	MOVO w, X13; \
	PALIGNR $4, before, X13; \
	PADDL X13, next; \
	SHA256MSG2 w, next

#define LOAD(off, p, w) \
	MOVOU off(p), w; \
	PSHUFB X14, w

#define LOAD4(off, wa, wb) \
	LOAD(off, SI, wa); \
	LOAD(off, DI, wb)

#define ROUNDS4(k, wa, wb) \
	ROUNDS(k, X1, X2, wa); \
	ROUNDS(k, X7, X8, wb)

#define EXTEND4(wa, beforea, nexta, wb, beforeb, nextb) \
	EXTEND(wa, beforea, nexta); \
	EXTEND(wb, beforeb, nextb)

#define FIRST4(wa, olda, wb, oldb) \
	SHA256MSG1 wa, olda; \
	SHA256MSG1 wb, oldb

// The initial state, as ABEF and CDGH.
DATA iv<>+0(SB)/4, $0x9b05688c
DATA iv<>+4(SB)/4, $0x510e527f
DATA iv<>+8(SB)/4, $0xbb67ae85
DATA iv<>+12(SB)/4, $0x6a09e667
DATA iv<>+16(SB)/4, $0x5be0cd19
DATA iv<>+20(SB)/4, $0x1f83d9ab
DATA iv<>+24(SB)/4, $0xa54ff53a
DATA iv<>+28(SB)/4, $0x3c6ef372
GLOBL iv<>(SB), RODATA|NOPTR, $32

DATA swap<>+0(SB)/8, $0x0405060700010203
DATA swap<>+8(SB)/8, $0x0c0d0e0f08090a0b
GLOBL swap<>(SB), RODATA|NOPTR, $16

// The round constants.
DATA k<>+0(SB)/4, $0x428a2f98
DATA k<>+4(SB)/4, $0x71374491
DATA k<>+8(SB)/4, $0xb5c0fbcf
DATA k<>+12(SB)/4, $0xe9b5dba5
DATA k<>+16(SB)/4, $0x3956c25b
DATA k<>+20(SB)/4, $0x59f111f1
DATA k<>+24(SB)/4, $0x923f82a4
DATA k<>+28(SB)/4, $0xab1c5ed5
DATA k<>+32(SB)/4, $0xd807aa98
DATA k<>+36(SB)/4, $0x12835b01
DATA k<>+40(SB)/4, $0x243185be
DATA k<>+44(SB)/4, $0x550c7dc3
DATA k<>+48(SB)/4, $0x72be5d74
DATA k<>+52(SB)/4, $0x80deb1fe
DATA k<>+56(SB)/4, $0x9bdc06a7
DATA k<>+60(SB)/4, $0xc19bf174
DATA k<>+64(SB)/4, $0xe49b69c1
DATA k<>+68(SB)/4, $0xefbe4786
DATA k<>+72(SB)/4, $0x0fc19dc6
DATA k<>+76(SB)/4, $0x240ca1cc
DATA k<>+80(SB)/4, $0x2de92c6f
DATA k<>+84(SB)/4, $0x4a7484aa
DATA k<>+88(SB)/4, $0x5cb0a9dc
DATA k<>+92(SB)/4, $0x76f988da
DATA k<>+96(SB)/4, $0x983e5152
DATA k<>+100(SB)/4, $0xa831c66d
DATA k<>+104(SB)/4, $0xb00327c8
DATA k<>+108(SB)/4, $0xbf597fc7
DATA k<>+112(SB)/4, $0xc6e00bf3
DATA k<>+116(SB)/4, $0xd5a79147
DATA k<>+120(SB)/4, $0x06ca6351
DATA k<>+124(SB)/4, $0x14292967
DATA k<>+128(SB)/4, $0x27b70a85
DATA k<>+132(SB)/4, $0x2e1b2138
DATA k<>+136(SB)/4, $0x4d2c6dfc
DATA k<>+140(SB)/4, $0x53380d13
DATA k<>+144(SB)/4, $0x650a7354
DATA k<>+148(SB)/4, $0x766a0abb
DATA k<>+152(SB)/4, $0x81c2c92e
DATA k<>+156(SB)/4, $0x92722c85
DATA k<>+160(SB)/4, $0xa2bfe8a1
DATA k<>+164(SB)/4, $0xa81a664b
DATA k<>+168(SB)/4, $0xc24b8b70
DATA k<>+172(SB)/4, $0xc76c51a3
DATA k<>+176(SB)/4, $0xd192e819
DATA k<>+180(SB)/4, $0xd6990624
DATA k<>+184(SB)/4, $0xf40e3585
DATA k<>+188(SB)/4, $0x106aa070
DATA k<>+192(SB)/4, $0x19a4c116
DATA k<>+196(SB)/4, $0x1e376c08
DATA k<>+200(SB)/4, $0x2748774c
DATA k<>+204(SB)/4, $0x34b0bcb5
DATA k<>+208(SB)/4, $0x391c0cb3
DATA k<>+212(SB)/4, $0x4ed8aa4a
DATA k<>+216(SB)/4, $0x5b9cca4f
DATA k<>+220(SB)/4, $0x682e6ff3
DATA k<>+224(SB)/4, $0x748f82ee
DATA k<>+228(SB)/4, $0x78a5636f
DATA k<>+232(SB)/4, $0x84c87814
DATA k<>+236(SB)/4, $0x8cc70208
DATA k<>+240(SB)/4, $0x90befffa
DATA k<>+244(SB)/4, $0xa4506ceb
DATA k<>+248(SB)/4, $0xbef9a3f7
DATA k<>+252(SB)/4, $0xc67178f2
GLOBL k<>(SB), RODATA|NOPTR, $256

// From FEBA and HGDC, lowest word first, to ABCD and EFGH.
#define STORE(abef, cdgh, p) \
	PSHUFD $0x1B, abef, abef; \
	PSHUFD $0x1B, cdgh, cdgh; \
	MOVO abef, X13; \
	PUNPCKLQDQ cdgh, abef; \
	PUNPCKHQDQ cdgh, X13; \
	PSHUFB X14, abef; \
	PSHUFB X14, X13; \
	MOVOU abef, 0(p); \
	MOVOU X13, 16(p)

// func sum2(sum, sum2 *[32]byte, p, p2 *byte, blocks, more int)
TEXT ·sum2(SB), NOSPLIT, $64-48
	MOVQ p+16(FP), SI
	MOVQ p2+24(FP), DI
	MOVQ blocks+32(FP), CX
	MOVQ more+40(FP), BX
	LEAQ k<>(SB), AX
	MOVOU swap<>(SB), X14
	MOVOU iv<>+0(SB), X1
	MOVOU iv<>+16(SB), X2
	MOVO X1, X7
	MOVO X2, X8

block:
	MOVOU X1, 0(SP)
	MOVOU X2, 16(SP)
	MOVOU X7, 32(SP)
	MOVOU X8, 48(SP)

	LOAD4(0, X3, X9)
	ROUNDS4(0, X3, X9)
	LOAD4(16, X4, X10)
	ROUNDS4(16, X4, X10)
	FIRST4(X4, X3, X10, X9)
	LOAD4(32, X5, X11)
	ROUNDS4(32, X5, X11)
	FIRST4(X5, X4, X11, X10)
	LOAD4(48, X6, X12)
	ROUNDS4(48, X6, X12)
	EXTEND4(X6, X5, X3, X12, X11, X9)
	FIRST4(X6, X5, X12, X11)
	ROUNDS4(64, X3, X9)
	EXTEND4(X3, X6, X4, X9, X12, X10)
	FIRST4(X3, X6, X9, X12)
	ROUNDS4(80, X4, X10)
	EXTEND4(X4, X3, X5, X10, X9, X11)
	FIRST4(X4, X3, X10, X9)
	ROUNDS4(96, X5, X11)
	EXTEND4(X5, X4, X6, X11, X10, X12)
	FIRST4(X5, X4, X11, X10)
	ROUNDS4(112, X6, X12)
	EXTEND4(X6, X5, X3, X12, X11, X9)
	FIRST4(X6, X5, X12, X11)
	ROUNDS4(128, X3, X9)
	EXTEND4(X3, X6, X4, X9, X12, X10)
	FIRST4(X3, X6, X9, X12)
	ROUNDS4(144, X4, X10)
	EXTEND4(X4, X3, X5, X10, X9, X11)
	FIRST4(X4, X3, X10, X9)
	ROUNDS4(160, X5, X11)
	EXTEND4(X5, X4, X6, X11, X10, X12)
	FIRST4(X5, X4, X11, X10)
	ROUNDS4(176, X6, X12)
	EXTEND4(X6, X5, X3, X12, X11, X9)
	FIRST4(X6, X5, X12, X11)
	ROUNDS4(192, X3, X9)
	EXTEND4(X3, X6, X4, X9, X12, X10)
	FIRST4(X3, X6, X9, X12)
	ROUNDS4(208, X4, X10)
	EXTEND4(X4, X3, X5, X10, X9, X11)
	ROUNDS4(224, X5, X11)
	EXTEND4(X5, X4, X6, X11, X10, X12)
	ROUNDS4(240, X6, X12)
	MOVOU 0(SP), X13
	PADDL X13, X1
	MOVOU 16(SP), X13
	PADDL X13, X2
	MOVOU 32(SP), X13
	PADDL X13, X7
	MOVOU 48(SP), X13
	PADDL X13, X8

	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ block

	MOVQ sum+0(FP), DX
	CMPQ DX, $0
	JEQ second
	STORE(X1, X2, DX)

	// The first has ended. For what is left of the second, the first's registers repeat it.
	CMPQ BX, $0
	JEQ second
	MOVQ $0, sum+0(FP)
	MOVQ BX, CX
	MOVQ DI, SI
	JMP block

second:
	MOVQ sum2+8(FP), DX
	STORE(X7, X8, DX)
	RET

// func cpuid(leaf uint32) (eax, ebx, ecx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-20
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	RET

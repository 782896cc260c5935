// Package chain is what makes a record of tool calls tamper evident. It is pure
// computation: no files, no clock, no context.
//
// # Canonical JSON
//
// A hash needs one sequence of bytes for one value. [Canonical] gives it: the
// form of RFC 8785, except that a number token keeps its own bytes.
//
//   - Members are in the order of their names as UTF-16 code units.
//   - Strings are UTF-8; only the quote, the backslash and U+0000 to U+001F are
//     escaped, as \b \t \n \f \r where JSON has that form, else as \u00xx.
//   - There is no white space.
//   - Numbers stay as they are written: 1, 1.0, 1e0 and -0 differ. RFC 8785
//     would turn 9007199254740993 into 9007199254740992 and 1e400 into another
//     number, so that two inputs had one hash.
//
// Refused, with the place: duplicate member names, invalid UTF-8, surrogates
// without their other half, numbers that JSON does not have, nesting over
// [MaxDepth], and whatever else is not JSON (RFC 8259), a byte order mark
// included. The form is never longer than the text.
//
// # The chain of a ledger
//
// An entry ([Entry]) is a JSON object. Of its members args, context, metadata, prompt,
// reasoning and response are payload, the others header. Payload enters the digest
// through commitments, one for each pointer (RFC 6901), so that any one value can be
// removed later while everything still verifies. A non-empty object of at most 1,024
// members in args, metadata or response gives a pointer a member, as /args/path; every
// other payload member that is present gives one for itself. With ‖ for concatenation,
// two hexadecimal digits for a byte, and numbers big-endian:
//
//	salt    = SHA-256(02 ‖ seed ‖ seq(8))[:16]   seed: 32 random bytes for a range of entries
//	salt_p  = SHA-256(03 ‖ salt ‖ p)[:16]        p: the pointer in UTF-8
//	c_p     = SHA-256(04 ‖ salt_p ‖ canonical(value))
//	payload = SHA-256(05 ‖ for each pointer, in canonical order: length of p(4) ‖ p ‖ c_p)
//	header  = canonical({"v":1, every header member, "payload":hex, "prev":hex})
//	digest  = SHA-256(00 ‖ header)
//
// prev is the digest of the entry before in the session, 64 zeros for the first. The
// digest is at once a link of the session's chain and, 00 being the prefix of a leaf in
// RFC 6962, a leaf of the Merkle tree over all entries of the ledger in the order in
// which they were appended ([Edge]). The chain shows an edited, reordered or inserted
// entry; the tree, with a root that is kept elsewhere, also one that was cut off, and a
// session that was removed. Member names are not secret: they stand in the pointers.
//
// # The chain of a transcript
//
// A transcript is a file of calls, one JSON object a line, with the members
// index, tool, args and response. Sealing gives each line the members prev and
// digest, in the format of ToolReplay:
//
//	digest(N) = hex(SHA-256(canonical({"args":A,"index":N,"prev":P,"response":R,"tool":T})))
//	P         = digest(N-1); for N = 0, 64 zeros
//	line(N)   = canonical({"args":A,"digest":D,"index":N,"prev":P,"response":R,"tool":T}) and a newline
//
// An edited, reordered, inserted or removed line breaks a link ([Verifier]).
// What such a chain cannot show by itself: that lines were cut off its end, or
// that somebody sealed the whole file anew. For that its last digest must be
// kept where the file's writer cannot reach it.
package chain

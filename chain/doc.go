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
// # Checkpoints and proofs
//
// A checkpoint ([Checkpoint]) is origin, size and root of a ledger in a signed note
// ([Signer], [OpenNote]). With it, [Prove] shows that an entry is in the ledger, [ProveTree]
// that a ledger begins with an older one, and [Judge] what of a ledger is no longer what was
// signed. The forms are those of C2SP: signed-note, tlog-checkpoint, tlog-cosignature with
// Ed25519, tlog-proof, tlog-policy ([Trust]), tlog-tiles ([TilePath]), and the request of
// tlog-witness ([Growth]). A proof's extra data is a line of evidence ([Evidence.Keep]).
//
// # Who is detected, and what for that must be kept where
//
// What is said of a "verifier" is true of verify, with what stands in the second column.
// Whoever is further down can do what those above can.
//
//	who and what they do                   seen by
//	---------------------------------------------------------------------------------------
//	a disk that flips bits, a crash        the ledger alone: every stored byte that an
//	                                       answer hangs on is hashed or has a checksum
//	a power cut, and a log of Badger that  what was acknowledged, if heads was written: its
//	is cut or damaged at its end           last record says what size was reached, at most a
//	                                       second of load behind. Entries newer than that
//	                                       may be gone without a word; a checkpoint whose
//	                                       note is elsewhere shows it
//	a user of the API                      nothing to see: there is no call that changes an
//	                                       entry, and recorded cannot be set
//	somebody who edits files, and does     the ledger alone: entries changed, moved, put in,
//	not compute hashes anew                taken out in the middle; a session taken out
//	the same, and makes it all anew: cuts  a checkpoint from before, kept where they cannot
//	the end off, takes a session out,      write, and the public key. Without: NOT SEEN
//	puts an old copy back, writes another
//	history
//	the same, behind the last checkpoint   NOT SEEN: what no checkpoint covers may be
//	                                       anything. Make them often (Options.Checkpoint)
//	the same, with entries of the own      a removal without a signature says so, "whoever
//	session forged: a removal by policy    could write the directory could write this": that
//	that nobody decided                    it was policy is NOT proven. What was removed is
//	                                       known by its commitment alone, and the removal is
//	                                       under the next checkpoint. With a control key: the
//	                                       signature is missing
//	an operator with the running program   as above; nothing shows that an entry was never
//	                                       appended, or that it is not true
//	the same with the key: signs another   a verifier's state, or any two notes: a fork, with
//	history                                both as evidence. KEYFILE.last refuses it, if they
//	                                       do not remove that: keep the key and it on another
//	                                       account or machine. A witness refuses it, if its
//	                                       folder is out of their reach
//	the same, and shows two people two     a quorum of witnesses that both demand (--trust).
//	histories                              Without: only when the two compare notes
//	the same, with witnesses' keys too     NOT SEEN by whoever kept nothing
//	whoever has an old proof               it stays true: it says what was, not what is now
//	whoever gets a proof or an export      learns the names of members, never of a value that
//	                                       is not in it: 128 bits of salt are before each
//
// Keep: the public key with the auditor; checkpoints (--out) on a disk, in a mail or a
// repository where those who write the ledger cannot write; the private key and its .last
// together, apart from the ledger; a verifier's state with the verifier; witnesses with
// people who would not agree to hide something.
//
// The key of a ledger is trusted as long as it was not stolen: a thief signs what they like
// from then on, and, with the ledger, other histories from before; the notes that were out
// then are what contradicts them. A new key is named by the old one, so a thief can name
// one. When something happened is the clock of the ledger's machine, and recorded may not
// fall; a witness's cosignature has the witness's clock.
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

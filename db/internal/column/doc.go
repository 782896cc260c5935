// Package column stores one column of a block: for each of up to 8,192 rows a byte
// string, or that it is absent. It makes of them a small meta and pages of at most
// 512 KiB, which the caller stores each under a key of its own, and reads them back
// a page when it is needed.
//
// # How it gets small
//
// Rows repeat values, so the distinct ones are numbered in order of first
// appearance, and rows refer back to them (codes.go). The distinct values are
// stored in one of three encodings, chosen from their size and a sample:
//
//	values    as they are, few and short or nothing else   values.go
//	template  ids of one pattern, as streams of integers   template.go, ints.go
//	text      as codes of words in a dictionary            text.go
//
// Numbers and lengths below are uvarints unless they are said to be one byte.
//
//	meta     = version (1) unicode (1) rows distinct pages range codes encoding (1) rest
//	range    = 0 (1), or 1 (1) least (varint) greatest (varint): all values are integers
//	codes    = section
//	section  = size, and if it is at most 256 its bytes, else page offset  (section.go)
//
// The rest is that of the encoding, 0 for none, 1 for values, 2 for a template, 3
// for text, and is drawn in its file. It refers to sections and holds nothing large.
// In sections stand packed streams, each with the general codec that made it
// smallest (pack.go):
//
//	stream   = 0 (1) length bytes            as they are
//	         | 1 (1) length byte             one byte, repeated
//	         | 2 (1) length size bytes       huff0
//	         | 3 (1) length size bytes       zstd
//
// # How it is searched
//
// The May methods answer from the meta, a dictionary or a filter, and their "false"
// is certain. Few values, and templates, answer whether they have a value exactly;
// a dictionary knows all its words, so a term that it lacks, and a part of a text
// that no words next to each other could make, is in no value; what has no
// dictionary, and pairs of letters of scripts that are written without spaces, go
// through a Bloom filter (filter.go), unless the column is one that nobody asks. All
// ask without case, in the widest sense (fold.go).
//
// Which values of a text may have a term or a part is told by their codes
// (textsearch.go): what is looked for is cut into words as the text was, of which the
// first may be the end of one in the dictionary, the last the beginning of one, and
// those between are words; then codes of such words must follow each other, in one of
// the pages that have all of them (textplaces.go).
//
// # Invariants, tested by round trips, properties and fuzzing
//
//  1. What was encoded comes back, whatever its bytes.
//  2. The same rows give the same bytes, whichever Encoder made them.
//  3. No page is longer than 512 KiB.
//  4. A May method that says false is right, and so are Having and Containing.
//  5. Bytes that no Encoder made give an error that wraps ErrCorrupt, or some
//     values; never a panic, and never more memory than a block may have.
//  6. A Reader never writes to a page: it may be mapped from a file.
package column

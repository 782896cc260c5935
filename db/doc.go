// Package db keeps a ledger on disk: entries that are chained in their sessions and
// together make one Merkle tree, appended and never changed.
//
// # Folder
//
//	my.ledger/            mode 0700
//	  CURRENT             the name of the store's folder
//	  badger.1/           the store
//	  heads               ring of the last sizes and roots, each written after its
//	                      commit and before its acknowledgement
//	  checkpoints         every checkpoint that was signed, appended
//	  lock, clean         who holds the ledger; that it was closed cleanly
//	  quarantine/         what an opening after a crash sets aside until it is sure
//
// # Format, version 1
//
// The store is Badger. Every value ends with the xxhash64 of its key and itself, whose
// seed is the key's length; no value is over 512 KiB. The first byte of a key names
// its keyspace; numbers are big-endian, and a session ends with a zero byte:
//
//	'm' "state"            size, right edge, blocks, packed: see state.go
//	't' seq(8) part(4)     an entry in the tail, in parts: see tail.go
//	'e' session index(8)   the seq of an entry in the tail
//	'b' block(8)           the head of a block, 'c' block(8) generation(4) column(2)
//	                       page(2) a page of a column of it: see block.go
//	'x' session index(8)   a run: in which blocks a session is, see run.go
//	'h' level(1) tile(8)   hashes of the tree, 256 a tile; level 0 is the digests
//	's' session            a session's head, and the one before: see head.go
//	'r' seq(8)             the seed of the range of entries from there: see seed.go
//
// Entries are appended to the tail. When a range of it is full, at 8,192 entries or 8
// MiB, it becomes a block of columns (pack.go); a load makes blocks at once (load.go), and
// another of what is left behind them, from 64 entries on: a row of the tail costs every query
// 7 µs, a block 30. A load of less than 1,024 goes to the tail, so that a ledger of many small
// imports has no more than three times the blocks that it needs for its large ones.
// A range has a seed of its own, from which the salts of its entries come
// (package chain), and is exactly a block.
//
// # Visibility
//
// What the state does not cover does not exist. It is one value, written in one
// transaction with the last of what it covers: so blocks, tiles, heads and tails of any
// size become visible at once, and a crash leaves nothing half done. What it leaves
// that is not visible, the next opening removes.
//
// # Invariants, tested by number by [Ledger.Check]
//
//  1. Entries have the seqs from 0 to size: those below packed in blocks that follow
//     each other, the others in the tail, each in exactly one place.
//  2. The entries of a session have the indexes from 0, in the order of their seqs.
//  3. Each digest follows from the entry, its salt and the digest before it in its
//     session ([chain.AppendHeader], [chain.Digest]).
//  4. The tiles and the right edge are those of the tree over all digests.
//  5. The head of each session is its last entry, and there is a head for each session.
//  6. Each run leads to blocks that have the entries it names.
//  7. What a scan goes by, dictionaries and filters, is what the rows make.
//  8. recorded never falls from one entry to the next.
//  9. Size and root reach the last record of heads.
//  10. The checkpoints in the folder agree with the tree, and a key that the ledger's own
//     session names signed each.
//  11. Values are gone that an entry of the ledger's own says, which came after them, and no
//     others; and those that one says are gone are not there, unless it is pending.
//
// # Checkpoints
//
// A checkpoint covers the entries up to one of the ledger's own session that was appended
// for it, with action checkpoint and the key in args: so there is one at every time, and
// its recorded tells when. Before it is signed, what was appended since the last one is read
// from the store and hashed again. Entries of the last minutes may come from Badger's memory
// there; they are read from its files by whatever verifies later. The signature is let out
// when the memory of the key (KEYFILE.last) is durable, and the file checkpoints is
// written after that: what a crash leaves out there was signed and is remembered, and what
// it leaves half written there is cut off at the next opening. With action rotate, args name
// the key that comes next, and metadata has a note over them that the present key signed
// ([chain.ControlText]).
//
// # Removal
//
// A stored entry never changes, but that values of its payload can be removed: by an entry of the
// ledger's own that comes first, and says what, by whom and why (remove.go). The block is made
// again without them, as the next generation of its pages, which its head switches to in one
// transaction with the salts (rebuild.go). In place of an entry's salt then stand the commitments
// to what is gone and the salts of what is left (removal.go). No entry of the tail has lost a
// value: the tail is packed before. Deleted bytes linger in Badger's files until [Vacuum].
//
// # What Badger is not trusted with
//
// Badger loses some data without an error when its files are damaged. So every read
// goes by a count that is known (seq, index, rows), "not found" where an entry must be
// is damage, and checksums are our own. Before Badger opens the files, package guard
// looks for what it would repair by deleting. What is missing afterwards makes a
// [DamagedError], beside a ledger that can be read.
//
// # Badger's settings
//
// They stand in options.go. Nothing goes to the value log, whose failed sync Badger only
// logs: values are at most 512 KiB, the threshold is 1 MiB. Compression and checksums are
// ours, so Badger's are off, and it needs no block cache. Opening then reads indexes and
// the heads of our blocks: a ledger opens and answers in 10 to 20 ms and 26 MB, as a process,
// with 1,000,000 entries as with 5,000,000. With checksums on table read it would read the
// whole store; that is done after an unclean stop alone, by package guard, where a bad
// block is an error and no end of the process. Table blocks are of 64 KiB, since Badger
// takes three times the size of a value that is larger than one when it makes a table. A
// memory table of 16 MiB makes transactions of up to 2.4 MB, and an import of 1,000,000
// entries (705 MB) has a peak of 330 MB; with large results that cannot be packed it is 850 MB.
//
// Pages of blocks are not read by Badger's Get, which makes three copies of a value, each in
// memory of its own, but through iterators, which make two in memory that they use again
// (pageread.go): a page fault costs more than to copy 4 KiB.
//
// A walk through a session reads a few rows of many blocks, and would spend a third of its
// time on having Badger search and copy their pages: it keeps up to 64 MiB of them
// (pagecache.go), checked, beside whose the rows of a block are. Nothing else reads from
// there, least of all verification.
//
// A writer merges its tables when it closes, though that rewrites most of a small ledger:
// 0.25 s and 200 MB for one entry after 1,000,000. Heads, state and tiles are written again
// with each commit, and of a key whose newest version cannot be found any more in a damaged
// table Badger gives an older one without a word, if it has one.
//
// # A load that makes a ledger
//
// Under a ledger that exists, every transaction of a load is synced, since Badger's log is
// one for what is visible and what is not. A ledger that is made by a load is none until it
// is closed, when CURRENT is written. So until then nothing is synced, which saves the
// twentieth part of an import's time: a sync of mapped pages stops all cores, page by page.
// For the same reason its tables are merged late (lateTables): Badger syncs each that it writes. With
// large results that saves a seventh of the time and a quarter of the memory.
//
// # Locks
//
// checkpointing is taken before packing, that before write, write before mu. checkpointing
// is held by whoever makes a checkpoint, packing by whoever makes blocks, write by whoever
// changes the state. The lock of a key's memory, or of a witness, is taken in a checkpoint
// alone.
package db

// Package guard stands between a ledger's folder and Badger. It checks and
// protects files: before Badger may touch them, and while it runs. It knows
// nothing of entries or keys.
//
//	my.ledger/
//	  lock         who holds the ledger               lock.go
//	  CURRENT      "badger.1\n": which store counts   current.go
//	  clean        it was closed cleanly, with what   clean.go
//	  heads        ring of the last sizes and roots   heads.go
//	  badger.1/    the store                          store.go and the files it names
//	  quarantine/  copies made before a recovery      quarantine.go
//
// # Why
//
// Badger repairs what it finds, silently. Without a MANIFEST it deletes every
// table; with a shortened one, every table that is no longer named; a write-ahead
// log ends for it at the first record that does not check. And it answers some
// damage by ending the process: a table that is cut short, a compressed block
// that does not decode. So what it would repair or trip over is looked for here,
// with plain reads, and the answer is a [DamageError].
//
// # The order of opening
//
//  1. [Lock].
//  2. [ReadCurrent], [ReadClean], [OpenHeads].
//  3. [CheckStore]; with its Clean told, since a crash explains what a clean
//     close does not. [VerifyTables], if every block is to be read.
//  4. After an unclean stop: [Quarantine].
//  5. [MarkTables]; [RemoveClean], before the first write.
//  6. Badger, with a [Log]; after an unclean stop with [RecoveryOptions].
//  7. Size and root reach [Heads.Last], or the ledger is damaged.
//  8. [RemoveQuarantine], and Badger anew with its usual options.
//
// While it runs: [CheckSpace] before a commit, [Log.Failed] after it, then
// [Heads.Append], then the acknowledgement. At close: Badger, [LostTables],
// [Heads.Sync], [WriteClean], [LockFile.Unlock].
//
// # Invariants
//
//  1. Nothing here changes a byte that Badger wrote. Only empty logs are removed.
//  2. Every small file is replaced whole: written beside, synced, renamed, and
//     the folder synced.
//  3. What a crash can leave passes [CheckStore]; what it cannot leave does not.
//  4. The ring may lag behind the store, never lead it.
//
// That "a crash" means: the process was killed, or the machine lost power and
// the disk kept every byte it had acknowledged.
package guard

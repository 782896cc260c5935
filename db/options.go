package db

import (
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// Options say how a ledger is opened. The zero value is the right default for a
// program that writes its audit trail: created if it does not exist, every append
// durable before it returns.
type Options struct {
	// ReadOnly opens beside other readers. A ledger that does not exist is
	// [ErrNoLedger] then.
	ReadOnly bool
	// NoSync makes appends return before they are on disk, for loads that can be
	// repeated. Close brings all of them there. If the process dies before, nothing is
	// lost; if the machine does, the newest entries are, and where that leaves a gap the
	// ledger opens as damaged and is to be recovered.
	NoSync bool
	// Key encrypts the store against who steals the disk: 16, 24 or 32 bytes, the
	// same at every opening.
	Key []byte
	// Origin names the ledger in its checkpoints, as example.com/ledger/team-a; the name
	// of Checkpoint.Signer where empty. It counts when the ledger is created.
	Origin string
	// Checkpoint says who signs the ledger's checkpoints, and when.
	Checkpoint Checkpointing
	// Load creates a ledger to load much into it at once, faster: nothing is synced before
	// Close, which makes it a ledger if a load has finished. If the process or the machine
	// dies before, there is none. The folder must not have a ledger.
	Load bool
	// Restore is Load of a whole export, into a ledger without an entry of its own.
	Restore bool
	first   []byte // members of the first entry's args, an object, of a ledger that is recovered
	// Retention removes the payload of sessions that were kept long enough, while the ledger is
	// open. What was removed is in the files until [Vacuum].
	Retention Retention
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// late tells whether a ledger is one only when it is closed after what it was created for
// is done.
func (o *Options) late() bool { return o.Load || o.Restore || o.first != nil }

// check reports everything that is wrong with o at once, and sets what follows from the rest.
func (o *Options) check() error {
	var errs []error
	if n := len(o.Key); n != 0 && n != 16 && n != 24 && n != 32 {
		errs = append(errs, fmt.Errorf("a key of %d bytes: expected 16, 24 or 32", n))
	}
	if o.Origin != "" {
		errs = append(errs, chain.CheckName(o.Origin))
	}
	errs = append(errs, o.Checkpoint.check(o))
	if o.ReadOnly && o.NoSync {
		errs = append(errs, errors.New("ReadOnly and NoSync exclude each other"))
	}
	if o.ReadOnly && o.late() {
		errs = append(errs, errors.New("ReadOnly opens a ledger, Load and Restore make one"))
	}
	if err := o.Retention.check(); err != nil {
		errs = append(errs, err)
	}
	if o.ReadOnly && len(o.Retention.Rules) > 0 {
		errs = append(errs, errors.New("ReadOnly removes nothing, and so has no Retention"))
	}
	if o.Retention.Every == 0 {
		o.Retention.Every = time.Hour
	}
	if o.late() {
		o.NoSync = true
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return errors.Join(errs...)
}

// memTable is the size of Badger's memory table: a transaction holds 15 % of it.
const memTable = 16 << 20

// lateTables is how many memory tables of a late ledger become tables before these are merged: five, as is
// usual, made Badger write all that it had once again for every 80 MB, since the keys of each
// are all over the keyspaces.
const lateTables = 24

// badgerOptions are Badger's settings under a ledger. Values are compressed and
// checked here, so that it does neither; nothing goes to its value log, a failed
// sync of which it only logs; its blocks are read from mapped files, so that opening
// reads tables' indexes and little else; and a block has room for most values. What
// closes merges tables: an older version of a key must not be found where the newest cannot
// be read. Tables have half of the usual 16 MiB: for each of up to eight that it made, Badger keeps
// four times that in memory.
func (o *Options) badgerOptions(dir string, log *guard.Log) badger.Options {
	b := badger.DefaultOptions(dir).
		WithReadOnly(o.ReadOnly).
		WithSyncWrites(!o.NoSync && !o.ReadOnly).
		WithValueThreshold(1 << 20).
		WithValueLogFileSize(16 << 20).
		WithMemTableSize(memTable).WithNumMemtables(2).
		WithBaseTableSize(8 << 20).WithBaseLevelSize(256 << 20).
		WithNumCompactors(2).WithCompactL0OnClose(!o.ReadOnly).
		WithNumVersionsToKeep(1).WithDetectConflicts(false).
		WithCompression(options.None).WithBlockSize(64 << 10).
		WithBlockCacheSize(0).WithIndexCacheSize(0).
		WithChecksumVerificationMode(options.NoVerification).
		WithMetricsEnabled(false).
		WithLogger(log)
	if o.late() {
		b = b.WithNumLevelZeroTables(lateTables).WithNumLevelZeroTablesStall(2 * lateTables)
	}
	if len(o.Key) > 0 {
		b = b.WithEncryptionKey(o.Key).WithBlockCacheSize(32 << 20).WithIndexCacheSize(32 << 20)
	}
	return b
}

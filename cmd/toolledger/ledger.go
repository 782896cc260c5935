package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"toolledger/db"
)

// ledgerFlags are the flags of the commands that open a ledger.
type ledgerFlags struct {
	dir     string
	keyFile string
	origin  string // of a ledger that is made
}

func (f *ledgerFlags) declare(flags *pflag.FlagSet) {
	flags.StringVarP(&f.dir, "ledger", "l", os.Getenv("TOOLLEDGER"), "the ledger, `DIR`; the variable TOOLLEDGER names it too")
	flags.StringVar(&f.keyFile, "key-file", "", "`FILE` with the key of an encrypted ledger, in hexadecimal; the variable TOOLLEDGER_KEY has it too")
	flags.Lookup("ledger").DefValue = ""
}

// declareOrigin declares the flag of the commands that make a ledger that does not exist.
func (f *ledgerFlags) declareOrigin(flags *pflag.FlagSet) {
	flags.StringVar(&f.origin, "origin", "", "`NAME` in its checkpoints of a ledger that is made, as example.com/ledger/team-a")
}

// open opens the ledger. One that is damaged is opened too; the error of what is
// asked of it says so.
func (f *ledgerFlags) open(opt db.Options) (*db.Ledger, error) {
	if f.dir == "" {
		return nil, &usageError{msg: "expected a ledger: -l DIR, or the variable TOOLLEDGER"}
	}
	key, err := f.key()
	if err != nil {
		return nil, err
	}
	opt.Key = key
	if f.origin != "" {
		opt.Origin = f.origin
	}
	return db.Open(f.dir, opt)
}

// openWhole opens a ledger that is to be written: none that is damaged.
func (f *ledgerFlags) openWhole(opt db.Options) (*db.Ledger, error) {
	led, err := f.open(opt)
	if err != nil && led != nil {
		led.Close()
		led = nil
	}
	return led, err
}

// read opens the ledger to be read, until do is done or an interrupt ends its context.
// What Open says of a ledger that is damaged goes to do, which has its own way to say so.
func (f *ledgerFlags) read(do func(ctx context.Context, led *db.Ledger, damage error) error) error {
	led, damage := f.open(db.Options{ReadOnly: true})
	if led == nil {
		return damage
	}
	defer led.Close()
	ctx, stop := interruptible()
	defer stop()
	return do(ctx, led, damage)
}

// key returns the key of an encrypted ledger, nil if none is given.
func (f *ledgerFlags) key() ([]byte, error) {
	text, where := os.Getenv("TOOLLEDGER_KEY"), "the variable TOOLLEDGER_KEY"
	if f.keyFile != "" {
		b, err := os.ReadFile(f.keyFile)
		if err != nil {
			return nil, fmt.Errorf("cannot read the key: %w", err)
		}
		text, where = string(b), f.keyFile
	}
	if text == "" && f.keyFile == "" {
		return nil, nil
	}
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != 16 && len(key) != 24 && len(key) != 32 {
		return nil, fmt.Errorf("%s: expected a key of 32, 48 or 64 hexadecimal digits", where)
	}
	return key, nil
}

// interruptible returns a context that ends with an interrupt.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// isDamaged tells whether an error is what is wrong with a ledger itself.
func isDamaged(err error) bool {
	var d *db.DamagedError
	return errors.As(err, &d)
}

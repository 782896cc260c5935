package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"toolledger/db"
)

// removeFlags are those of the commands that remove values.
type removeFlags struct {
	ledgerFlags
	signer, by  string
	yes, vacuum bool
}

func (f *removeFlags) declare(flags *pflag.FlagSet) {
	f.ledgerFlags.declare(flags)
	flags.StringVar(&f.by, "by", "", "`NAME` of who asks for it; else that of the user")
	flags.StringVar(&f.signer, "signer", os.Getenv("TOOLLEDGER_SIGNER"), "`FILE` with the ledger's private key, which signs the removal; the variable TOOLLEDGER_SIGNER names it too")
	flags.Lookup("signer").DefValue = ""
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.BoolVar(&f.vacuum, "vacuum", false, "then write the store anew, so that the bytes are in no file")
}

// who returns who asks for a removal.
func (f *removeFlags) who() string {
	if f.by != "" {
		return f.by
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// openSigner returns the key that signs removals, nil if none is named.
func (f *removeFlags) openSigner() (*db.Signer, error) {
	if f.signer == "" {
		return nil, nil
	}
	return db.OpenSigner(f.signer)
}

// errDeclined ends a command that was not confirmed.
var errDeclined = errors.New("nothing was removed: it was not confirmed")

// confirm asks whether to go on. Without a terminal, nobody can be asked.
func (f *removeFlags) confirm(std stdio) error {
	if f.yes {
		return nil
	}
	if !term.IsTerminal(int(std.in.Fd())) {
		return &usageError{msg: "nothing was removed: standard input is no terminal, where to confirm it; --yes does without"}
	}
	fmt.Fprint(std.err, "remove? This cannot be undone. Type yes: ")
	answer, err := bufio.NewReader(std.in).ReadString('\n')
	if strings.TrimSpace(answer) == "yes" {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errDeclined
}

// erase does what erases the bytes of what was removed, or says what does.
func (f *removeFlags) erase(ctx context.Context, std stdio) error {
	if !f.vacuum {
		return write(std.out, "the bytes are in the files until 'toolledger vacuum' writes the store anew\n")
	}
	return f.vacuumLedger(ctx, std)
}

// change opens the ledger for a removal, and erases the bytes if remove tells that something was removed.
func (f *removeFlags) change(std stdio, opt db.Options, remove func(context.Context, *db.Ledger, *db.Signer) (bool, error)) error {
	signer, err := f.openSigner()
	if err != nil {
		return err
	}
	led, err := f.openWhole(opt)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	done, err := remove(ctx, led, signer)
	if err := errors.Join(err, led.Close()); err != nil || !done {
		return err
	}
	return f.erase(ctx, std)
}

package main

import (
	"io/fs"
	"os"

	"toolledger/audit"
	"toolledger/db"
	"toolledger/query"
)

// A files opens the files that a query names, from the working folder on.
type files struct{}

func (files) Open(name string) (fs.File, error) { return os.Open(name) }

// languageOf returns the language of queries on a ledger, of those that need none if s is
// nil. A safe one reads no file.
func languageOf(s *db.Snapshot, opt query.Options, safe bool) *query.Language {
	var policies fs.FS = files{}
	if safe {
		policies = nil
	}
	if s == nil {
		opt.Operators = audit.Operators(nil, policies)
		return query.New(opt)
	}
	opt.Tables, opt.Operators = query.LedgerTables(s), audit.Operators(s, policies)
	return query.New(opt)
}

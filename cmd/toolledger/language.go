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
// nil.
func languageOf(s *db.Snapshot, opt query.Options) *query.Language {
	if s == nil {
		opt.Operators = audit.Operators(nil, files{})
		return query.New(opt)
	}
	opt.Tables, opt.Operators = query.LedgerTables(s), audit.Operators(s, files{})
	return query.New(opt)
}

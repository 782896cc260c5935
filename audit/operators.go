package audit

import (
	"io/fs"

	"toolledger/db"
	"toolledger/query"
)

// A Ledger is what some operators read beside the rows that they are given; *db.Snapshot is
// one.
type Ledger interface {
	Session(session string) (*db.Head, error)
	Entry(session string, index uint64) (*db.Record, error)
}

// Operators returns the operators that ask an auditor's questions, for [query.Options]. led,
// which may be nil, is the ledger that they are asked of; files is where policies are read, nil where none may be.
func Operators(led Ledger, files fs.FS) []query.Operator {
	return []query.Operator{
		replayOperator,
		sealOperator,
	}
}

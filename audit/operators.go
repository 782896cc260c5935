package audit

import (
	"context"
	"fmt"
	"io/fs"
	"iter"

	"toolledger/db"
	"toolledger/query"
)

// A Ledger is what some operators read beside the rows that they are given; *db.Snapshot is
// one.
type Ledger interface {
	Session(session string) (*db.Head, error)
	Entry(session string, index uint64) (*db.Record, error)
	Sessions() iter.Seq2[*db.Head, error]

	Size() uint64
	SessionCount() uint64
	Verify(ctx context.Context, progress func(done, of uint64)) (*db.Report, error)
	VerifySession(ctx context.Context, session string) (*db.SessionReport, error)
}

// needsLedger is the error of an operator that reads the ledger, where there is none.
func needsLedger(operator string) error {
	return fmt.Errorf("%s reads the ledger, and the query has none: -l DIR names it", operator)
}

// Operators returns the operators that ask an auditor's questions, for [query.Options]. led,
// which may be nil, is the ledger that they are asked of; files is where policies are read, nil
// where none may be.
func Operators(led Ledger, files fs.FS) []query.Operator {
	return []query.Operator{
		replayOperator,
		sealOperator,
		scopeOperator(files),
		verifyOperator(led),
		diffOperator(led),
		profileOperator,
		driftOperator,
		calltree,
		scene,
	}
}

package main

import (
	"context"

	"toolledger/db"
	"toolledger/query"
)

// eachFound calls use with each row of the last query of a text, asked of a ledger.
func eachFound(ctx context.Context, led *db.Ledger, text string, use func(row []query.Value)) error {
	s, err := led.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	results, err := languageOf(s, query.Options{}, true).Compile(ctx, text, nil)
	if err != nil {
		return err
	}
	for b, err := range results[len(results)-1].Batches(ctx) {
		if err == nil {
			err = b.Fill()
		}
		if err != nil {
			return err
		}
		for row := range b.N {
			use(b.Row(row))
		}
	}
	return nil
}

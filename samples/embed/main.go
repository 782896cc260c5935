// Command embed records what an agent does in a ledger, and reads it back: what a
// program does that has toolledger as its audit store.
//
//	go run ./samples/embed my.ledger
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"toolledger/db"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: embed DIR")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string) (err error) {
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := led.Close(); err == nil {
			err = e
		}
	}()
	// The attempt and the gate's verdict are on disk before the call is made.
	call := db.Entry{Session: "demo", Request: "r1", Agent: "docs-writer", Tool: "delete_file", Args: []byte(`{"path":"docs/old.md"}`), Reasoning: "The page is out of date."}
	attempt := call
	attempt.Phase, attempt.Authorization, attempt.Policy = "ATTEMPT", "DENIED", "no-deletes"
	receipt, err := led.Append(ctx, attempt)
	if err != nil {
		return err
	}
	fmt.Printf("recorded %s/%d\n", receipt.Session, receipt.Index)

	s, err := led.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	for r, err := range s.Records(ctx, db.Range{Session: "demo"}) {
		if err != nil {
			return err
		}
		e := r.Entry()
		fmt.Printf("%s/%d %s %s %s by %s\n", r.Session, r.Index, e.Tool, e.Args, e.Authorization, e.Policy)
	}
	return nil
}

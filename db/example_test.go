package db_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"toolledger/db"
)

func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	led, err := db.Open(filepath.Join(dir, "my.ledger"), db.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer led.Close()
	receipt, err := led.Append(ctx, db.Entry{Session: "s1", Agent: "docs-reader", Tool: "ls", Args: []byte(`{"path":"docs"}`)})
	if err != nil {
		log.Fatal(err)
	}
	record, err := led.Entry(ctx, "s1", receipt.Index)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s/%d %s %s\n", record.Session, record.Index, record.Entry().Tool, record.Entry().Args)

	report, err := led.Verify(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Entries, "entries, intact:", report.Intact())
	// Output:
	// s1/0 ls {"path":"docs"}
	// 2 entries, intact: true
}

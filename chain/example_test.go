package chain_test

import (
	"log"
	"os"

	"toolledger/chain"
)

func Example() {
	canonical, err := chain.Canonical(nil, []byte(`{"index": 0, "tool": "ls", "args": {"path": "docs"}, "response": {"ok": true}}`))
	if err != nil {
		log.Fatal(err)
	}
	call, err := chain.ParseCall(chain.TextOf(canonical), false)
	if err != nil {
		log.Fatal(err)
	}
	if err := chain.NewSealer().Seal(os.Stdout, &call); err != nil {
		log.Fatal(err)
	}
	// Output: {"args":{"path":"docs"},"digest":"249654e4263c344974bea7e03ca0cc62194ef95f0cb4c7da20f01268f7cac0fe","index":0,"prev":"0000000000000000000000000000000000000000000000000000000000000000","response":{"ok":true},"tool":"ls"}
}

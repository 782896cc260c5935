package audit

import (
	"fmt"
	"strings"

	"toolledger/chain"
	"toolledger/query"
)

// A Finding is one answer: what is wrong with the call at an index.
type Finding struct {
	Index  uint64
	Kind   string  // such as redundant-call
	Detail string  // for people, in one line that is safe to show
	Other  *uint64 // the index of the call that it was compared with, nil if there is none
}

func (f Finding) String() string {
	return fmt.Sprintf("index %d: %s: %s", f.Index, f.Kind, f.Detail)
}

// quoted returns the name of a tool in canonical JSON. One that was computed may not be UTF-8.
func quoted(name string) []byte { return chain.Quote(strings.ToValidUTF8(name, "\uFFFD")) }

// maxName is how many bytes of a name a finding shows.
const maxName = 4096

// quotes escapes what would end a name early.
var quotes = strings.NewReplacer(`'`, `\x27`, `"`, `\x22`)

// quote puts a name, which is in canonical JSON, between single quotes.
func quote(name []byte) string {
	plain, more := chain.Unquote(name), ""
	if len(plain) > maxName {
		more = fmt.Sprintf("… (%d bytes)", len(plain))
		plain = strings.ToValidUTF8(plain[:maxName], "")
	}
	return "'" + quotes.Replace(query.Visible(plain)) + "'" + more
}

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
func quote(name []byte) string { return quoteText(chain.Unquote(name)) }

// quoteText puts a text between single quotes.
func quoteText(text string) string {
	if len(text) <= maxName && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '\'' || r == '"' }) {
		return "'" + text + "'" // as nearly all are
	}
	shown, more := text, ""
	if len(text) > maxName {
		more = fmt.Sprintf("… (%d bytes)", len(text))
		shown = strings.ToValidUTF8(text[:maxName], "")
	}
	return "'" + quotes.Replace(query.Visible(shown)) + "'" + more
}

// visible shows a text without quotes.
func visible(text string) string {
	if len(text) > maxName {
		return query.Visible(strings.ToValidUTF8(text[:maxName], "")) + fmt.Sprintf("… (%d bytes)", len(text))
	}
	return query.Visible(text)
}

package audit

import (
	"fmt"
	"strings"
	"unicode"

	"toolledger/chain"
)

// A Finding is one answer: what is wrong with the call at an index.
type Finding struct {
	Index  uint64
	Kind   string // such as redundant-call
	Detail string // for people, in one line that is safe to show
}

func (f Finding) String() string {
	return fmt.Sprintf("index %d: %s: %s", f.Index, f.Kind, f.Detail)
}

// maxName is how many bytes of a name a finding shows.
const maxName = 4096

// quote puts a name, which is in canonical JSON, between single quotes.
func quote(name []byte) string {
	plain, more := chain.Unquote(name), ""
	if len(plain) > maxName {
		more = fmt.Sprintf("… (%d bytes)", len(plain))
		plain = strings.ToValidUTF8(plain[:maxName], "")
	}
	return "'" + Visible(plain, `'"`) + "'" + more
}

// Visible returns text with every character escaped that could act on a terminal:
// control characters, line separators and those that change the direction of
// writing, as \xNN or \uNNNN. Those in also are escaped too. Invalid UTF-8 is
// shown byte by byte.
func Visible(text, also string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], string(r)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !acts(r) && !strings.ContainsRune(also, r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

package query

import "strings"

// Ended tells whether a text ends with the ; of a statement, which stands in no string,
// comment or bracket. If not, open is what is still open in it: an opening bracket or quote,
// or "" if nothing is.
func Ended(text string) (ended bool, open string) {
	var brackets []string
	for {
		text = text[spaceSize(text):]
		if text == "" {
			break
		}
		if n := stringPrefix(text); n >= 0 {
			size, wrong := stringSize(text, n)
			if wrong != "" {
				return false, quoteOf(text[n:])
			}
			text, ended = text[size:], false
			continue
		}
		switch b := text[0]; b {
		case '(', '[', '{':
			brackets = append(brackets, text[:1])
		case ')', ']', '}':
			brackets = brackets[:max(0, len(brackets)-1)]
		}
		ended = text[0] == ';' && len(brackets) == 0
		text = text[1:]
	}
	if len(brackets) > 0 {
		return false, brackets[len(brackets)-1]
	}
	return ended, ""
}

// quoteOf returns the quote that a string literal begins with.
func quoteOf(text string) string {
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		return text[:3]
	}
	return text[:1]
}

// A Let is a statement that gives a name.
type Let struct{ Name, Text string }

// Lets returns the statements of a text that give names.
func Lets(text string) (lets []Let) {
	list, err := lex(text)
	if err != nil {
		return nil
	}
	for _, part := range statementsOf(list) {
		n := len(part) - 1 // without EOF
		if n > 0 && part[n-1].Value == ";" {
			n--
		}
		if n > 2 && part[0].Value == "let" && part[1].Type == tokenIdent {
			last := part[n-1]
			lets = append(lets, Let{part[1].Value, text[part[0].Pos.Offset : last.Pos.Offset+len(last.Value)]})
		}
	}
	return lets
}

// OneLine returns a text in one line, with the same meaning: without comments, and with a
// space where white space was. Only in strings of several lines their ends remain.
func OneLine(text string) string {
	var out strings.Builder
	for {
		n := spaceSize(text)
		text = text[n:]
		if text == "" {
			return out.String()
		}
		if n > 0 && out.Len() > 0 {
			out.WriteByte(' ')
		}
		size := 1
		if n := stringPrefix(text); n >= 0 {
			var wrong string
			if size, wrong = stringSize(text, n); wrong != "" { // it ends with its line
				if size = strings.IndexByte(text, '\n'); size < 0 {
					size = len(text)
				}
			}
		}
		out.WriteString(text[:size])
		text = text[size:]
	}
}

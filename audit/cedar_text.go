package audit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go/types"
)

// maxStatement is how many bytes one policy of Cedar may have. Its parser goes as deep as a
// policy is nested, to the end of the stack; this much it can take.
const maxStatement = 32 << 10

// checkCedar checks that no policy of a text is too long to be read.
func checkCedar(text []byte) error {
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				for i < len(text) && text[i] != '\n' {
					i++
				}
			}
		case ';':
			start = i + 1
		}
		if i-start > maxStatement {
			return &Fault{start, fmt.Sprintf("a policy of over %d KiB", maxStatement>>10)}
		}
	}
	return nil
}

var (
	cedarPlace = regexp.MustCompile(`(?s)^parser error: (?:parse error at )?<input>:(\d+):(\d+)(?: "(?:[^"\\]|\\.)*")?: (.*)$`)
	cedarExact = regexp.MustCompile(`(?s)^exact got (.*) want (.*)$`)
)

// cedarFault makes the parser's error a fault at the place that it names.
func cedarFault(text []byte, err error) error {
	m := cedarPlace.FindStringSubmatch(err.Error())
	if m == nil {
		return &Fault{0, visible(err.Error())}
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	f := &Fault{offsetOf(string(text), line, column), visible(m[3])}
	if exact := cedarExact.FindStringSubmatch(m[3]); exact != nil {
		found := exact[1]
		f.Msg = fmt.Sprintf("expected %s, found %s", visible(exact[2]), quoteText(found))
		if found == "" {
			f.Msg = fmt.Sprintf("expected %s, found the end", visible(exact[2]))
		} else if at := strings.LastIndex(string(text[:f.Offset]), found); at >= 0 { // it is at the token behind
			f.Offset = at
		}
	}
	return f
}

// offsetOf returns how many bytes of a text are before a line and a column, in characters.
func offsetOf(text string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(text[offset:], '\n')
		if n < 0 {
			return len(text)
		}
		offset += n + 1
	}
	for i := range text[offset:] {
		if column--; column == 0 {
			return offset + i
		}
	}
	return len(text)
}

// cedarNumber makes a long of an integer that is one, else a string.
func cedarNumber(text string) types.Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Long(n)
	}
	return types.String(text)
}

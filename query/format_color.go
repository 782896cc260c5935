package query

// ANSI sequences. Colour never tells anything alone.
const (
	ansiDim   = "\x1b[2m"
	ansiBold  = "\x1b[1m"
	ansiRed   = "\x1b[31m"
	ansiGreen = "\x1b[32m"
	ansiOff   = "\x1b[0m"
)

// meanings are the colours of texts that are the whole of a value: a verdict, a phase, what
// verify and replay say.
var meanings = []struct{ text, style string }{
	{"DENIED", ansiRed},
	{"ERROR", ansiRed},
	{"broken", ansiRed},
	{"intact", ansiGreen},
}

// styleOf returns the style of a value in a table and in line, "" for none.
func styleOf(v Value) string {
	switch {
	case v.Null, v.isRemoved():
		return ansiDim
	case v.Kind == String:
		for _, m := range meanings {
			if v.S == m.text {
				return m.style
			}
		}
	}
	return ""
}

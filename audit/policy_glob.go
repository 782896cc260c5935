package audit

import "unicode/utf8"

// glob tells whether all of text is what a pattern describes: * stands for any characters,
// none too, ? for one, and any other character for itself.
func glob(pattern, text string) bool {
	star, from := -1, 0 // of the last *, and where in text what follows it was looked for
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRuneInString(text[t:])
			p, t = p+1, t+n
		case p < len(pattern) && pattern[p] == text[t]:
			p, t = p+1, t+1
		case star >= 0:
			_, n := utf8.DecodeRuneInString(text[from:])
			from += n
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// globs tells whether one of the patterns describes text; nil describes everything.
func globs(patterns []string, text string) bool {
	for _, p := range patterns {
		if glob(p, text) {
			return true
		}
	}
	return patterns == nil
}

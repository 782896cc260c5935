package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"
)

// Reading on behind an error. The tokens around it are replaced by one that stands for
// what could not be read, and the statement is read again: so the grammar knows nothing of
// it but that a stage, and a value, may be missing.

// maxFaults is how many faults of a text are told, maxReread how many tokens are read again
// for it: a program may have written the text.
const (
	maxFaults = 1000
	maxReread = 4 << 20
)

func moreFaults(text string) *Error {
	return &Error{Msg: "there may be more that is wrong", Offset: len(text), End: len(text)}
}

// parseAll reads a script as parse does, and returns all that is wrong with it beside
// what could be read.
func parseAll(text string) (*script, []*Error) {
	s := new(script)
	if err := checkText(text); err != nil {
		return s, []*Error{err}
	}
	list, faults, fatal := lexAll(text)
	if fatal {
		return s, faults
	}
	lost := map[int]bool{} // where it is told already what is wrong
	for _, f := range faults {
		lost[f.Offset] = true
	}
	read := 0
	for _, part := range statementsOf(list) {
		for part != nil {
			start, err := parseStatements(part, s)
			if err == nil {
				break
			}
			e, ok := err.(*Error)
			if !ok {
				e = &Error{Msg: err.Error(), Offset: part[start].Pos.Offset}
			}
			if !lost[e.Offset] {
				faults = append(faults, e)
				lost[e.Offset] = true
			}
			if read += len(part); read > maxReread || len(faults) >= maxFaults {
				return s, append(faults, moreFaults(text))
			}
			part = without(part[start:], e.Offset)
		}
	}
	return s, faults
}

// statementsOf cuts tokens behind each ; that is in no bracket. Each part ends as a text does.
func statementsOf(list []lexer.Token) (parts [][]lexer.Token) {
	depth, from := 0, 0
	for i := range list {
		switch t := &list[i]; {
		case opens(t):
			depth++
		case closes(t):
			depth = max(depth-1, 0)
		case t.Type == tokenPunct && t.Value == ";" && depth == 0:
			end := list[i+1] // there is one: EOF is the last
			end.Type, end.Value = lexer.EOF, ""
			parts = append(parts, append(slices.Clone(list[from:i+1]), end))
			from = i + 1
		}
	}
	return append(parts, list[from:])
}

// parseStatements reads statements into s. It returns where the one begins that cannot be
// read.
func parseStatements(list []lexer.Token, s *script) (start int, err error) {
	lex, err := lexer.Upgrade(&tokens{list: list})
	if err != nil {
		return 0, err
	}
	p := &exprParser{lex: lex}
	for p.nextStatement() {
		start := int(lex.RawCursor())
		st, err := p.wholeStatement(s)
		if err != nil {
			return start, err
		}
		s.statements = append(s.statements, st)
	}
	return 0, nil
}

// lexAll cuts a text into tokens as lex does. What is no token becomes one that nothing
// takes. An error is fatal if the tokens behind it mean nothing.
func lexAll(text string) (list []lexer.Token, faults []*Error, fatal bool) {
	s := &lexState{text: text, line: 1}
	for {
		s.space()
		if s.pos == len(text) {
			s.add(lexer.EOF, 0)
			return s.list, faults, false
		}
		err := s.token()
		if err == nil {
			continue
		}
		e := err.(*Error)
		faults = append(faults, e)
		switch {
		case s.depth > maxDepth:
			return nil, faults, true
		case len(faults) == maxFaults:
			return nil, append(faults, moreFaults(text)), true
		}
		s.add(tokenFault, faultSize(text[s.pos:], e))
	}
}

// faultSize returns how much of a text, at which an error is, belongs to it: of a string
// that does not end, the line.
func faultSize(text string, e *Error) int {
	n := stringPrefix(text)
	switch {
	case n < 0: // with the rest of a word
		size := max(1, e.End-e.Offset)
		rest := strings.TrimLeftFunc(text[size:], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
		return len(text) - len(rest)
	case text[n] != '"' && text[n] != '\'':
		return len(text)
	}
	if end := strings.IndexByte(text, '\n'); end > 0 {
		return end
	}
	return len(text)
}

// without returns tokens, that begin with a statement, with one tokenSkipped in the place
// of the part that an error is in; nil if there is nothing to leave out. The part is
// a stage, what stands before the first |, the value of let, or the statement.
func without(list []lexer.Token, offset int) []lexer.Token {
	at, found := slices.BinarySearchFunc(list, offset, func(t lexer.Token, offset int) int { return cmp.Compare(t.Pos.Offset, offset) })
	if !found { // within a token
		at = max(at-1, 0)
	}
	partner := brackets(list)
	for i := range list[:at] { // a bracket that does not close is where it went wrong
		if opens(&list[i]) && partner[i] < 0 {
			at = i
			break
		}
	}
	from, to := bracketed(list, partner, at)
	if to-from == 1 && list[from].Type == tokenSkipped {
		if from, to = at, at+1; list[at].EOF() {
			return nil
		}
		return slices.Delete(slices.Clone(list), from, to)
	}
	skipped := lexer.Token{Type: tokenSkipped, Pos: list[from].Pos}
	if from < to && list[from].Type == tokenIdent {
		skipped.Value = list[from].Value // the operator, of a stage
	}
	return slices.Concat(list[:from], []lexer.Token{skipped}, list[to:])
}

func opens(t *lexer.Token) bool {
	return t.Type == tokenPunct && (t.Value == "(" || t.Value == "[" || t.Value == "{")
}

func closes(t *lexer.Token) bool {
	return t.Type == tokenPunct && (t.Value == ")" || t.Value == "]" || t.Value == "}")
}

// brackets returns for each bracket where that is which it belongs to, else -1.
func brackets(list []lexer.Token) []int {
	partner := make([]int, len(list))
	var open []int
	for i := range list {
		partner[i] = -1
		switch t := &list[i]; {
		case opens(t):
			open = append(open, i)
		case closes(t):
			for j := len(open) - 1; j >= 0; j-- { // those above it do not close
				if o := list[open[j]].Value; o+t.Value == "()" || o+t.Value == "[]" || o+t.Value == "{}" {
					partner[i], partner[open[j]] = open[j], i
					open = open[:j]
					break
				}
			}
		}
	}
	return partner
}

// bracketed returns the part of the tokens that at is in: the innermost one that stands between
// two |, or that is a statement or the value of let.
func bracketed(list []lexer.Token, partner []int, at int) (from, to int) {
	for {
		from, to, outer, whole := between(list, partner, at)
		if outer < 0 || whole || list[outer].Value == "{" {
			if from+3 <= at && list[from].Value == "let" && list[from+2].Value == "=" {
				from += 3
			}
			return from, to
		}
		at = outer
	}
}

// between returns what stands around at, between two | or ; or inside a bracket; the
// bracket, -1 if it is in none; and whether a | is there.
func between(list []lexer.Token, partner []int, at int) (from, to, outer int, stage bool) {
	separates := func(i int) bool {
		v := list[i].Value
		return list[i].Type == tokenPunct && (v == "|" || v == ";")
	}
	outer = -1
	for from = at; from > 0; from-- {
		i := from - 1
		if opens(&list[i]) && partner[i] >= 0 {
			outer = i
			break
		}
		if separates(i) {
			stage = stage || list[i].Value == "|"
			break
		}
		if p := partner[i]; p >= 0 {
			from = p + 1
		}
	}
	for to = at; !list[to].EOF(); to++ {
		if closes(&list[to]) && partner[to] >= 0 && partner[to] < at || separates(to) {
			stage = stage || list[to].Value == "|"
			break
		}
		if p := partner[to]; p > to {
			to = p
		}
	}
	for i := from; outer < 0 && i > 0; { // a bracket further left
		i--
		if p := partner[i]; p >= 0 && p < i {
			i = p
		} else if p >= 0 {
			outer = i
		}
	}
	return from, to, outer, stage
}

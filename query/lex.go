package query

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// The kinds of tokens. The grammars of operators name them, as @Ident.
const (
	tokenIdent lexer.TokenType = -2 - iota
	tokenNumber
	tokenTimespan
	tokenString
	tokenLiteral // datetime(2026-01-02), dynamic([1]) and others: what stands in them is no expression
	tokenPunct
	tokenFault   // what is no token; nothing takes it
	tokenSkipped // what could not be read: see recover.go
)

var tokenSymbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Ident": tokenIdent, "Number": tokenNumber, "Timespan": tokenTimespan,
	"String": tokenString, "Literal": tokenLiteral, "Punct": tokenPunct,
}

// A tokens is a text that was cut into tokens. It is a lexer of participle's.
type tokens struct {
	list []lexer.Token
	next int
}

func (t *tokens) Next() (lexer.Token, error) {
	tok := t.list[min(t.next, len(t.list)-1)] // the last is EOF
	t.next++
	return tok, nil
}

// lexDefinition tells participle the names of tokens; texts are cut by lex.
type lexDefinition struct{}

func (lexDefinition) Symbols() map[string]lexer.TokenType { return tokenSymbols }

func (lexDefinition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	list, err := lex(string(text))
	return &tokens{list: list}, err
}

// hyphened tells the words with a hyphen.
func hyphened(word string) bool {
	return kqlOperators()[word] || word == "granny-asc" || word == "granny-desc"
}

// literals are the words that make a literal of what stands in parentheses behind them.
var literals = map[string]bool{
	"datetime": true, "date": true, "time": true, "timespan": true, "guid": true, "real": true, "double": true,
	"long": true, "int": true, "bool": true, "boolean": true, "decimal": true, "dynamic": true,
}

// A lexState cuts a text into tokens.
type lexState struct {
	text    string
	pos     int
	line    int  // from 1
	col     int  // characters before counted in the line
	counted int  // up to where they are counted
	open    bool // a bracket of a literal does not close
	depth   int  // brackets that are open
	list    []lexer.Token
}

// lex cuts a text into tokens. White space and comments are left out.
func lex(text string) ([]lexer.Token, error) {
	s := &lexState{text: text, line: 1}
	for {
		s.space()
		if s.pos == len(text) {
			s.add(lexer.EOF, 0)
			return s.list, nil
		}
		if err := s.token(); err != nil {
			return nil, err
		}
	}
}

func (s *lexState) at() lexer.Position {
	s.col += utf8.RuneCountInString(s.text[s.counted:s.pos])
	s.counted = s.pos
	return lexer.Position{Offset: s.pos, Line: s.line, Column: s.col + 1}
}

// add makes a token of the next n bytes.
func (s *lexState) add(t lexer.TokenType, n int) {
	s.list = append(s.list, lexer.Token{Type: t, Value: s.text[s.pos : s.pos+n], Pos: s.at()})
	s.skip(n)
}

func (s *lexState) skip(n int) {
	for i := s.pos; i < s.pos+n; i++ {
		if s.text[i] == '\n' {
			s.line++
			s.col, s.counted = 0, i+1
		}
	}
	s.pos += n
}

func (s *lexState) space() { s.skip(spaceSize(s.text[s.pos:])) }

// spaceSize returns how much white space and comments text begins with.
func spaceSize(text string) int {
	rest := text
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			rest = rest[n:]
		case strings.IndexByte(" \t\n\r\f\v", rest[0]) >= 0:
			rest = rest[1:]
		case strings.HasPrefix(rest, "\ufeff"), strings.HasPrefix(rest, "\u00a0"):
			_, n := utf8.DecodeRuneInString(rest)
			rest = rest[n:]
		default:
			return len(text) - len(rest)
		}
	}
	return len(text)
}

func isDigit(b byte) bool  { return b-'0' <= 9 }
func isLetter(b byte) bool { return b|0x20-'a' < 26 || b == '_' || b == '$' }
func isWord(b byte) bool   { return isLetter(b) || isDigit(b) }

// word returns the length of the run of letters, digits and _ at i.
func (s *lexState) word(i int) int {
	n := i
	for n < len(s.text) && isWord(s.text[n]) {
		n++
	}
	return n - i
}

func (s *lexState) token() error {
	rest := s.text[s.pos:]
	b := rest[0]
	if n := stringPrefix(rest); n >= 0 {
		size, err := stringSize(rest, n)
		if err != "" {
			return &Error{Msg: err, Offset: s.pos, End: s.pos + 1}
		}
		s.add(tokenString, size)
		return nil
	}
	switch {
	case isDigit(b):
		return s.number()
	case isLetter(b):
		return s.ident()
	}
	for _, op := range puncts {
		if strings.HasPrefix(rest, op) {
			n := len(op)
			if op == "!" { // !in~, !has, !contains_cs ...
				w := s.word(s.pos + 1)
				if n += w; w == 0 {
					break
				}
				if rest[:n] == "!in" && strings.HasPrefix(rest[n:], "~") {
					n++
				}
			}
			switch op {
			case "(", "[", "{":
				if s.depth++; s.depth > maxDepth {
					return &Error{Msg: fmt.Sprintf("brackets may be nested %d deep", maxDepth), Offset: s.pos, End: s.pos + 1}
				}
			case ")", "]", "}":
				s.depth--
			}
			s.add(tokenPunct, n)
			return nil
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	return &Error{Msg: fmt.Sprintf("%q does not belong here", r), Offset: s.pos, End: s.pos + size}
}

// puncts are the signs, longer ones before what they begin with.
var puncts = []string{"..", "==", "=~", "=>", "!=", "!~", "<=", ">=", "<>", "<|", "&&", "||", "!",
	"=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ",", ";", ":", "|", ".", "?", "~", "@", "#", "&"}

// number reads a number or a timespan, or a name that begins with a digit.
func (s *lexState) number() error {
	text, i := s.text, s.pos
	if strings.HasPrefix(text[i:], "0x") || strings.HasPrefix(text[i:], "0X") {
		s.add(tokenNumber, s.word(i))
		return nil
	}
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	if i+1 < len(text) && text[i] == '.' && isDigit(text[i+1]) {
		for i++; i < len(text) && isDigit(text[i]); i++ {
		}
	} else if i < len(text) && text[i] == '.' && (i+1 == len(text) || text[i+1] != '.' && !isWord(text[i+1]) && text[i+1] != '[') {
		i++ // 10.
	}
	end := i + s.word(i)
	if _, ok := parseTimespanLiteral(text[s.pos:end]); ok && end > i {
		s.add(tokenTimespan, end-s.pos)
		return nil
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		j := i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		k := j
		for k < len(text) && isDigit(text[k]) {
			k++
		}
		if k > j && s.word(k) == 0 {
			s.add(tokenNumber, k-s.pos)
			return nil
		}
	}
	if end > i { // 1abc
		if strings.Contains(text[s.pos:end], ".") {
			return &Error{Msg: fmt.Sprintf("%q is no number", text[s.pos:end]), Offset: s.pos, End: end}
		}
		s.add(tokenIdent, end-s.pos)
		return nil
	}
	s.add(tokenNumber, i-s.pos)
	return nil
}

func (s *lexState) ident() error {
	n := s.word(s.pos)
	name := s.text[s.pos : s.pos+n]
	for end := s.pos + n; end < len(s.text) && s.text[end] == '-'; {
		w := s.word(end + 1)
		if w == 0 {
			break
		}
		if end += 1 + w; hyphened(s.text[s.pos:end]) { // elsewhere a hyphen is a minus
			s.add(tokenIdent, end-s.pos)
			return nil
		}
	}
	if name == "in" && strings.HasPrefix(s.text[s.pos+n:], "~") {
		n++
	}
	if literals[name] && !s.open {
		size := literalSize(s.text[s.pos+n:])
		if size > 0 {
			s.add(tokenLiteral, n+size)
			return nil
		}
		s.open = size < 0 // nor does another bracket behind it close
	}
	s.add(tokenIdent, n)
	return nil
}

// literalSize returns the length of what stands in parentheses at the beginning of text,
// 0 if nothing does, and -1 if they do not close.
func literalSize(text string) int {
	i := spaceSize(text)
	if i == len(text) || text[i] != '(' {
		return 0
	}
	for depth := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '"', '\'':
			n, err := stringSize(text[i:], 0)
			if err != "" {
				return -1
			}
			i += n - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

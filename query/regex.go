package query

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Kusto's regular expressions are those of Rust's regex crate; ours are Go's, of the same
// family. They differ in this, which is rewritten or refused:
//
//   - \d \w \s and their opposites mean Unicode classes
//   - \b and \B go by Unicode words, which [regex] sees to
//   - \u0041 and \U{41} are characters
//   - classes in classes and their && -- ~~, the flags x, R and u, \< \> \b{start}, repeats
//     of repeats and repeats above 1000 have nothing like them in Go
//   - an open brace is a repeat, or is escaped
//
// Neither has look-around or back-references.

// The classes of Kusto, as they stand between brackets. They begin and end with a class,
// so that a - beside them is no range.
const (
	digitClass = `\p{Nd}`
	spaceClass = `\p{Z}\t-\r\x{85}\p{Z}`
	wordClass  = `\p{L}\p{M}\p{Nl}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}\x{200C}\x{200D}\p{Nd}\p{Pc}`
)

// isWordRune tells whether \w matches r.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isTermRune(r) || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// regexCache keeps what was compiled; it is emptied when it is full.
var regexCache = struct {
	sync.Mutex
	m map[string]*regex
}{m: map[string]*regex{}}

const regexCacheSize = 256

// A regex is a regular expression of Kusto. Where it looks at the borders of words and the
// text is not ASCII, prog is run in place of re.
type regex struct {
	re   *regexp.Regexp
	prog *syntax.Prog // nil: it does not look at them
}

// newRegex compiles a regular expression of Kusto.
func newRegex(pattern string) (*regex, error) {
	regexCache.Lock()
	r := regexCache.m[pattern]
	regexCache.Unlock()
	if r != nil {
		return r, nil
	}
	r, err := compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the regular expression %q: %w", pattern, err)
	}
	regexCache.Lock()
	defer regexCache.Unlock()
	if len(regexCache.m) >= regexCacheSize {
		clear(regexCache.m)
	}
	regexCache.m[pattern] = r
	return r, nil
}

func compile(pattern string) (*regex, error) {
	w := regexRewriter{rest: pattern}
	expr, err := w.rewrite()
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, explain(err)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, explain(err)
	}
	r := &regex{re: re}
	if w.words {
		if r.prog, err = syntax.Compile(tree.Simplify()); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// explain tells what Go has not from what nobody has.
func explain(err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	name := strings.TrimPrefix(strings.TrimPrefix(e.Expr, `\p`), `\P`)
	switch {
	case e.Code == syntax.ErrInvalidRepeatOp, e.Code == syntax.ErrInvalidRepeatSize, e.Code == syntax.ErrLarge,
		e.Code == syntax.ErrNestingDepth, e.Code == syntax.ErrInvalidNamedCapture,
		e.Code == syntax.ErrInvalidCharRange && name != e.Expr:
		return fmt.Errorf("%s: %s: this is not supported here", e.Code, e.Expr)
	}
	return fmt.Errorf("%s: %s", e.Code, e.Expr)
}

// A regexRewriter turns an expression of Kusto into one of Go.
type regexRewriter struct {
	rest  string
	out   strings.Builder
	words bool // \b or \B was seen
}

// lookAround has how the groups begin that Kusto refuses.
var lookAround = []string{"(?=", "(?!", "(?<=", "(?<!"}

func (w *regexRewriter) rewrite() (string, error) {
	for w.rest != "" {
		var err error
		switch w.rest[0] {
		case '\\':
			err = w.escape(false)
		case '[':
			err = w.class()
		case '(':
			err = w.group()
		case '{':
			err = w.repeat()
		default:
			w.copy(1)
		}
		if err != nil {
			return "", err
		}
	}
	return w.out.String(), nil
}

// copy leaves the next n bytes as they are.
func (w *regexRewriter) copy(n int) {
	n = min(n, len(w.rest))
	w.out.WriteString(w.rest[:n])
	w.rest = w.rest[n:]
}

// write puts text in place of the next n bytes.
func (w *regexRewriter) write(n int, text string) {
	w.out.WriteString(text)
	w.rest = w.rest[n:]
}

func (w *regexRewriter) group() error {
	for _, begin := range lookAround {
		if strings.HasPrefix(w.rest, begin) {
			return fmt.Errorf("%s: there is no look-around in Kusto", begin)
		}
	}
	flags, ok := strings.CutPrefix(w.rest, "(?")
	if !ok {
		w.copy(1)
		return nil
	}
	if strings.HasPrefix(flags, "P=") {
		return errors.New("(?P=: there are no back-references in Kusto")
	}
	for i, c := range flags {
		switch c {
		case 'x', 'R', 'u':
			return fmt.Errorf("(?%s: the flag %c is not supported here", flags[:i+1], c)
		case 'i', 'm', 's', 'U', '-':
			continue
		}
		break
	}
	w.copy(2)
	return nil
}

var repeatPattern = regexp.MustCompile(`^\{\d+(,\d*)?\}`)

func (w *regexRewriter) repeat() error {
	m := repeatPattern.FindString(w.rest)
	if m == "" {
		return errors.New(`{ begins a repeat as {2} or {1,3}: the character is \{`)
	}
	w.copy(len(m))
	return nil
}

// class rewrites what stands between brackets.
func (w *regexRewriter) class() error {
	w.copy(1)
	if strings.HasPrefix(w.rest, "^") {
		w.copy(1)
	}
	for first := true; w.rest != ""; first = false {
		switch {
		case w.rest[0] == ']' && !first:
			w.copy(1)
			return nil
		case w.rest[0] == '\\':
			if err := w.escape(true); err != nil {
				return err
			}
		case strings.HasPrefix(w.rest, "[:") && strings.Contains(w.rest, ":]"):
			w.copy(strings.Index(w.rest, ":]") + 2)
		case w.rest[0] == '[':
			return errors.New("a class in a class is not supported here")
		case strings.HasPrefix(w.rest, "&&"), strings.HasPrefix(w.rest, "--"), strings.HasPrefix(w.rest, "~~"):
			return fmt.Errorf("%s in a class is not supported here", w.rest[:2])
		default:
			w.copy(1)
		}
	}
	return errors.New("missing ]")
}

// escape rewrites what begins with a backslash.
func (w *regexRewriter) escape(inClass bool) error {
	if len(w.rest) < 2 {
		return errors.New(`a \ at the end`)
	}
	c := w.rest[1]
	switch {
	case strings.IndexByte("dDsSwW", c) >= 0:
		w.write(2, perlClass(c, inClass))
	case c == 'u' || c == 'U':
		return w.codePoint()
	case (c == 'b' || c == 'B') && !inClass:
		return w.border()
	case c == 'p' || c == 'P' || c == 'x':
		w.copy(2)
		if end := strings.IndexByte(w.rest, '}'); strings.HasPrefix(w.rest, "{") && end > 0 {
			w.copy(end + 1)
		}
	case c >= '0' && c <= '9':
		return fmt.Errorf(`\%c: a back-reference or an octal code is not supported here`, c)
	case c == 'k':
		return errors.New(`\k: there are no back-references in Kusto`)
	case c == '<' || c == '>':
		return fmt.Errorf(`\%c is not supported here`, c)
	case strings.IndexByte("aftnrv", c) >= 0, strings.IndexByte("Az", c) >= 0 && !inClass, c < utf8.RuneSelf && !isTermRune(rune(c)):
		w.copy(2)
	default:
		r, _ := utf8.DecodeRuneInString(w.rest[1:])
		return fmt.Errorf(`there is no \%c`, r)
	}
	return nil
}

func (w *regexRewriter) border() error {
	if strings.HasPrefix(w.rest[2:], "{") && !repeatPattern.MatchString(w.rest[2:]) {
		return fmt.Errorf(`%s{ is not supported here`, w.rest[:2])
	}
	w.words = true
	w.copy(2)
	return nil
}

var codePointPattern = regexp.MustCompile(`^\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[uU]\{([0-9A-Fa-f]+)\})`)

// codePoint rewrites \u0041, \U00000041, \u{41} and \U{41}.
func (w *regexRewriter) codePoint() error {
	m := codePointPattern.FindStringSubmatch(w.rest)
	if m == nil {
		return fmt.Errorf(`%s wants the code of a character`, w.rest[:2])
	}
	w.write(len(m[0]), `\x{`+m[1]+m[2]+m[3]+`}`)
	return nil
}

// perlClass returns what \d and the others stand for.
func perlClass(c byte, inClass bool) string {
	set := map[byte]string{'d': digitClass, 's': spaceClass, 'w': wordClass}[c|0x20]
	switch {
	case c|0x20 == c && inClass:
		return set
	case c|0x20 == c:
		return "[" + set + "]"
	case !inClass:
		return "[^" + set + "]"
	}
	return complement(set)
}

// complement returns what a class has not, as it stands between brackets. It begins and
// ends with a class, as the others do.
func complement(set string) string {
	tree, err := syntax.Parse("[^"+set+"]", syntax.Perl)
	if err != nil {
		panic(err) // it is one of three
	}
	var b strings.Builder
	b.WriteString(`\p{Co}`) // in none of the three
	for pair := range slices.Chunk(tree.Rune, 2) {
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, pair[0], pair[1])
	}
	b.WriteString(`\p{Co}`)
	return b.String()
}

package query

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// A Completion is what may stand where a cursor is.
type Completion struct {
	From int // where what is completed begins, in bytes
	// Candidates begin with what stands from there to the cursor: columns, in their order, before
	// functions.
	Candidates []Candidate
	// Column is the column whose values may stand there, "" if none is; Quoted tells that a
	// quote is open before From.
	Column string
	Quoted bool
	// Call is the usage of the function whose argument stands there, "" if it is none.
	Call string
	// Path is the dynamic value whose members may stand there, as args or args.options, "" if
	// none may.
	Path string
}

// A Candidate is a text that may stand somewhere, and what it is.
type Candidate struct {
	Text, Doc string
	Call      bool // a function: with nothing typed there are too many of them
}

// Complete says what may stand at an offset of a text, of which what is behind it does not
// count: tables where a query begins, operators behind |, the columns as they are at that
// stage, functions. It reads no row.
func (l *Language) Complete(text string, offset int) Completion {
	text = text[:min(offset, len(text))]
	c := &completing{lang: l, text: text}
	list, faults, fatal := lexAll(text)
	if fatal || len(list) == 0 {
		return Completion{From: len(text)}
	}
	list = list[:len(list)-1] // without EOF
	c.out.From = len(text)
	if n := len(faults); n > 0 && list[len(list)-1].Type == tokenFault {
		c.tokens = list[:len(list)-1]
		if last := list[len(list)-1]; stringPrefix(last.Value) == 0 && len(quoteOf(last.Value)) == 1 { // an open string
			c.out.From, c.out.Quoted = last.Pos.Offset+1, true
			c.values()
		}
		return c.out
	}
	if n := len(list); n > 0 && list[n-1].Type == tokenIdent && list[n-1].Pos.Offset+len(list[n-1].Value) == len(text) {
		c.out.From = list[n-1].Pos.Offset
		list = list[:n-1]
		// project-re is a name, a minus and a name until it is whole.
		for n = len(list); n >= 2 && list[n-1].Value == "-" && list[n-2].Type == tokenIdent && adjacent(&list[n-2], &list[n-1]) && adjacentTo(&list[n-1], c.out.From) && c.isStage(list[:n-2]); n = len(list) {
			c.out.From = list[n-2].Pos.Offset
			list = list[:n-2]
		}
	} else if n >= 2 && list[n-1].Value == "-" && list[n-2].Type == tokenIdent && adjacent(&list[n-2], &list[n-1]) && adjacentTo(&list[n-1], len(text)) && c.isStage(list[:n-2]) {
		c.out.From = list[n-2].Pos.Offset
		list = list[:n-2]
	}
	c.tokens = list
	c.prefix = text[c.out.From:]
	c.complete()
	return c.out
}

func adjacent(a, b *lexer.Token) bool { return adjacentTo(a, b.Pos.Offset) }

func adjacentTo(a *lexer.Token, offset int) bool { return a.Pos.Offset+len(a.Value) == offset }

// A completing is a completion while it is made.
type completing struct {
	lang   *Language
	text   string
	tokens []lexer.Token // before what is completed
	prefix string        // of it
	out    Completion
}

// isStage tells whether an operator stands behind tokens.
func (c *completing) isStage(tokens []lexer.Token) bool {
	return len(tokens) > 0 && tokens[len(tokens)-1].Value == "|"
}

func (c *completing) complete() {
	begin, pipe := c.query()
	switch {
	case c.isStage(c.tokens):
		c.operators(false)
	case begin == len(c.tokens):
		c.sources(begin)
	default:
		c.stage(begin, pipe)
	}
}

// query returns where the query begins that what is completed is in, and the last | of it at
// its own depth, -1 if there is none.
func (c *completing) query() (begin, pipe int) {
	depth := 0
	pipe = -1
	for i := len(c.tokens) - 1; i >= 0; i-- {
		t := &c.tokens[i]
		switch {
		case closes(t):
			depth++
		case opens(t) && depth > 0:
			depth--
		case depth > 0:
		case opens(t):
			if t.Value == "(" && c.isQuery(i) {
				return i + 1, pipe
			}
			// What is in the brackets belongs to what they are in, without what is before them.
		case t.Value == ";" || t.Value == "=" && i > 1 && c.tokens[i-2].Value == "let":
			return i + 1, pipe
		case t.Value == "|" && pipe < 0:
			pipe = i
		}
	}
	return 0, pipe
}

// isQuery tells whether a query may stand in the parenthesis that opens at token i: behind
// join, union and the like, or where there is a | in it.
func (c *completing) isQuery(i int) bool {
	depth := 0
	for k := i + 1; k < len(c.tokens); k++ {
		switch t := &c.tokens[k]; {
		case opens(t):
			depth++
		case closes(t):
			depth--
		case t.Value == "|" && depth == 0:
			return true
		}
	}
	if i == 0 {
		return true
	}
	switch c.tokens[i-1].Value {
	case "toscalar", "materialize":
		return true
	case "(":
		return i > 1 && slices.Contains([]string{"in", "!in", "in~", "!in~", "has_any", "has_all"}, c.tokens[i-2].Value)
	}
	stage := c.tokens[i-1].Value
	for k := i - 1; k > 0 && c.tokens[k].Value != "|"; k-- {
		stage = c.tokens[k].Value
	}
	return stage == "join" || stage == "lookup" || stage == "union"
}

// sources adds what a query may begin with.
func (c *completing) sources(begin int) {
	for _, t := range c.lang.tables {
		c.add(t.Name, t.Doc)
	}
	for _, name := range c.given(begin) {
		c.add(name, "given by let")
	}
	if begin == 0 || c.tokens[begin-1].Value == ";" {
		for _, t := range statementTopics {
			c.add(t.Name, t.Doc)
		}
	}
	c.operators(true)
}

func (c *completing) operators(sources bool) {
	for _, op := range sortedOperators() {
		if op.Source == sources {
			c.add(op.Name, op.Usage)
		}
	}
	for _, op := range c.lang.operators {
		if op.Source || !sources {
			c.add(op.Name, op.Usage)
		}
	}
	if !sources {
		slices.SortFunc(c.out.Candidates, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	}
}

// stage adds what may stand in an operator: the columns of what comes to it, the words of its
// usage, functions.
func (c *completing) stage(begin, pipe int) {
	switch t := c.tokens[len(c.tokens)-1]; {
	case t.Value == ".":
		c.path(begin, pipe)
		return
	case t.Type == tokenNumber || t.Type == tokenString || t.Type == tokenLiteral:
		return
	}
	c.values()
	c.call()
	for _, f := range c.columns(begin, pipe) {
		c.add(f.Name, f.Kind.String())
	}
	for _, name := range c.given(begin) {
		c.add(name, "given by let")
	}
	if pipe >= 0 && pipe+1 < len(c.tokens) {
		usage := c.usage(c.tokens[pipe+1].Value)
		for _, word := range usageWords(usage) {
			c.add(word, usage)
		}
	}
	for _, t := range Topics() {
		if t.Kind == "function" || t.Kind == "aggregation" || t.Kind == "comparison" {
			c.offer(Candidate{t.Name, t.Usage, t.Kind != "comparison"})
		}
	}
}

// call finds the function in whose brackets the place is.
func (c *completing) call() {
	depth := 0
	for i := len(c.tokens) - 1; i > 0; i-- {
		switch t := &c.tokens[i]; {
		case closes(t):
			depth++
		case opens(t) && depth > 0:
			depth--
		case opens(t):
			if t.Value != "(" || c.tokens[i-1].Type != tokenIdent {
				continue // a list or a bracket in an argument
			}
			for _, topic := range Topics() {
				if topic.Name == c.tokens[i-1].Value && (topic.Kind == "function" || topic.Kind == "aggregation") {
					c.out.Call = topic.Usage
				}
			}
			return
		case t.Value == "|" && depth == 0:
			return
		}
	}
}

// path finds the path of names that ends in the dot before the place, where it begins with a
// column that has members.
func (c *completing) path(begin, pipe int) {
	i := len(c.tokens) - 1
	for i > 1 && c.tokens[i].Value == "." && c.tokens[i-1].Type == tokenIdent && c.tokens[i-2].Value == "." {
		i -= 2
	}
	if i == 0 || c.tokens[i-1].Type != tokenIdent {
		return
	}
	for _, f := range c.columns(begin, pipe) {
		if f.Name == c.tokens[i-1].Value && f.Kind == Dynamic {
			c.out.Path = c.text[c.tokens[i-1].Pos.Offset:c.tokens[len(c.tokens)-1].Pos.Offset]
		}
	}
}

func (c *completing) usage(operator string) string {
	if op := operatorNamed(operator); op != nil {
		return op.Usage
	}
	if op := c.lang.operator(operator); op != nil {
		return op.Usage
	}
	return ""
}

// usageWords returns the words of a usage that stand for themselves, without the first.
func usageWords(usage string) (words []string) {
	for i, w := range strings.FieldsFunc(usage, func(r rune) bool { return strings.ContainsRune(" []|,().:", r) }) {
		name, _, is := strings.Cut(w, "=")
		if is {
			name += "="
		}
		if i > 0 && name != "" && name != "=" && strings.ToLower(name) == name && name[0] >= 'a' && name[0] <= 'z' && name != "or" && !slices.Contains(words, name) {
			words = append(words, name)
		}
	}
	return words
}

// columns returns the columns that come to the stage behind pipe.
func (c *completing) columns(begin, pipe int) []Field {
	if pipe < 0 {
		return nil
	}
	from := c.tokens[begin].Pos.Offset
	text := c.lets(begin) + c.text[from:c.tokens[pipe].Pos.Offset]
	s, _ := parseAll(text)
	b := c.lang.binder(context.Background(), nil)
	b.check = &check{told: map[fault]bool{}}
	var fields []Field
	for _, st := range s.statements {
		rel, err := b.statement(st)
		if err == nil && rel != nil {
			fields = rel.fields
		}
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return f.Kind == unknown })
}

// lets returns the statements before the one that is completed.
func (c *completing) lets(begin int) string {
	for i := begin - 1; i >= 0; i-- {
		if c.tokens[i].Value == ";" {
			return c.text[:c.tokens[i].Pos.Offset+1]
		}
	}
	return ""
}

// given returns the names that let gives before a token.
func (c *completing) given(begin int) (names []string) {
	for i := 0; i+1 < begin && i+1 < len(c.tokens); i++ {
		if c.tokens[i].Value == "let" && c.tokens[i+1].Type == tokenIdent {
			names = append(names, c.tokens[i+1].Value)
		}
	}
	return names
}

// values finds the column that what is completed is compared with: agent in agent == "a, and
// in agent in ("a", "b.
func (c *completing) values() {
	i := len(c.tokens) - 1
	for i >= 0 && (c.tokens[i].Type == tokenString || c.tokens[i].Value == ",") {
		i--
	}
	if i >= 0 && c.tokens[i].Value == "(" {
		i--
		if i < 0 || !strings.HasPrefix(strings.TrimPrefix(c.tokens[i].Value, "!"), "in") && !strings.HasPrefix(c.tokens[i].Value, "has_") {
			return
		}
	} else if i != len(c.tokens)-1 {
		return
	}
	if i < 1 || c.tokens[i-1].Type != tokenIdent {
		return
	}
	switch op := strings.TrimSuffix(strings.TrimPrefix(c.tokens[i].Value, "!"), "~"); op {
	case "==", "=", "in", "has", "has_cs", "startswith", "startswith_cs", "hasprefix", "contains", "has_any", "has_all":
		c.out.Column = c.tokens[i-1].Value
	}
}

func (c *completing) add(text, doc string) { c.offer(Candidate{Text: text, Doc: doc}) }

func (c *completing) offer(x Candidate) {
	if strings.HasPrefix(x.Text, c.prefix) && utf8.ValidString(x.Text) && !slices.ContainsFunc(c.out.Candidates, func(have Candidate) bool { return have.Text == x.Text }) {
		c.out.Candidates = append(c.out.Candidates, x)
	}
}

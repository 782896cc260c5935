package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// explain QUERY gives the plan of a query in place of its rows: how each operator runs, and
// at each table what a scan leaves out and reads. What stands in a plan comes from the
// relations that would run.

// isExplain tells whether a statement begins with the word: a table or a function may
// have that name.
func isExplain(p *exprParser, s *script) bool {
	if !p.is("explain") {
		return false
	}
	for _, st := range s.statements {
		if st.let != nil && st.let.name == "explain" {
			return false
		}
	}
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	p.lex.Next()
	next := p.lex.Peek()
	return next.Type == tokenIdent || next.Value == "("
}

// parseExplained reads a statement, perhaps with explain before it.
func parseExplained(p *exprParser, s *script) (statement, error) {
	if !isExplain(p, s) {
		return parseStatement(p)
	}
	p.lex.Next()
	first := p.peek()
	st, err := parseStatement(p)
	if err == nil && st.query == nil {
		err = unexpected(first, "explain stands before a query, behind what let and declare say")
	}
	st.plan = true
	return st, err
}

// An explained scanner says how it reads a table.
type explained interface {
	// explain returns what filters make of the scan, and where there is a ledger how much
	// of it they leave out.
	explain(ctx context.Context, filters []filter, need columnSet) ([]string, error)
}

// explain returns the plan of a relation, whose only column has a line a row.
// asked are the queries whose values it has: binding has read them.
func (l *Language) explain(rel *relation, asked []*relation) *relation {
	fields := []Field{{"Plan", String}}
	return &relation{fields: fields, ordered: true, open: computed(fields, func(r *run) (rows [][]Value, err error) {
		p := &planText{run: r}
		for _, a := range asked {
			p.add(0, "first, for a value of the query:")
			if err = p.relation(a, allColumns(a), nil, 1); err != nil {
				return nil, err
			}
		}
		err = p.relation(rel, allColumns(rel), nil, 0)
		for _, line := range p.lines {
			rows = append(rows, []Value{StringOf(line)})
		}
		return rows, err
	})}
}

// A planText is the lines of a plan: an operator a line, what there is to say of it below,
// and the tables that it reads beside its own further in.
type planText struct {
	run   *run
	lines []string
	notes []string // of a step without a title: they belong to the next
}

const planIndent = "    "

func (p *planText) add(depth int, text string) {
	const most = 200 // characters
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + " ..."
	}
	p.lines = append(p.lines, strings.Repeat(planIndent, depth)+Visible(text))
}

// relation adds the plan of rel, of which some columns are filled. over is the scan that it
// is read over, if it is not its own.
func (p *planText) relation(rel *relation, need columnSet, over *scan, depth int) error {
	if err := p.run.ctx.Err(); err != nil {
		return err
	}
	if over == nil {
		over = rel.scan
	}
	st := rel.plan
	if len(st.in) == 0 {
		p.add(depth, st.title)
		p.addNotes(depth, st.notes)
		if over == nil {
			return nil
		}
		return p.scan(over, need, depth)
	}
	needs := rel.needs(need)
	rest := st.in
	if first := st.in[0]; first.label == "" {
		if err := p.input(first, needs[0], over, depth); err != nil {
			return err
		}
		rest, needs = rest[1:], needs[1:]
	}
	if st.title == "" {
		p.notes = append(p.notes, st.notes...)
		return nil
	}
	if len(rest) < len(st.in) {
		p.add(depth, "| "+st.title)
	} else {
		p.add(depth, st.title)
	}
	if rel.scan != nil && !st.same {
		p.notes = append(p.notes, "on all cores")
	}
	p.addNotes(depth, st.notes)
	for i, in := range rest {
		p.add(depth+1, in.label+":")
		if err := p.input(in, needs[i], nil, depth+2); err != nil {
			return err
		}
	}
	return nil
}

// input adds the plan of an input. Filters go with the scan that they narrow.
func (p *planText) input(in input, need columnSet, over *scan, depth int) error {
	if in.scan != nil {
		over = in.scan
	}
	if in.rel.scan == nil {
		over = nil
	}
	return p.relation(in.rel, need, over, depth)
}

func (p *planText) addNotes(depth int, notes []string) {
	for _, n := range append(p.notes, notes...) {
		p.add(depth+1, n)
	}
	p.notes = nil
}

// scan adds how a table is read.
func (p *planText) scan(sc *scan, need columnSet, depth int) error {
	if x, ok := sc.source.(explained); ok {
		lines, err := x.explain(p.run.ctx, sc.filters, need)
		if err != nil {
			return err
		}
		p.addNotes(depth, lines)
	}
	names := need.list(sc.fields, apartOf(sc))
	switch {
	case len(names) == 0:
		p.add(depth+1, "reads no column")
	case !slices.ContainsFunc(need, func(u columnUse) bool { return !u.all }):
		p.add(depth+1, "reads all columns")
	default:
		p.add(depth+1, "reads "+joined(names))
	}
	return nil
}

// apartOf tells of which columns of a table members may be read without the rest.
func apartOf(sc *scan) func(column string) bool {
	if l, ok := sc.source.(*ledgerScan); ok {
		return l.apart
	}
	return func(string) bool { return false }
}

// String returns a filter as a condition.
func (f *filter) String() string {
	left := f.column
	if f.member != "" {
		left = memberText(f.column, f.member)
	}
	var values []string
	for i, v := range f.values {
		if i == 8 {
			values = append(values, fmt.Sprintf("... %d more", len(f.values)-i))
			break
		}
		values = append(values, literalText(v))
	}
	if strings.HasPrefix(f.op, "in") || strings.HasPrefix(f.op, "has_a") || len(values) != 1 {
		return left + " " + f.op + " (" + joined(values) + ")"
	}
	return left + " " + f.op + " " + values[0]
}

// memberText returns a member of a column as it would be written in a query.
func memberText(column, member string) string {
	if isPlainName(member) {
		return column + "." + member
	}
	return column + "[" + Quote(member) + "]"
}

// literalText returns a value as it would be written in a query.
func literalText(v Value) string {
	switch {
	case v.Kind == String:
		return Quote(v.S)
	case v.Null || v.Kind == Datetime || v.Kind == Timespan || v.Kind == Guid || v.Kind == Dynamic || v.Kind == Decimal:
		text := toString(v)
		if v.Null {
			text = "null"
		}
		return v.Kind.String() + "(" + text + ")"
	}
	return toString(v)
}

package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "union", Usage: "union [kind=outer or inner] [withsource=NAME] [isfuzzy=true] TABLE, ...", Doc: "passes the rows of several tables on, one table after the other",
		Example: "union withsource=T (print a = 1), (print a = 2, b = 3)", Source: true, Parse: parseUnion})
}

// unionStage: union TABLE, ...
//
// A column is a name and a kind: those of the same name and other kinds get the kind
// behind their names. With inner, the result has the columns alone that all tables have.
type unionStage struct {
	inner  bool
	source string // the column of the tables' names; "": none
	fuzzy  bool   // tables that do not exist are left out
	tables []node
}

func parseUnion(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	st := &unionStage{}
	if err := st.parameters(p); err != nil {
		return nil, err
	}
	for {
		x, err := p.tableOrPattern()
		if err != nil {
			return nil, err
		}
		st.tables = append(st.tables, x)
		if !p.accept(",") {
			return st, nil
		}
	}
}

func (st *unionStage) parameters(p *exprParser) error {
	given, err := p.parameters("kind", "withsource", "with_source", "isfuzzy")
	if err != nil {
		return err
	}
	if t := given["kind"]; t != nil {
		if st.inner = t.Value == "inner"; !st.inner && t.Value != "outer" {
			return unexpected(t, "expected a kind: outer, inner")
		}
	}
	if t := given["isfuzzy"]; t != nil {
		if st.fuzzy = t.Value == "true"; !st.fuzzy && t.Value != "false" {
			return unexpected(t, "expected true or false")
		}
	}
	for _, name := range []string{"withsource", "with_source"} {
		t := given[name]
		switch {
		case t == nil:
		case t.Type == tokenString:
			st.source, _ = unquoteLiteral(t.Value)
		case t.Type == tokenIdent:
			st.source = t.Value
		default:
			return unexpected(t, "expected the name of a column")
		}
	}
	return nil
}

// tableOrPattern reads a table, or a name in which * stands for any characters.
func (p *exprParser) tableOrPattern() (node, error) {
	if t := p.peek(); t.Type == tokenIdent || t.Value == "*" {
		cp := p.lex.MakeCheckpoint()
		if n, err := p.pattern(); err == nil && strings.Contains(n.pattern, "*") {
			return n, nil
		}
		p.lex.LoadCheckpoint(cp)
	}
	return p.valueOrTable()
}

// A leg is a table of a union, with what withsource calls it.
type leg struct {
	rel    *relation
	source string
	cols   []int // of rel, for each column of the result; -1: it has none
}

func (st *unionStage) Bind(b *binder, in *relation) (*relation, error) {
	var legs []*leg
	if in != nil {
		legs = append(legs, &leg{rel: in, source: b.sourceName(nil, in, 0)})
	}
	for _, n := range st.tables {
		nodes := []node{n}
		if pattern, ok := n.(patternNode); ok {
			if nodes = b.tablesLike(pattern); len(nodes) == 0 && !st.fuzzy {
				return nil, errorAt(n, "no table is named as %s", pattern.pattern)
			}
		}
		for _, n := range nodes {
			if name := b.missing(n); name != "" && st.fuzzy {
				b.hint("union leaves out %s: there is no such table", name)
				continue
			}
			rel, err := b.table(n)
			if err != nil {
				return nil, err
			}
			legs = append(legs, &leg{rel: rel, source: b.sourceName(n, rel, len(legs))})
		}
	}
	if len(legs) == 0 { // fuzzy, and there is none: then none is too many to leave out
		return nil, st.allMissing(b)
	}
	fields, err := st.columns(legs)
	if err != nil {
		return nil, err
	}
	rel := &relation{fields: fields, loose: anyLoose(legs), open: func(r *run) Batches { return united(r, legs, fields, st.source != "") }}
	return rel.by(planStep{in: legInputs(legs), notes: []string{"one table after the other"}, needs: func(out columnSet) []columnSet {
		if st.source != "" {
			out = out[1:]
		}
		return legNeeds(legs, out)
	}}), nil
}

// allMissing is the fault of a union of which no table exists.
func (st *unionStage) allMissing(b *binder) error {
	for _, n := range st.tables {
		if _, err := b.table(n); err != nil {
			return err
		}
	}
	return fmt.Errorf("union: none of the tables exists")
}

// anyLoose tells whether the columns of a table are not all known; those of the result are
// not either then.
func anyLoose(legs []*leg) bool {
	return slices.ContainsFunc(legs, func(l *leg) bool {
		return l.rel.loose || slices.ContainsFunc(l.rel.fields, func(f Field) bool { return f.Kind == unknown })
	})
}

// legInputs are the inputs of a step that reads legs.
func legInputs(legs []*leg) (list []input) {
	for _, l := range legs {
		list = append(list, input{rel: l.rel, label: l.source})
	}
	return list
}

// legNeeds returns what is filled of each leg where columns of the result are.
func legNeeds(legs []*leg, out columnSet) (needs []columnSet) {
	for _, l := range legs {
		need := make(columnSet, len(l.rel.fields))
		for i, c := range l.cols {
			if c >= 0 {
				need.use(c, out[i])
			}
		}
		needs = append(needs, need)
	}
	return needs
}

// tablesLike returns the tables whose names match a pattern: those of the source, then
// those that let gave.
func (b *binder) tablesLike(p patternNode) (nodes []node) {
	var given []string
	for n := b.names; n != nil; n = n.outer {
		for name := range maps.Keys(n.of) {
			if b.isTable(&nameNode{p.place, name}) && b.lang.table(name) == nil && !b.needsArguments(name) {
				given = append(given, name)
			}
		}
	}
	slices.Sort(given)
	for _, name := range append(b.lang.tableNames(), slices.Compact(given)...) {
		if matchesPattern(p.pattern, name) {
			nodes = append(nodes, &nameNode{p.place, name})
		}
	}
	return nodes
}

// needsArguments tells whether a name is a function that has parameters.
func (b *binder) needsArguments(name string) bool {
	d := b.names.find(name)
	return d != nil && d.function != nil && len(d.function.params) > 0
}

// missing returns the name of the table that a query begins with, if there is none.
func (b *binder) missing(n node) string {
	switch n := n.(type) {
	case *tableNode:
		if n.query.source.expr != nil {
			return b.missing(n.query.source.expr)
		}
	case *nameNode:
		if b.names.find(n.name) == nil && b.lang.table(n.name) == nil {
			return n.name
		}
	}
	return ""
}

// sourceName is what withsource calls a table: its name, that of a function without
// arguments, or that as gave; else its place.
func (b *binder) sourceName(n node, rel *relation, i int) string {
	if name, ok := n.(*nameNode); ok {
		d := b.names.find(name.name)
		if d == nil || d.function != nil {
			return name.name
		}
	}
	whole := n == nil && rel.named && len(rel.scan.filters) == 0
	if rel.name != "" && (whole || b.lang.table(rel.name) == nil) {
		return rel.name
	}
	return fmt.Sprint("union_arg", i)
}

// columns returns the columns of the result, and sets which of its columns each leg
// gives.
func (st *unionStage) columns(legs []*leg) ([]Field, error) {
	fields, in := unionFields(legs)
	if st.inner {
		for _, f := range fields {
			if in[f] < len(legs) && hasName(fields, f) > 1 && everywhere(legs, f.Name) {
				return nil, fmt.Errorf("union kind=inner of a column '%s' that has different types is not supported here", f.Name)
			}
		}
		fields = slices.DeleteFunc(fields, func(f Field) bool { return in[f] < len(legs) })
	}
	names := map[string]bool{}
	for _, f := range fields {
		if hasName(fields, f) == 1 {
			names[f.Name] = true
		}
	}
	if names[st.source] {
		return nil, fmt.Errorf("union withsource=%s, the name of a column, is not supported here", st.source)
	}
	var out []Field
	if st.source != "" {
		out = append(out, Field{st.source, String})
		names[st.source] = true
	}
	for _, f := range fields {
		for _, l := range legs {
			l.cols = append(l.cols, slices.Index(l.rel.fields, f))
		}
		if hasName(fields, f) > 1 {
			f.Name = unique(f.Name+"_"+f.Kind.String(), func(name string) bool { return names[name] })
			names[f.Name] = true
		}
		out = append(out, f)
	}
	return out, nil
}

// unionFields returns the columns of all legs as they first come, and how many legs have
// each.
func unionFields(legs []*leg) (fields []Field, in map[Field]int) {
	in = map[Field]int{}
	for _, l := range legs {
		for _, f := range l.rel.fields {
			if in[f]++; in[f] == 1 {
				fields = append(fields, f)
			}
		}
	}
	return fields, in
}

// hasName returns how many of the fields have the name of f.
func hasName(fields []Field, f Field) (n int) {
	for _, g := range fields {
		if g.Name == f.Name {
			n++
		}
	}
	return n
}

func everywhere(legs []*leg, name string) bool {
	return !slices.ContainsFunc(legs, func(l *leg) bool { return l.rel.field(name) < 0 })
}

// united reads the legs, one after the other.
func united(r *run, legs []*leg, fields []Field, source bool) Batches {
	return func(yield func(*Batch, error) bool) {
		for _, l := range legs {
			for b, err := range l.rel.open(r) {
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(l.batch(b, fields, source), nil) {
					return
				}
			}
		}
	}
}

// batch brings a batch to the columns of the result.
func (l *leg) batch(b *Batch, fields []Field, source bool) *Batch {
	out := &Batch{N: b.N, Cols: make([]*Vector, 0, len(fields))}
	if source {
		out.Cols = append(out.Cols, Repeated(StringOf(l.source)))
		fields = fields[1:]
	}
	for i, c := range l.cols {
		if c < 0 {
			out.Cols = append(out.Cols, Repeated(NullOf(fields[i].Kind)))
		} else {
			out.Cols = append(out.Cols, b.Cols[c])
		}
	}
	return out
}

package query

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "join", Usage: "join [kind=KIND] (QUERY) on NAME, ... or $left.NAME == $right.NAME", Doc: "puts the rows of two tables side by side where their keys are equal",
		Example: `datatable(k:long, a:string)[1, "x", 2, "y"] | join kind=inner (datatable(k:long, b:string)[2, "z"]) on k`, Parse: parseJoin})
}

// joinKinds are the kinds of join:
//
//	innerunique  as inner, but of the left rows with the same key the first alone takes part
//	inner        a row for each pair of a left and a right row that match
//	leftouter    and the left rows without a match; rightouter the right ones; fullouter both
//	leftsemi     left rows with a match, as they are; rightsemi right ones
//	leftanti     left rows without a match; rightanti right ones
var joinKinds = []string{"innerunique", "inner", "leftouter", "rightouter", "fullouter", "leftsemi", "rightsemi", "leftanti", "rightanti"}

var joinAliases = map[string]string{"anti": "leftanti", "leftantisemi": "leftanti", "rightantisemi": "rightanti"}

// joinStage: join and lookup.
type joinStage struct {
	kind  string // "": none is given
	right node
	on    []node
}

func parseJoin(lex *lexer.PeekingLexer) (Stage, error) {
	st := &joinStage{}
	return st, st.parse(lex, joinKinds)
}

// parse reads "[kind=KIND] TABLE on CONDITION, ...".
func (st *joinStage) parse(lex *lexer.PeekingLexer, kinds []string) error {
	p := &exprParser{lex: lex}
	given, err := p.parameters("kind")
	if err != nil {
		return err
	}
	if t := given["kind"]; t != nil {
		st.kind = t.Value
		if other := joinAliases[st.kind]; other != "" {
			st.kind = other
		}
		if !slices.Contains(kinds, st.kind) {
			return unexpected(t, "expected a kind: "+joined(kinds))
		}
	}
	if st.right, err = p.valueOrTable(); err != nil {
		return err
	}
	if err := p.expect("on", "and the columns that must be equal"); err != nil {
		return err
	}
	for {
		x, err := p.expr(0)
		if err != nil {
			return err
		}
		st.on = append(st.on, x)
		if !p.accept(",") {
			return nil
		}
	}
}

// parameters reads "NAME=VALUE" behind the name of an operator. Hints are left out: they
// say how machines share the work.
func (p *exprParser) parameters(known ...string) (map[string]*lexer.Token, error) {
	given := map[string]*lexer.Token{}
	for {
		cp := p.lex.MakeCheckpoint()
		t := p.peek()
		if t.Type != tokenIdent {
			return given, nil
		}
		p.lex.Next()
		hint := t.Value == "hint" && p.accept(".")
		if hint {
			p.lex.Next()
		}
		if !p.accept("=") {
			p.lex.LoadCheckpoint(cp)
			return given, nil
		}
		v := p.peek()
		switch {
		case v.Type == lexer.EOF, v.Type == tokenPunct:
			return nil, unexpected(v, "expected a value for "+t.Value)
		case !hint && !slices.Contains(known, t.Value):
			return nil, unexpected(t, "expected "+strings.Join(known, "=, ")+"= or a table")
		}
		p.lex.Next()
		if !hint {
			given[t.Value] = v
		}
	}
}

func (st *joinStage) Bind(b *binder, in *relation) (*relation, error) {
	j, err := st.bind(b, in)
	if err != nil {
		return nil, err
	}
	if st.kind == "" {
		b.hint("join without kind= is innerunique: of the left rows with the same key, the first alone is joined; write kind=inner for all, or kind=innerunique")
	}
	switch st.kind {
	case "leftsemi", "leftanti":
		return semiJoined(in, j.leftKeys, j.right, j.rightKeys, st.kind == "leftsemi"), nil
	case "rightsemi", "rightanti":
		return semiJoined(j.right, j.rightKeys, in, j.leftKeys, st.kind == "rightsemi"), nil
	}
	j.unique = st.kind == "" || st.kind == "innerunique"
	j.leftOuter = st.kind == "leftouter" || st.kind == "fullouter"
	j.rightOuter = st.kind == "rightouter" || st.kind == "fullouter"
	for c := range j.right.fields {
		j.columns = append(j.columns, c)
	}
	if j.unique {
		return j.uniqueRelation(b), nil
	}
	return j.relation(), nil
}

// bind binds the right table and the keys.
func (st *joinStage) bind(b *binder, in *relation) (*join, error) {
	right, err := b.table(st.right)
	if err != nil {
		return nil, err
	}
	j := &join{operator: "join", left: in, right: right}
	for _, n := range st.on {
		if err := j.on(n); err != nil && !b.take(err, b.guesses()) {
			return nil, err
		}
	}
	return j, nil
}

// on adds the keys of a condition: a column that both sides have, or an equality, or
// several with and between them.
func (j *join) on(n node) error {
	switch n := n.(type) {
	case *nameNode:
		return j.key(n, n.name, n.name)
	case *binaryNode:
		if n.op == "and" {
			if err := j.on(n.l); err != nil {
				return err
			}
			return j.on(n.r)
		}
		l, lside := sideColumn(n.l)
		r, rside := sideColumn(n.r)
		switch {
		case n.op != "==":
		case lside == "$left" && rside == "$right":
			return j.key(n, l, r)
		case lside == "$right" && rside == "$left":
			return j.key(n, r, l)
		}
	}
	return errorAt(n, "a condition of a join is the name of a column of both tables, or $left.NAME == $right.NAME, found %s", n)
}

// sideColumn returns NAME and $left of $left.NAME.
func sideColumn(n node) (name, side string) {
	if m, ok := n.(*memberNode); ok {
		if x, ok := m.x.(*nameNode); ok {
			return m.name, x.name
		}
	}
	return "", ""
}

// key adds a pair of columns that must be equal.
func (j *join) key(n node, left, right string) error {
	l, r := j.left.field(left), j.right.field(right)
	if l < 0 && !j.left.loose {
		return errorAt(n, "the left table has no column '%s'%s", left, DidYouMean(left, j.left.columns()))
	}
	if r < 0 && !j.right.loose {
		return errorAt(n, "the right table has no column '%s'%s", right, DidYouMean(right, j.right.columns()))
	}
	if l < 0 || r < 0 || j.left.fields[l].Kind == unknown || j.right.fields[r].Kind == unknown {
		return nil
	}
	lk, rk := j.left.fields[l].Kind, j.right.fields[r].Kind
	whole := func(k Kind) bool { return k == Int || k == Long }
	switch {
	case lk == Dynamic || rk == Dynamic:
		name := left
		if lk != Dynamic {
			name = right
		}
		return errorAt(n, "%s is dynamic, which no join takes as a key; make a column of another type before, as extend %[1]s = tostring(%[1]s)", name)
	case lk != rk && !(whole(lk) && whole(rk)):
		return errorAt(n, "%s is %s on the left and %s is %s on the right; convert one of them before the join", left, lk, right, rk)
	}
	j.leftKeys, j.rightKeys = append(j.leftKeys, l), append(j.rightKeys, r)
	return nil
}

// relation names the columns: those of the right whose names the left has get a number.
func (j *join) relation() *relation {
	fields := slices.Clone(j.left.fields)
	for _, c := range j.columns {
		f := j.right.fields[c]
		f.Name = unique(f.Name, func(name string) bool {
			return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
		})
		fields = append(fields, f)
	}
	rel := &relation{fields: fields, loose: j.left.loose || j.right.loose, open: j.open}
	return rel.by(j.step())
}

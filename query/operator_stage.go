package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// operatorStage: NAME VALUE ... NAME = VALUE ..., an operator that is none of the core. Which
// there are is known when it is bound.
type operatorStage struct {
	name   string
	at     place // of the name
	values []node
	named  []namedValue
}

// A namedValue is NAME = VALUE.
type namedValue struct {
	name string
	at   place
	x    node
}

// parseOperator reads what stands behind the name of an operator that the core has not. The
// error of what has not the shape is about the name: whoever knows the operators may say more.
func parseOperator(p *exprParser, name *lexer.Token) (Stage, error) {
	st := &operatorStage{name: name.Value, at: place{name.Pos.Offset, name.Pos.Offset + len(name.Value)}}
	for {
		t := p.peek()
		if t.EOF() || t.Value == "|" || t.Value == ")" || t.Value == ";" || t.Value == "}" {
			return st, nil
		}
		err := st.argument(p)
		if err != nil {
			return nil, &Error{Msg: noOperator(st.name, operatorNames()), Offset: st.at.from, End: st.at.to, operator: &malformed{st.name, t.Pos.Offset, t.Pos.Offset + len(t.Value)}}
		}
	}
}

// argument reads one argument.
func (st *operatorStage) argument(p *exprParser) error {
	if t := p.peek(); t.Type == tokenIdent && p.after() == "=" {
		p.lex.Next()
		p.lex.Next()
		x, err := p.expr(0)
		st.named = append(st.named, namedValue{t.Value, place{t.Pos.Offset, t.Pos.Offset + len(t.Value)}, x})
		return err
	}
	if len(st.named) > 0 {
		return errors.New("values stand before named ones")
	}
	read := p.unary
	if p.peek().Type == tokenString { // side by side they are two
		read = func() (node, error) { return p.texts(1) }
	}
	x, err := read()
	st.values = append(st.values, x)
	return err
}

// malformed is the name of an operator and the place of what cannot be behind it.
type malformed struct {
	name     string
	from, to int
}

// known makes errors about operators that the parser does not know, and the language does,
// errors about what stands behind their names.
func (l *Language) known(err error) error {
	if e, ok := err.(*Error); ok && e.operator != nil {
		if op := l.operator(e.operator.name); op != nil {
			return &Error{Msg: "expected " + op.Usage, Offset: e.operator.from, End: e.operator.to}
		}
		return &Error{Msg: noOperator(e.operator.name, l.operatorNames()), Offset: e.Offset, End: e.End}
	}
	return err
}

func (st *operatorStage) Bind(b *binder, in *relation) (*relation, error) {
	op := b.lang.operator(st.name)
	switch {
	case op == nil && in == nil && b.isTable(&nameNode{st.at, st.name}):
		return nil, errorAt(st.first(), "expected '|', ';' or the end of the query")
	case op == nil:
		return nil, errorAt(st.at, "%s", noOperator(st.name, b.lang.operatorNames()))
	case in == nil && !op.Source:
		return nil, errorAt(st.at, "%s needs a table before it, as entries | %[1]s", op.Name)
	}
	args, err := st.arguments(b)
	if err != nil {
		return nil, err
	}
	if args == nil { // of a check, which knows no values
		return b.anything(), nil
	}
	var fields []Field
	if in != nil {
		fields, args.terms = in.fields, in.terms
	}
	t, err := op.Bind(args, fields)
	if err := args.fault(op); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, b.at(err, st.at)
	}
	rel := &relation{fields: t.Fields, ordered: true, text: t.Text, exact: t.Exact}
	var src *relation
	step := planStep{notes: t.Notes}
	if in == nil && t.From != "" {
		if in = b.lang.table(t.From); in == nil {
			return nil, errorAt(st.at, "unknown table '%s', which %s reads where nothing stands before it", t.From, op.Name)
		}
	}
	if in != nil {
		if src, err = st.needed(b, op, t, in); err != nil {
			return nil, err
		}
		step.in = from(src)
	}
	rel.open = func(r *run) Batches { return t.open(&Run{op.Name, r, b.lang}, src) }
	return rel.by(step), nil
}

// first is the first thing behind the name.
func (st *operatorStage) first() spanned {
	if len(st.values) > 0 {
		return st.values[0]
	}
	return st.named[0].at
}

// arguments binds the arguments; nil if the value of one is not known before the query runs.
func (st *operatorStage) arguments(b *binder) (*Arguments, error) {
	args := &Arguments{at: st.at, named: map[string]*argument{}}
	known := true
	bind := func(n node) *argument {
		v, err := constantOf(b, n)
		if err != nil && args.err == nil {
			args.err = err
		}
		if v == nil {
			known = false
			return nil
		}
		return &argument{*v, n, false}
	}
	for _, n := range st.values {
		args.values = append(args.values, bind(n))
	}
	for _, n := range st.named {
		if args.named[n.name] != nil {
			return nil, errorAt(n.at, "%s stands twice", n.name)
		}
		args.named[n.name] = bind(n.x)
		args.places = append(args.places, n)
	}
	if args.err != nil || !known {
		return nil, args.err
	}
	return args, nil
}

// needed returns the columns of a relation that a transform looks at, filled.
func (st *operatorStage) needed(b *binder, op *Operator, t *Transform, in *relation) (*relation, error) {
	fields := slices.Concat(t.Needs, t.Wants)
	exprs := make([]expr, len(fields))
	for i, f := range fields {
		exprs[i] = &constExpr{v: NullOf(f.Kind)}
		k := in.field(f.Name)
		switch {
		case k < 0 && (in.loose || i >= len(t.Needs)):
		case k < 0:
			return nil, errorAt(st.at, "%s needs the column '%s' (%s), which is not among the columns before it: %s", op.Name, f.Name, f.Kind, joined(in.columns()))
		case in.fields[k].Kind != f.Kind && in.fields[k].Kind != unknown:
			return nil, errorAt(st.at, "%s needs the column '%s' as %s, it is %s", op.Name, f.Name, f.Kind, in.fields[k].Kind)
		default:
			exprs[i] = &colExpr{k, f.Kind}
		}
	}
	if t.Only != nil && !in.loose {
		var err error
		if in, err = t.Only.of(b, in, st.at); err != nil {
			return nil, err
		}
	}
	return evaluated(in, fields, exprs).stepped(fields, func(r *run, b *Batch) (*Batch, error) {
		err := r.fill(b)
		if err == nil && t.Batch != nil {
			return t.Batch(b)
		}
		return b, err
	}, false).by(planStep{in: from(in), needs: needsOnly(in, exprs...)}), nil
}

// of returns these rows of a relation, as where would.
func (o *Only) of(b *binder, in *relation, at place) (*relation, error) {
	list := &listNode{place: at, op: "in", x: &nameNode{at, o.Column}}
	for _, v := range o.Values {
		list.list = append(list.list, &literalNode{place: at, value: StringOf(v), text: Quote(v)})
	}
	return (&whereStage{Expr{list}}).filter(b, in)
}

// operatorBytes are how much text the rows of a batch of an operator have until it is given on:
// a row may be a document of some megabytes, which nobody counts.
const operatorBytes = 1 << 20

// open runs the operator.
func (t *Transform) open(r *Run, src *relation) Batches {
	return func(yield func(*Batch, error) bool) {
		var in Batches
		if src != nil {
			in = src.open(r.run)
		}
		var rows [][]Value
		size := 0 // of their texts
		err := t.Run(r, in, func(row ...Value) error {
			rows = append(rows, row)
			for i := range row {
				size += len(row[i].S)
			}
			if len(rows) < batchRows && size < operatorBytes {
				return r.run.ctx.Err()
			}
			b := batchOf(t.Fields, rows)
			rows, size = nil, 0
			if !yield(b, nil) {
				return errStopped
			}
			return r.run.ctx.Err()
		})
		switch {
		case errors.Is(err, errStopped):
		case err != nil && len(rows) > 0:
			if yield(batchOf(t.Fields, rows), nil) {
				yield(nil, err)
			}
		case err != nil:
			yield(nil, err)
		case len(rows) > 0:
			yield(batchOf(t.Fields, rows), nil)
		}
	}
}

// noOperator says that there is no operator of a name.
func noOperator(name string, names []string) string {
	if kqlOperators()[name] || kqlPlugins()[name] {
		return "'" + name + "' is KQL but not supported here"
	}
	return "no operator named '" + name + "'" + DidYouMean(name, names)
}

// usageOf is what is expected behind an operator's name.
func usageOf(op *Operator) string { return fmt.Sprintf("expected %s", strings.TrimSpace(op.Usage)) }

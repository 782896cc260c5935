package query

import (
	"fmt"
	"maps"
	"slices"
)

// A letStatement gives a name a value, a table or a function.
type letStatement struct {
	place
	name     string
	value    node      // a value, or a table
	function *function // instead
}

// A function is one that let gives: its body is bound anew for each call.
type function struct {
	place
	params []param
	lets   []*letStatement
	body   node
	table  bool // the body is a table
	outer  *names
	active bool // while it is bound: it must not call itself
}

// maxCalls is how many calls of functions a text may have. Each binds a body anew.
const maxCalls = 10_000

// A param is a parameter of a function: a value of a kind, or a table.
type param struct {
	name     string
	kind     Kind
	fields   []Field // of a table
	table    bool
	fallback node // its value where none is given; nil: it must be
}

// let gives a name its meaning.
func (b *binder) let(l *letStatement) error {
	before := b.guesses()
	d, err := b.meaning(l)
	if err != nil {
		if !b.take(err, before) {
			return err
		}
		d = &named{bound: b.unknown(unknown)}
	}
	b.names.of[l.name] = d
	return nil
}

func (b *binder) meaning(l *letStatement) (*named, error) {
	d := new(named)
	name, _ := l.value.(*nameNode)
	switch {
	case l.function != nil:
		l.function.outer = b.names
		d.function = l.function
		l.function.table = b.bodyIsTable(l.function)
	case b.isTable(l.value):
		rel, err := b.table(l.value)
		if err != nil {
			return nil, err
		}
		d.table = rel
	case name != nil && b.names.find(name.name) == nil:
		return nil, b.noTable(name)
	default:
		e, err := b.scope(nil).expr(l.value)
		if err != nil {
			return nil, err
		}
		if isUnknown(e) {
			d.bound = e
		} else if d.value = constant(e); d.value == nil {
			return nil, errorAt(l.value, "expected a value that is the same for all rows")
		}
	}
	return d, nil
}

// bodyIsTable tells whether a function returns a table.
func (b *binder) bodyIsTable(f *function) bool {
	in := b.inner()
	for _, p := range f.params {
		if p.table {
			in.names.of[p.name] = &named{table: &relation{}}
		} else {
			in.names.of[p.name] = &named{value: &Value{}}
		}
	}
	for _, l := range f.lets {
		d := &named{value: &Value{}}
		if l.function != nil {
			d = &named{function: l.function}
		} else if in.isTable(l.value) {
			d = &named{table: &relation{}}
		}
		in.names.of[l.name] = d
	}
	return in.isTable(f.body)
}

// enter returns a binder for the body of a function that is called with arguments.
func (b *binder) enter(n node, f *function, args []argNode, bind func(node) (*named, error)) (*binder, error) {
	if f.active {
		return nil, errorAt(n, "a function must not call itself")
	}
	if b.lang.calls++; b.lang.calls > maxCalls {
		return nil, errorAt(n, "functions are called more than %d times, each call within one that is called counted anew", maxCalls)
	}
	in := *b
	in.names = &names{f.outer, map[string]*named{}}
	given := map[string]node{}
	for i, a := range args {
		name := a.name
		if name == "" {
			if i >= len(f.params) {
				return nil, errorAt(n, "expected %d arguments, found %d", len(f.params), len(args))
			}
			name = f.params[i].name
		}
		given[name] = a.node
	}
	for _, p := range f.params {
		x := given[p.name]
		if x == nil {
			x = p.fallback
		}
		if x == nil {
			return nil, errorAt(n, "the argument %s is missing", p.name)
		}
		d, err := b.argument(p, x, bind)
		if err != nil {
			return nil, err
		}
		in.names.of[p.name] = d
	}
	f.active = true
	defer func() { f.active = false }()
	for _, l := range f.lets {
		if err := in.let(l); err != nil {
			return nil, err
		}
	}
	return &in, nil
}

func (b *binder) argument(p param, x node, bind func(node) (*named, error)) (*named, error) {
	if p.table {
		rel, err := b.table(x)
		if err != nil {
			return nil, err
		}
		for _, f := range p.fields {
			if i := rel.field(f.Name); !rel.loose && (i < 0 || rel.fields[i].Kind != f.Kind && rel.fields[i].Kind != unknown) {
				return nil, errorAt(x, "the table has no column %s of type %s", f.Name, f.Kind)
			}
		}
		return &named{table: rel}, nil
	}
	d, err := bind(x)
	if err != nil {
		return nil, err
	}
	if isUnknown(d.bound) && d.bound.kind() != unknown {
		d = &named{bound: b.unknown(p.kind)}
	}
	if d.value != nil && d.value.Kind != p.kind {
		v := convert(*d.value, p.kind)
		d = &named{value: &v}
	}
	return d, nil
}

// callTable binds a call of a function that returns a table.
func (b *binder) callTable(n node, f *function, args []argNode) (*relation, error) {
	in, err := b.enter(n, f, args, func(x node) (*named, error) {
		e, err := b.scope(nil).expr(x)
		if err != nil {
			return nil, err
		}
		if isUnknown(e) {
			return &named{bound: e}, nil
		}
		v := constant(e)
		if v == nil {
			return nil, errorAt(x, "expected a value that is the same for all rows")
		}
		return &named{value: v}, nil
	})
	if err != nil {
		return nil, err
	}
	f.active = true
	defer func() { f.active = false }()
	return in.table(f.body)
}

// callScalar binds a call of a function that returns a value: its arguments may be
// columns.
func (s *scope) callScalar(n node, f *function, args []argNode) (expr, error) {
	if f.table {
		return nil, errorAt(n, "the function gives a table, expected a value")
	}
	in, err := s.enter(n, f, args, func(x node) (*named, error) {
		e, err := s.expr(x)
		if err != nil {
			return nil, err
		}
		if v := constant(e); v != nil {
			return &named{value: v}, nil
		}
		return &named{bound: e}, nil
	})
	if err != nil {
		return nil, err
	}
	f.active = true
	defer func() { f.active = false }()
	inner := *s
	inner.binder, inner.rel = in, nil
	return inner.expr(f.body)
}

// A paramsStatement is "declare query_parameters(NAME:TYPE = VALUE, ...)".
type paramsStatement struct {
	place
	params []param
}

// queryParameters gives the parameters of the command line their names.
func (b *binder) queryParameters(st *paramsStatement) error {
	for _, p := range st.params {
		text, ok := b.params[p.name]
		if !ok && b.check != nil && p.fallback == nil { // it may be given when the query runs
			b.names.of[p.name] = &named{bound: b.unknown(p.kind)}
			continue
		}
		if !ok && p.fallback == nil {
			return &Error{Msg: fmt.Sprintf("the parameter %s has no value: give it with --param %[1]s=VALUE", p.name), Offset: st.from, End: st.to}
		}
		var v Value
		if ok {
			if v = convert(StringOf(text), p.kind); v.Null {
				err := &Error{Msg: fmt.Sprintf("the parameter %s is %q, expected a %s", p.name, text, p.kind), Offset: st.from, End: st.to}
				if b.check == nil {
					return err
				}
				b.check.add(err)
				b.names.of[p.name] = &named{bound: b.unknown(p.kind)}
				continue
			}
		} else {
			e, err := b.scope(nil).expr(p.fallback)
			if err != nil {
				return err
			}
			c := constant(e)
			if c == nil {
				return errorAt(p.fallback, "expected a value")
			}
			v = convert(*c, p.kind)
		}
		b.names.of[p.name] = &named{value: &v}
	}
	return nil
}

// undeclared is the error of a parameter that is given and not declared: a slip in a name
// would leave the declared one with the value that it has by itself.
func undeclared(statements []statement, params map[string]string) error {
	var declared []string
	var at place
	for _, st := range statements {
		if st.params == nil {
			continue
		}
		at = st.params.place
		for _, p := range st.params.params {
			declared = append(declared, p.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(declared, name) {
			return errorAt(at, "no parameter named '%s' is declared%s", name, DidYouMean(name, declared))
		}
	}
	return nil
}

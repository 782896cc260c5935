package query

import (
	"cmp"
	"context"
	"slices"
)

// Check parses and binds a text and returns Faults, all that is wrong with it, or nil.
// It reads no row: what toscalar would read, and the values of parameters that are neither
// given nor have one by themselves, are not known.
//
// What is at fault does not hide what stands behind it. The parser leaves out the stage,
// from one | to the next, that it cannot read (recover.go). A value that cannot be bound is
// of unknown kind; a table that cannot be bound is loose: each name is a column of it. What
// depends on them is at fault only where it would be whatever they are.
func (l *Language) Check(text string, params map[string]string) error {
	s, faults := parseAll(text)
	for i, e := range faults {
		faults[i] = l.known(e).(*Error)
	}
	c := &check{faults: faults, told: map[fault]bool{}}
	b := l.binder(context.Background(), params)
	b.check = c
	if err := undeclared(s.statements, params); err != nil && len(faults) == 0 {
		c.add(err.(*Error))
	}
	queries := 0
	for _, st := range s.statements {
		if st.query != nil {
			queries++
		}
		if _, err := b.statement(st); err != nil {
			c.add(b.at(err, place{}).(*Error))
		}
		if len(c.faults) >= maxFaults {
			c.add(moreFaults(text))
			break
		}
	}
	switch {
	case len(c.faults) > 0:
	case queries == 0:
		c.add(&Error{Msg: "expected a query, as entries | take 10; found none", Offset: len(text), End: len(text)})
	default:
		return nil
	}
	slices.SortStableFunc(c.faults, func(a, b *Error) int { return cmp.Compare(a.Offset, b.Offset) })
	return locate(c.faults, text, l.line)
}

// A check collects faults.
type check struct {
	faults []*Error
	told   map[fault]bool
	used   int // how often something unknown was
}

// A fault is what and where: what is bound again, as the body of a function, is told once.
type fault struct {
	msg    string
	offset int
}

func (c *check) add(e *Error) {
	if k := (fault{e.Msg, e.Offset}); !c.told[k] {
		c.told[k] = true
		c.faults = append(c.faults, e)
	}
}

// guesses returns how often something unknown was used so far.
func (b *binder) guesses() int {
	if b.check == nil {
		return 0
	}
	return b.check.used
}

// take collects a fault, and returns false where it ends binding. What goes wrong with
// something unknown, that was not used before, may follow from that alone: it is not told.
func (b *binder) take(err error, before int) bool {
	e, ok := err.(*Error)
	if !ok || b.check == nil || b.strict || len(b.check.faults) >= maxFaults {
		return false
	}
	if b.check.used == before {
		b.check.add(e)
	}
	return true
}

// orUnknown binds a value, which is unknown if it is at fault.
func (b *binder) orUnknown(bind func() (expr, error)) (expr, error) {
	before := b.guesses()
	e, err := bind()
	if err != nil && b.take(err, before) {
		return b.unknown(unknown), nil
	}
	return e, err
}

// try returns a binder whose first fault ends binding and is not told.
func (b *binder) try() *binder {
	c := *b
	c.strict = true
	return &c
}

// An unknownExpr is a value that is not known before a query runs, or at fault. To ask for
// it is to use something unknown; where its kind is not known, to have it is.
type unknownExpr struct {
	k     Kind
	check *check
}

func (e *unknownExpr) kind() Kind                   { return e.k }
func (e *unknownExpr) eval(*Batch) (*Vector, error) { panic("query: a check reads no row") }

func (b *binder) unknown(k Kind) expr {
	if k == unknown {
		b.check.used++
	}
	return &unknownExpr{k, b.check}
}

// askValues says that what is next asks for the values of arguments.
func askValues(args []expr) {
	for _, a := range args {
		constant(a)
	}
}

func isUnknown(e expr) bool {
	_, ok := e.(*unknownExpr)
	return ok
}

// anything is a table of which nothing is known.
func (b *binder) anything() *relation {
	b.check.used++
	return &relation{loose: true, ordered: true}
}

// firstKind is the kind of a table's first column.
func (r *relation) firstKind() Kind {
	if r.loose || len(r.fields) == 0 {
		return unknown
	}
	return r.fields[0].Kind
}

// passes are the operators that change no column.
var passes = words("where filter take limit sort order top serialize as render sample consume")

// behind is what comes out of an operator that is at fault.
func (b *binder) behind(operator string, in *relation) *relation {
	if in != nil && passes[operator] {
		b.check.used++
		return in
	}
	return b.anything()
}

// A skippedNode is the place of a value or a table that could not be read.
type skippedNode struct{ place }

func (n *skippedNode) String() string { return "" }

// A skippedStage is an operator that could not be read.
type skippedStage struct{ name string }

func (st *skippedStage) Bind(b *binder, in *relation) (*relation, error) {
	return b.behind(st.name, in), nil
}

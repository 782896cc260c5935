package query

import (
	"math"
	"slices"
	"time"
)

// Arguments are what stands behind the name of an Operator. Its Bind asks for each that it
// has; what it does not ask for is refused, and so is what has another kind than it asks for.
// The first fault counts, and is told for Bind.
type Arguments struct {
	at     place // of the operator
	values []*argument
	named  map[string]*argument
	places []namedValue // in order
	asked  []string     // the names that the operator has
	terms  []Term
	err    error
}

type argument struct {
	value Value
	node  node
	read  bool
}

// Len is how many values there are that have no name.
func (a *Arguments) Len() int { return len(a.values) }

// Terms are the texts that the query looks for before the operator, in order.
func (a *Arguments) Terms() []Term { return a.terms }

// Has tells whether a named value is given.
func (a *Arguments) Has(name string) bool {
	a.asked = append(a.asked, name)
	return a.named[name] != nil
}

// Text returns value i, a string. what says what it is, as in "the file of a policy".
func (a *Arguments) Text(i int, what string) string {
	if i >= len(a.values) {
		a.fail(errorAt(a.at, "expected %s behind the operator, in quotes", what))
		return ""
	}
	return a.ofKind(a.values[i], String, what).S
}

// Named returns a named string, or what stands for one that is absent.
func (a *Arguments) Named(name, absent string) string {
	if g := a.given(name); g != nil {
		return a.ofKind(g, String, name).S
	}
	return absent
}

// Long returns a named whole number, which may not be less than least.
func (a *Arguments) Long(name string, absent, least int64) int64 {
	g := a.given(name)
	if g == nil {
		return absent
	}
	v := a.ofKind(g, Long, name)
	if v.N < least {
		a.fail(errorAt(g.node, "%s: expected %d or more, found %d", name, least, v.N))
	}
	return v.N
}

// Real returns a named number.
func (a *Arguments) Real(name string, absent float64) float64 {
	g := a.given(name)
	if g == nil {
		return absent
	}
	if g.value.Kind == Long || g.value.Kind == Int {
		g.read = true
		return float64(g.value.N)
	}
	return a.ofKind(g, Real, name).Real()
}

// Timespan returns a named timespan, which must be longer than nothing.
func (a *Arguments) Timespan(name string, absent time.Duration) time.Duration {
	g := a.given(name)
	if g == nil {
		return absent
	}
	v := a.ofKind(g, Timespan, name)
	if v.N <= 0 || v.N > math.MaxInt64/100 {
		a.fail(errorAt(g.node, "%s: expected a timespan such as 7d, found %s", name, g.node))
		return absent
	}
	return time.Duration(v.N) * 100
}

// Datetime returns a named datetime, null if it is absent.
func (a *Arguments) Datetime(name string) Value {
	if g := a.given(name); g != nil {
		return a.ofKind(g, Datetime, name)
	}
	return NullOf(Datetime)
}

// Strings returns a named array of strings, nil if it is absent.
func (a *Arguments) Strings(name string) (list []string) {
	g := a.given(name)
	if g == nil {
		return nil
	}
	g.read = true
	if !isArray(g.value) {
		a.fail(errorAt(g.node, `%s: expected an array of strings, as dynamic(["a", "b"]), found %s`, name, g.node))
		return nil
	}
	list = []string{}
	for v := range elements(g.value) {
		s := scalarOf(v)
		if s.Kind != String {
			a.fail(errorAt(g.node, "%s: expected an array of strings, found %s in it", name, v.S))
			return nil
		}
		list = append(list, s.S)
	}
	return list
}

// FaultAt makes err a fault of value i; Fault one of a named value. Either may be nil.
func (a *Arguments) FaultAt(i int, err error) {
	if err != nil && i < len(a.values) {
		a.fail(errorAt(a.values[i].node, "%s", err))
	}
}

// Fault makes err, which may be nil, a fault of a named value.
func (a *Arguments) Fault(name string, err error) {
	if g := a.named[name]; err != nil && g != nil {
		a.fail(errorAt(g.node, "%s", err))
	}
}

func (a *Arguments) given(name string) *argument {
	a.asked = append(a.asked, name)
	return a.named[name]
}

func (a *Arguments) ofKind(g *argument, k Kind, what string) Value {
	g.read = true
	switch {
	case g.value.Kind == Int && k == Long:
	case g.value.Kind != k || g.value.Null:
		a.fail(errorAt(g.node, "%s: expected a %s, found %s", what, k, g.node))
		return NullOf(k)
	}
	return g.value
}

func (a *Arguments) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// fault is the first fault of the arguments, those that nobody asked for among them.
func (a *Arguments) fault(op *Operator) error {
	if a.err != nil {
		return a.err
	}
	for _, g := range a.values {
		if !g.read {
			return errorAt(g.node, "%s", usageOf(op))
		}
	}
	for _, n := range a.places {
		if !slices.Contains(a.asked, n.name) {
			return errorAt(n.at, "%s has nothing named '%s'%s; %s", op.Name, n.name, DidYouMean(n.name, a.asked), usageOf(op))
		}
	}
	return nil
}

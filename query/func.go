package query

import "fmt"

// kinds is a set of kinds.
type kinds uint16

func of(list ...Kind) (s kinds) {
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

const anyKind kinds = 1<<NumKinds - 1

var (
	numbers = of(Int, Long, Real)
	longs   = of(Int, Long)
	strs    = of(String)
)

func (s kinds) has(k Kind) bool { return s>>k&1 == 1 || k == unknown }

// An Arg is what is known of an argument before any row is read.
type Arg struct {
	Kind  Kind
	Const *Value // its value, if it is the same for all rows; else nil
}

// A Func is a scalar function: adding one is adding a row to a table.
type Func struct {
	Name    string
	Usage   string // as "substring(text, start [, length])"
	Doc     string // one line
	Example string // an expression and its value, as `strlen("abc") == 3`; every one is tested

	Params   []kinds // what each argument may be
	Min      int     // how many arguments there must be; 0: all of Params
	Variadic bool    // the last of Params may come again and again
	// Result returns the kind of the result, or why the arguments are refused.
	Result func(args []Arg) (Kind, error)
	// Eval computes a value. An argument is of a kind of its Params: a long or int is
	// given as a real where only Real is allowed. If an argument is null so is the result,
	// and Eval is not called, unless Nulls is set.
	Eval  func(args []Value) Value
	Nulls bool
	// Bind, if it is set, makes Eval from constant arguments, once for a query: a
	// regular expression is compiled there.
	Bind func(args []Arg) (func(args []Value) Value, error)
	// KeepsName tells that a result without a name gets that of the first argument.
	KeepsName bool
}

// fixed is a Result that is always of one kind.
func fixed(k Kind) func([]Arg) (Kind, error) {
	return func([]Arg) (Kind, error) { return k, nil }
}

// likeArg is a Result of the kind of argument i.
func likeArg(i int) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) { return args[i].Kind, nil }
}

// checkArgs refuses arguments that params do not allow.
func checkArgs(name, usage string, params []kinds, least int, variadic bool, args []Arg) error {
	if least == 0 && !variadic {
		least = len(params)
	}
	if len(args) < least || !variadic && len(args) > len(params) {
		return fmt.Errorf("%s: expected %s, found %d arguments", name, usage, len(args))
	}
	for i, a := range args {
		p := params[min(i, len(params)-1)]
		if !p.has(a.Kind) && !(p.has(Real) && a.Kind.isNumber()) && !(p.has(Long) && a.Kind == Int) {
			if a.Kind == Decimal {
				return fmt.Errorf("%s: argument %d is of type decimal, which is not supported here; todouble() makes it a real", name, i+1)
			}
			return fmt.Errorf("%s: argument %d is of type %s, expected %s", name, i+1, a.Kind, p)
		}
	}
	return nil
}

func (s kinds) String() string {
	text, n := "", 0
	for k := range Kind(NumKinds) {
		if !s.has(k) {
			continue
		}
		if n++; n > 1 {
			text += " or "
		}
		text += k.String()
	}
	return text
}

// An Agg is an aggregation function of summarize.
type Agg struct {
	Name    string
	Usage   string
	Doc     string
	Example string // a query and its value, as `range x from 1 to 4 step 1 | summarize sum(x) == 10`

	Params   []kinds
	Min      int
	Variadic bool
	Star     bool // an argument may be *, as in arg_max(a, *)
	// Result returns the kind of the result, or why the arguments are refused.
	Result func(args []Arg) (Kind, error)
	// New begins a group. Constant arguments are known.
	New func(args []Arg) Accumulator
	// Partial computes what a batch has of each group, ahead of the batches before it; nil
	// if only its rows can tell, one by one.
	Partial func(g *groupedBatch, args []*Vector) partial
	// Prefix stands before the name of the first argument in the name of the result; before
	// those of the first NameArgs if there are several.
	Prefix   string
	NameArgs int
}

// An Accumulator takes the rows of a group.
type Accumulator interface {
	Add(args []Value)
	Value() Value
	Size() int // bytes it holds, about
}

package query

import (
	"fmt"
	"strings"
)

// dynamicAggs collect values.
var dynamicAggs = []Agg{
	renamedAgg(takeAny, "any", "any_"),
	renamedAgg(takeAnyIf, "anyif", "anyif_"),
	makeBag,
	conditionalAgg(makeBag, `datatable(d:dynamic, ok:bool) [dynamic({"a":1}), true, dynamic({"b":2}), false] | summarize make_bag_if(d, ok) == dynamic({"a":1})`),
	renamedAgg(limitedTo128(makeBag), "make_dictionary", "dictionary_"),
	makeList,
	conditionalAgg(makeList, `range x from 1 to 4 step 1 | summarize make_list_if(x, x > 2) == dynamic([3,4])`),
	{
		Name:    "make_list_with_nulls",
		Usage:   "make_list_with_nulls(value)",
		Doc:     "An array of the values, nulls too.",
		Example: `datatable(x:long) [1, long(null), 2] | summarize make_list_with_nulls(x) == dynamic([1,null,2])`,
		Params:  []kinds{anyKind},
		Result:  fixed(Dynamic),
		New:     func([]Arg) Accumulator { return &listAccumulator{max: maxArray, nulls: true} },
		Prefix:  "list_",
	},
	makeSet,
	conditionalAgg(makeSet, `range x from 1 to 4 step 1 | summarize make_set_if(x % 2, x > 2) == dynamic([1,0])`),
	renamedAgg(limitedTo128(makeList), "makelist", "list_"),
	renamedAgg(limitedTo128(makeSet), "makeset", "set_"),
	takeAny,
	takeAnyIf,
}

var makeBag = Agg{
	Name:    "make_bag",
	Usage:   "make_bag(bag [, max_size])",
	Doc:     "A bag of the members of the bags; where names are the same, the first counts.",
	Example: `datatable(d:dynamic) [dynamic({"a":1}), dynamic({"a":2,"b":3})] | summarize make_bag(d) == dynamic({"a":1,"b":3})`,
	Params:  []kinds{dynamics, longs},
	Min:     1,
	Result:  sizedKind("make_bag", 1),
	New:     func(args []Arg) Accumulator { return &bagAccumulator{max: maxSizeOf(args, 1, maxArray)} },
	Prefix:  "bag_",
}

var makeList = Agg{
	Name:    "make_list",
	Usage:   "make_list(value [, max_size])",
	Doc:     "An array of the values, without nulls; of arrays, an array of their elements.",
	Example: `range x from 1 to 3 step 1 | summarize make_list(x) == dynamic([1,2,3])`,
	Params:  []kinds{anyKind, longs},
	Min:     1,
	Result:  sizedKind("make_list", 1),
	New:     func(args []Arg) Accumulator { return &listAccumulator{max: maxSizeOf(args, 1, maxArray)} },
	Prefix:  "list_",
}

var makeSet = Agg{
	Name:    "make_set",
	Usage:   "make_set(value [, max_size])",
	Doc:     "An array of the distinct values, without nulls; of arrays, of their elements.",
	Example: `range x from 1 to 4 step 1 | summarize make_set(x % 2) == dynamic([1,0])`,
	Params:  []kinds{anyKind, longs},
	Min:     1,
	Result:  sizedKind("make_set", 1),
	New: func(args []Arg) Accumulator {
		return &setAccumulator{list: listAccumulator{max: maxSizeOf(args, 1, maxArray)}}
	},
	Prefix: "set_",
}

var takeAny = Agg{
	Name:     "take_any",
	Usage:    "take_any(value)",
	Doc:      "The value of the first row that has one: not null, not empty.",
	Example:  `datatable(x:long) [long(null), 7, 8] | summarize take_any(x) == 7`,
	Params:   []kinds{anyKind},
	Min:      1,
	Variadic: true,
	Result: func(args []Arg) (Kind, error) {
		if len(args) > 1 {
			return 0, fmt.Errorf("take_any of more than one value is not supported here")
		}
		return args[0].Kind, nil
	},
	New: func(args []Arg) Accumulator { return &firstAccumulator{value: NullOf(args[0].Kind)} },
}

var takeAnyIf = Agg{
	Name:    "take_anyif",
	Usage:   "take_anyif(value, condition)",
	Doc:     "The value of the first row for which the condition is true and that has one.",
	Example: `range x from 1 to 4 step 1 | summarize take_anyif(x, x > 2) == 3`,
	Params:  []kinds{anyKind, of(Bool)},
	Result:  likeArg(0),
	New: func(args []Arg) Accumulator {
		return &conditionalAccumulator{&firstAccumulator{value: NullOf(args[0].Kind)}}
	},
}

// sizedKind is a Result that checks the argument that tells the greatest size.
func sizedKind(name string, place int) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if place >= len(args) {
			return Dynamic, nil
		}
		switch size := args[place].Const; {
		case size == nil:
			return 0, fmt.Errorf("%s: a maximum size that is not constant is not supported here", name)
		case size.Null || size.N <= 0:
			return 0, fmt.Errorf("%s: the maximum size must be above 0", name)
		}
		return Dynamic, nil
	}
}

// maxSizeOf returns the greatest size that an argument tells, at most what Kusto allows.
func maxSizeOf(args []Arg, place int, otherwise int64) int64 {
	if place >= len(args) {
		return otherwise
	}
	return min(args[place].Const.N, maxArray)
}

// renamedAgg returns a by another name that Kusto has for it.
func renamedAgg(a Agg, name, prefix string) Agg {
	f := dynamicAlias(Func{Name: a.Name, Usage: a.Usage, Example: a.Example}, name)
	a.Name, a.Usage, a.Example, a.Prefix = f.Name, f.Usage, f.Example, prefix
	return a
}

// limitedTo128 is for the old names: without a size they stop at 128.
func limitedTo128(a Agg) Agg {
	inner := a.New
	a.New = func(args []Arg) Accumulator {
		if len(args) < 2 {
			size := LongOf(128)
			args = []Arg{args[0], {Kind: Long, Const: &size}}
		}
		return inner(args)
	}
	return a
}

// conditionalAgg returns a_if(value, condition [, max_size]).
func conditionalAgg(a Agg, example string) Agg {
	inner := a.New
	name := a.Name + "_if"
	return Agg{
		Name:    name,
		Usage:   name + "(value, condition [, max_size])",
		Doc:     "As " + a.Name + ", of the rows for which the condition is true.",
		Example: example,
		Params:  []kinds{a.Params[0], of(Bool), longs},
		Min:     2,
		Result:  sizedKind(name, 2),
		New: func(args []Arg) Accumulator {
			return &conditionalAccumulator{inner(append([]Arg{args[0]}, args[2:]...))}
		},
		Prefix: a.Prefix,
	}
}

// A conditionalAccumulator takes the rows whose second argument is true.
type conditionalAccumulator struct{ Accumulator }

func (a *conditionalAccumulator) Add(args []Value) {
	if args[1].Bool() {
		a.Accumulator.Add(args[:1])
	}
}

// A listAccumulator writes its array as the rows come.
type listAccumulator struct {
	text  Chunks[byte] // elements, a comma before each
	last  []byte       // element that was added
	n     int64
	max   int64
	nulls bool // nulls that are not dynamic count too
}

func (a *listAccumulator) Add(args []Value) {
	v := args[0]
	switch {
	case a.n >= a.max:
	case isArray(v):
		eachElement(v.S, func(value string) bool {
			a.push(DynamicOf(value))
			return a.n < a.max
		})
	case !v.Null || a.nulls || v.Kind == Dynamic:
		a.push(v)
	}
}

func (a *listAccumulator) push(v Value) {
	a.n++
	a.last = appendJSON(append(a.last[:0], ','), v)
	a.text.Append(a.last...)
}

func (a *listAccumulator) Value() Value {
	if a.n == 0 {
		return DynamicOf("[]")
	}
	var b strings.Builder
	b.Grow(a.text.Len() + 1)
	first := true
	for chunk := range a.text.All() {
		if first {
			b.WriteByte('[')
			chunk, first = chunk[1:], false
		}
		b.Write(chunk)
	}
	b.WriteByte(']')
	return DynamicOf(b.String())
}

// Size counts the text twice: its value is another one.
func (a *listAccumulator) Size() int { return 2*a.text.Size() + cap(a.last) + 64 }

// A setAccumulator is a list of what was not there yet.
type setAccumulator struct {
	list listAccumulator
	seen map[key]struct{}
	size int // bytes of the keys
}

func (a *setAccumulator) Add(args []Value) {
	v := args[0]
	switch {
	case a.list.n >= a.list.max:
	case isArray(v):
		eachElement(v.S, func(value string) bool {
			a.add(DynamicOf(value))
			return a.list.n < a.list.max
		})
	case !v.Null || v.Kind == Dynamic:
		a.add(v)
	}
}

func (a *setAccumulator) add(v Value) {
	k := v.key()
	if v.Kind == Dynamic && !v.Null {
		k = key{kind: Dynamic, s: identity(v.S)}
	}
	if _, ok := a.seen[k]; ok {
		return
	}
	if a.seen == nil {
		a.seen = map[key]struct{}{}
	}
	k.s = strings.Clone(k.s) // it may be a part of a long text
	a.seen[k] = struct{}{}
	a.size += 64 + len(k.s)
	a.list.push(v)
}

func (a *setAccumulator) Value() Value { return a.list.Value() }
func (a *setAccumulator) Size() int    { return a.list.Size() + a.size }

// A bagAccumulator keeps the first value of each name.
type bagAccumulator struct {
	bag  bagBuilder
	max  int64
	size int
}

func (a *bagAccumulator) Add(args []Value) {
	if !isBag(args[0]) || int64(len(a.bag.names)) >= a.max {
		return
	}
	eachMember(args[0].S, func(name, value string) bool {
		if a.bag.find(name) < 0 {
			a.bag.push(strings.Clone(name), strings.Clone(value))
			a.size += 64 + len(name) + len(value)
		}
		return int64(len(a.bag.names)) < a.max
	})
}

func (a *bagAccumulator) Value() Value { return a.bag.bag() }
func (a *bagAccumulator) Size() int    { return a.size + 64 }

// A firstAccumulator keeps the first value that is not null and not "".
type firstAccumulator struct{ value Value }

func (a *firstAccumulator) Add(args []Value) {
	if a.value.Null || a.value.Kind == String && a.value.S == "" {
		if v := args[0]; !v.Null {
			v.S = strings.Clone(v.S)
			a.value = v
		}
	}
}

func (a *firstAccumulator) Value() Value { return a.value }
func (a *firstAccumulator) Size() int    { return 64 + len(a.value.S) }

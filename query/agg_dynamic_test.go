package query

import (
	"slices"
	"strings"
	"testing"
)

// collectDynamic runs an aggregation over rows; its last arguments are constant.
func collectDynamic(t *testing.T, name string, rows [][]Value, constants ...Value) (Value, error) {
	i := slices.IndexFunc(dynamicAggs, func(a Agg) bool { return a.Name == name })
	agg := dynamicAggs[i]
	var args []Arg
	for _, v := range rows[0] {
		args = append(args, Arg{Kind: v.Kind})
	}
	args = append(args, constArgs(constants)...)
	if err := checkArgs(agg.Name, agg.Usage, agg.Params, agg.Min, agg.Variadic, args); err != nil {
		return Value{}, err
	}
	k, err := agg.Result(args)
	if err != nil {
		return Value{}, err
	}
	acc := agg.New(args)
	for _, row := range rows[1:] { // the first tells the kinds only
		acc.Add(append(slices.Clone(row), constants...))
	}
	got := acc.Value()
	if got.Kind != k || acc.Size() <= 0 {
		t.Errorf("%s: a %s of %d bytes, expected %s", name, got.Kind, acc.Size(), k)
	}
	return got, nil
}

func TestDynamicAggs(t *testing.T) {
	column := func(values ...Value) (rows [][]Value) {
		for _, v := range values {
			rows = append(rows, []Value{v})
		}
		return append(rows[:1:1], rows...)
	}
	of := func(list ...int64) (values []Value) {
		for _, n := range list {
			values = append(values, LongOf(n))
		}
		return values
	}
	null, longNull := NullOf(Dynamic), NullOf(Long)
	flagged := [][]Value{{LongOf(0), BoolOf(true)}, {LongOf(1), BoolOf(false)}, {LongOf(2), BoolOf(true)}, {LongOf(2), BoolOf(true)}, {LongOf(3), NullOf(Bool)}}
	for _, c := range []struct {
		name string
		rows [][]Value
		size []Value
		want Value
	}{
		{"make_list", column(of(5, 3, 9, 3)...), nil, dyn("[5,3,9,3]")},
		{"make_list", column(of(5, 3, 9, 3)...), of(3), dyn("[5,3,9]")},
		{"make_list", column(longNull, LongOf(1)), nil, dyn("[1]")},
		{"make_list", column(StringOf("a"), StringOf("")), nil, dyn(`["a",""]`)},
		{"make_list", column(dyn(`{"x":1}`), null, dyn(`{"y":2}`)), nil, dyn(`[{"x":1},null,{"y":2}]`)},
		{"make_list", column(dyn("[1,2,3]"), dyn("[1,[2]]"), dyn("[]"), dyn("1")), nil, dyn("[1,2,3,1,[2],1]")},
		{"make_list", column(dyn("[1,2,3]"), dyn("[4]")), of(2), dyn("[1,2]")},
		{"make_list", [][]Value{{LongOf(1)}}, nil, dyn("[]")},
		{"make_list", column(RealOf(1), RealOf(2.5)), nil, dyn("[1.0,2.5]")},
		{"make_list_with_nulls", column(longNull, LongOf(5), longNull), nil, dyn("[null,5,null]")},
		{"make_list_if", flagged, nil, dyn("[2,2]")},
		{"make_list_if", flagged, of(1), dyn("[2]")},
		{"make_set", column(StringOf("b"), StringOf("a"), StringOf("b"), StringOf("")), nil, dyn(`["b","a",""]`)},
		{"make_set", column(of(1, 2, 3, 1)...), of(2), dyn("[1,2]")},
		{"make_set", column(longNull, longNull), nil, dyn("[]")},
		{"make_set", column(dyn(`["A1","A2"]`), dyn(`["A2","C1"]`), dyn(`"C1"`)), nil, dyn(`["A1","A2","C1"]`)},
		{"make_set", column(dyn(`{"a":1,"b":2}`), dyn(`{"b":2,"a":1}`)), nil, dyn(`[{"a":1,"b":2}]`)},
		{"make_set_if", flagged, nil, dyn("[2]")},
		{"make_bag", column(dyn(`{"a":1}`), dyn(`{"a":2,"b":3}`), null, dyn("[1]"), dyn(`{"c":4}`)), nil, dyn(`{"a":1,"b":3,"c":4}`)},
		{"make_bag", column(dyn(`{"a":1}`), dyn(`{"b":3,"c":3}`)), of(2), dyn(`{"a":1,"b":3}`)},
		{"make_bag", column(null), nil, dyn("{}")},
		{"make_bag_if", [][]Value{{null, BoolOf(true)}, {dyn(`{"a":1}`), BoolOf(true)}, {dyn(`{"b":1}`), BoolOf(false)}}, nil, dyn(`{"a":1}`)},
		{"take_any", column(longNull, LongOf(7), LongOf(8)), nil, LongOf(7)},
		{"take_any", column(longNull), nil, longNull},
		{"take_any", column(StringOf(""), StringOf("x")), nil, StringOf("x")},
		{"take_any", [][]Value{{StringOf("x")}}, nil, StringOf("")},
		{"take_anyif", flagged, nil, LongOf(2)},
		{"any", column(BoolOf(false)), nil, BoolOf(false)},
	} {
		got, err := collectDynamic(t, c.name, c.rows, c.size...)
		if err != nil || got.Kind != c.want.Kind || jsonOf(got) != jsonOf(c.want) {
			t.Errorf("%s(%v) = %v, %v, expected %v", c.name, c.rows[1:], got, err, c.want)
		}
	}
	long := column(of(make([]int64, 200)...)...)
	if got, _ := collectDynamic(t, "makelist", long); lengthOf(got) != 128 {
		t.Errorf("makelist has %d elements", lengthOf(got))
	}
	if got, _ := collectDynamic(t, "makelist", long, LongOf(150)); lengthOf(got) != 150 {
		t.Errorf("makelist with a size has %d elements", lengthOf(got))
	}
	if _, err := collectDynamic(t, "make_set", long, LongOf(0)); err == nil {
		t.Error("a size of 0 is accepted")
	}
}

func TestDynamicAggTable(t *testing.T) {
	if !slices.IsSortedFunc(dynamicAggs, func(a, b Agg) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the table is not sorted")
	}
	for _, a := range dynamicAggs {
		if !strings.Contains(a.Example, a.Name+"(") || !strings.HasPrefix(a.Usage, a.Name+"(") || a.Doc == "" {
			t.Errorf("%s is not complete", a.Name)
		}
	}
}

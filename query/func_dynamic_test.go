package query

import (
	"slices"
	"strings"
	"testing"
)

// dyn returns a dynamic value of a JSON text.
func dyn(text string) Value { return DynamicOf(text) }

// constArgs tells of constant arguments what is known before any row is read.
func constArgs(values []Value) []Arg {
	args := make([]Arg, len(values))
	for i := range values {
		args[i] = Arg{Kind: values[i].Kind, Const: &values[i]}
	}
	return args
}

// callDynamic calls a function as a query does.
func callDynamic(name string, values ...Value) (Value, error) {
	i := slices.IndexFunc(dynamicFuncs, func(f Func) bool { return f.Name == name })
	f, args := dynamicFuncs[i], constArgs(values)
	if err := checkArgs(f.Name, f.Usage, f.Params, f.Min, f.Variadic, args); err != nil {
		return Value{}, err
	}
	k, err := f.Result(args)
	if err != nil {
		return Value{}, err
	}
	if eval := f.Eval; f.Nulls || !slices.ContainsFunc(values, func(v Value) bool { return v.Null }) {
		if f.Bind != nil {
			if eval, err = f.Bind(args); err != nil {
				return Value{}, err
			}
		}
		return eval(values), nil
	}
	return NullOf(k), nil
}

func TestDynamicFuncs(t *testing.T) {
	null, longNull := NullOf(Dynamic), NullOf(Long)
	yes, no := BoolOf(true), BoolOf(false)
	str, n := StringOf, LongOf
	words := dyn(`["this","is","an","example","an","example"]`)
	for _, c := range []struct {
		name string
		args []Value
		want Value
	}{
		{"array_concat", []Value{dyn("[1,2]"), dyn("[]"), dyn("[3]")}, dyn("[1,2,3]")},
		{"array_concat", []Value{dyn(`{"a":1}`), dyn("[99]")}, dyn("[99]")},
		{"array_concat", []Value{null, dyn("[99]")}, dyn("[99]")},
		{"array_iff", []Value{dyn("[1,0,50]"), str("yes"), str("no")}, dyn(`["yes","no","yes"]`)},
		{"array_iff", []Value{dyn(`["x",null,[]]`), n(1), n(0)}, dyn("[null,null,null]")},
		{"array_iif", []Value{dyn("[true,true,false,0.0,0.5]"), dyn("[1]"), dyn("[3,4]")}, dyn("[1,null,null,null,null]")},
		{"array_iff", []Value{null, n(1), n(0)}, null},
		{"array_index_of", []Value{words, str("an")}, n(2)},
		{"array_index_of", []Value{words, str("example"), n(1), n(3)}, n(3)},
		{"array_index_of", []Value{words, str("example"), n(1), n(2)}, n(-1)},
		{"array_index_of", []Value{words, str("is"), n(2), n(4)}, n(-1)},
		{"array_index_of", []Value{words, str("example"), n(2), n(-1)}, n(3)},
		{"array_index_of", []Value{words, str("an"), n(1), n(-1), n(2)}, n(4)},
		{"array_index_of", []Value{words, str("an"), n(1), n(-1), n(3)}, n(-1)},
		{"array_index_of", []Value{words, str("an"), n(-3)}, n(4)},
		{"array_index_of", []Value{words, str("is"), n(-4)}, n(-1)},
		{"array_index_of", []Value{words, str("this"), n(-40)}, n(0)},
		{"array_index_of", []Value{words, str("is"), n(0), n(-2)}, longNull},
		{"array_index_of", []Value{dyn("{}"), str("is")}, longNull},
		{"array_length", []Value{dyn(`[1,"a,b",[2,3],{"x":[4]}]`)}, n(4)},
		{"array_length", []Value{dyn("[]")}, n(0)},
		{"array_length", []Value{dyn("{}")}, longNull},
		{"arraylength", []Value{null}, longNull},
		{"array_reverse", []Value{dyn(`[1,"b",[2]]`)}, dyn(`[[2],"b",1]`)},
		{"array_rotate_left", []Value{dyn("[1,2,3,4,5]"), n(2)}, dyn("[3,4,5,1,2]")},
		{"array_rotate_left", []Value{dyn("[1,2,3,4,5]"), n(-7)}, dyn("[4,5,1,2,3]")},
		{"array_rotate_right", []Value{dyn("[1,2,3,4,5]"), n(-2)}, dyn("[3,4,5,1,2]")},
		{"array_rotate_right", []Value{dyn("[]"), n(3)}, dyn("[]")},
		{"array_shift_left", []Value{dyn("[1,2,3,4,5]"), n(2)}, dyn("[3,4,5,null,null]")},
		{"array_shift_left", []Value{dyn("[1,2,3,4,5]"), n(-2), n(-1)}, dyn("[-1,-1,1,2,3]")},
		{"array_shift_right", []Value{dyn("[1,2,3,4,5]"), n(-2), n(-1)}, dyn("[3,4,5,-1,-1]")},
		{"array_shift_right", []Value{dyn("[10,20,30]"), n(1)}, dyn("[null,10,20]")},
		{"array_shift_right", []Value{dyn(`["a","b"]`), n(-9223372036854775808)}, dyn(`["",""]`)},
		{"array_slice", []Value{dyn("[1,2,3,4,5]"), n(-3), n(-2)}, dyn("[3,4]")},
		{"array_slice", []Value{dyn("[1,2,3,4,5]"), n(2), n(-1)}, dyn("[3,4,5]")},
		{"array_slice", []Value{dyn("[1,2,3]"), n(-9), n(9)}, dyn("[1,2,3]")},
		{"array_slice", []Value{dyn("[1,2,3]"), n(2), n(1)}, dyn("[]")},
		{"array_slice", []Value{dyn("[1,2,3]"), n(0), n(-9)}, dyn("[]")},
		{"array_slice", []Value{dyn(`"abc"`), n(0), n(1)}, null},
		{"array_sort_asc", []Value{dyn(`[1,3,2,"a","c","b"]`)}, dyn(`[1,2,3,"a","b","c"]`)},
		{"array_sort_desc", []Value{dyn(`[1,3,2,"a","c","b"]`)}, dyn(`[3,2,1,"c","b","a"]`)},
		{"array_sort_asc", []Value{dyn(`[null,"blue","yellow","green",null]`)}, dyn(`["blue","green","yellow",null,null]`)},
		{"array_sort_asc", []Value{dyn(`[null,"blue","yellow","green",null]`), no}, dyn(`[null,null,"blue","green","yellow"]`)},
		{"array_sort_desc", []Value{dyn(`[null,"blue","yellow","green",null]`), no}, dyn(`[null,null,"yellow","green","blue"]`)},
		{"array_sort_asc", []Value{dyn(`[9007199254740993,9007199254740992.0,1e30,-5]`)}, dyn(`[-5,9007199254740992.0,9007199254740993,1e30]`)},
		{"array_sort_asc", []Value{dyn(`["10.00:00:00","-00:00:01","2.00:00:00",null]`)}, dyn(`["-00:00:01","2.00:00:00","10.00:00:00",null]`)},
		{"array_sort_asc", []Value{dyn("{}")}, null},
		{"array_split", []Value{dyn("[1,2,3,4,5]"), n(2)}, dyn("[[1,2],[3,4,5]]")},
		{"array_split", []Value{dyn("[1,2,3,4,5]"), dyn("[1,3]")}, dyn("[[1],[2,3],[4,5]]")},
		{"array_split", []Value{dyn("[1,2,3]"), dyn("[-1,1,9]")}, dyn("[[1,2],[],[2,3],[]]")},
		{"array_sum", []Value{dyn("[1,null,3]")}, RealOf(4)},
		{"array_sum", []Value{dyn("[]")}, NullOf(Real)},
		{"array_sum", []Value{dyn(`[1,"2"]`)}, NullOf(Real)},
		{"bag_has_key", []Value{dyn(`{"a":{"b":null}}`), str("$.a.b")}, yes},
		{"bag_has_key", []Value{dyn(`{"a":{"b":null}}`), str("$['a'].c")}, no},
		{"bag_has_key", []Value{dyn(`{"a":1}`), str("$.a.b")}, no},
		{"bag_has_key", []Value{dyn(`{"$.a":1}`), str("a")}, no},
		{"bag_keys", []Value{dyn(`{"a":1,"b\"":{"c":1}}`)}, dyn(`["a","b\""]`)},
		{"bag_keys", []Value{dyn("{}")}, dyn("[]")},
		{"bag_keys", []Value{dyn("[]")}, null},
		{"bag_merge", []Value{dyn(`{"a":1,"b":2}`), dyn(`{"b":3,"c":4}`)}, dyn(`{"a":1,"b":2,"c":4}`)},
		{"bag_merge", []Value{dyn(`{"k":1}`), null}, dyn(`{"k":1}`)},
		{"bag_pack", []Value{str("name"), str("alice"), str("age"), n(30), str("x"), longNull}, dyn(`{"name":"alice","age":30,"x":null}`)},
		{"pack", []Value{str("url"), dyn(`{"u":[1]}`)}, dyn(`{"url":{"u":[1]}}`)},
		{"bag_remove_keys", []Value{dyn(`{"key1":123,"key2":"abc"}`), dyn(`["key2","key4",1]`)}, dyn(`{"key1":123}`)},
		{"bag_remove_keys", []Value{dyn(`{"a":{"b":1,"c":2},"k":[1]}`), dyn(`["$.a.b","k"]`)}, dyn(`{"a":{"c":2}}`)},
		{"bag_set_key", []Value{dyn(`{"key1":1,"key3":"abc"}`), str("key3"), n(3)}, dyn(`{"key1":1,"key3":3}`)},
		{"bag_set_key", []Value{dyn(`{"k":{"p":1,"q":2}}`), str("$.k.p"), str("abc")}, dyn(`{"k":{"q":2,"p":"abc"}}`)},
		{"bag_set_key", []Value{dyn(`{"a":1}`), str("$.k.p"), longNull}, dyn(`{"a":1,"k":{"p":null}}`)},
		{"bag_set_key", []Value{dyn(`[]`), str("a"), n(1)}, null},
		{"bag_zip", []Value{dyn(`["a",8,"b"]`), dyn(`[1,"2",2.5]`)}, dyn(`{"a":1,"b":2.5}`)},
		{"bag_zip", []Value{dyn(`["a","b"]`), dyn("1")}, dyn(`{"a":null,"b":null}`)},
		{"bag_zip", []Value{dyn(`"a"`), dyn("[1]")}, null},
		{"dynamic_to_json", []Value{dyn(`{"Y10":{},"X8":{"c3":1,"a4":6},"A1":12,"A14":[15,{"z":1,"y":2.0}]}`)}, str(`{"A1":12,"A14":[15,{"y":2.0,"z":1}],"X8":{"a4":6,"c3":1},"Y10":{}}`)},
		{"extract_json", []Value{str("$.name"), str(`{"name": "John", "age": 30}`), str("string")}, str("John")},
		{"extract_json", []Value{str("$['a b'][1].c"), str(`{"a b": [0, {"c": [1, 2]}]}`)}, str("[1,2]")},
		{"extractjson", []Value{str("$.age"), str(`{"age": 30}`), str("typeof(long)")}, n(30)},
		{"extract_json", []Value{str("$.age"), str(`{"age": 3.5}`), str("long")}, longNull},
		{"extract_json", []Value{str("$.x"), str(`{"age": 30}`)}, str("")},
		{"extract_json", []Value{str("$.x"), str(`not json`)}, str("")},
		{"gettype", []Value{dyn("1")}, str("long")}, {"gettype", []Value{dyn("1.5")}, str("double")}, {"gettype", []Value{RealOf(1)}, str("real")},
		{"gettype", []Value{dyn(`"s"`)}, str("string")}, {"gettype", []Value{dyn("true")}, str("bool")}, {"gettype", []Value{null}, str("null")},
		{"gettype", []Value{dyn("[1]")}, str("array")}, {"gettype", []Value{dyn("{}")}, str("dictionary")}, {"gettype", []Value{IntOf(1)}, str("int")},
		{"jaccard_index", []Value{dyn("[1,2,3,1]"), dyn("[1,2,3,4]")}, RealOf(0.75)},
		{"pack_array", []Value{n(1), str("2"), TimespanOf(2 * ticksSecond), longNull}, dyn(`[1,"2","00:00:02",null]`)},
		{"parse_json", []Value{str(` [1, 2] `)}, dyn("[1,2]")},
		{"parse_json", []Value{str("")}, null},
		{"parse_json", []Value{str(" ")}, dyn(`" "`)},
		{"parsejson", []Value{str("invalid")}, dyn(`"invalid"`)},
		{"todynamic", []Value{str("{'a': 'b'}")}, dyn(`"{'a': 'b'}"`)},
		{"todynamic", []Value{dyn(`"[1]"`)}, dyn(`"[1]"`)},
		{"range", []Value{n(1), n(8), n(3)}, dyn("[1,4,7]")},
		{"range", []Value{n(0), n(-1), n(1)}, dyn("[]")},
		{"range", []Value{n(3), n(1), n(-1)}, dyn("[3,2,1]")},
		{"range", []Value{n(1), n(3), n(0)}, null},
		{"range", []Value{n(9223372036854775806), n(9223372036854775807)}, dyn("[9223372036854775806,9223372036854775807]")},
		{"range", []Value{n(1), RealOf(2.5)}, dyn("[1.0,2.0]")},
		{"range", []Value{TimespanOf(ticksHour), TimespanOf(3 * ticksHour)}, dyn(`["01:00:00","02:00:00","03:00:00"]`)},
		{"range", []Value{DatetimeOf(0, 0), DatetimeOf(864000000000, 0), TimespanOf(864000000000)}, dyn(`["0001-01-01T00:00:00.0000000Z","0001-01-02T00:00:00.0000000Z"]`)},
		{"repeat", []Value{n(1), n(3)}, dyn("[1,1,1]")}, {"repeat", []Value{n(1), n(0)}, dyn("[]")}, {"repeat", []Value{n(1), n(-1)}, null},
		{"set_difference", []Value{dyn("[null,1,null,2,1]"), dyn("[null]")}, dyn("[1,2]")},
		{"set_difference", []Value{dyn("[1,2]"), dyn("[2,1]")}, dyn("[]")},
		{"set_has_element", []Value{dyn("[1,2,3]"), n(2)}, yes}, {"set_has_element", []Value{dyn("[1,2,3]"), str("2")}, no},
		{"set_intersect", []Value{dyn("[1,2,1,4]"), dyn("[1,2]"), dyn("[8,1]")}, dyn("[1]")},
		{"set_union", []Value{dyn("[1,2,3]"), dyn("[3,4]"), dyn("[5]")}, dyn("[1,2,3,4,5]")},
		{"set_union", []Value{dyn("[1]"), null}, null},
		{"treepath", []Value{dyn(`{"p":[1,2,"x",{"x":"y"}],"q":{"r":1}}`)}, dyn(`["['p']","['p'][0]","['p'][0]['x']","['q']","['q']['r']"]`)},
		{"zip", []Value{dyn(`["A",1,1.5]`), dyn(`[{},"B"]`)}, dyn(`[["A",{}],[1,"B"],[1.5,null]]`)},
	} {
		got, err := callDynamic(c.name, c.args...)
		if err != nil || got.Kind != c.want.Kind || jsonOf(got) != jsonOf(c.want) {
			t.Errorf("%s(%v) = %v, %v, expected %v", c.name, c.args, got, err, c.want)
		}
	}
}

func TestDynamicFuncsRefuse(t *testing.T) {
	for _, c := range []struct {
		name string
		args []Value
		want string
	}{
		{"array_sort_asc", []Value{dyn("[1]"), BoolOf(false), dyn("[2]")}, "argument 2 is of type bool"},
		{"bag_pack", []Value{StringOf("a"), LongOf(1), StringOf("b")}, "has no value"},
		{"bag_pack", []Value{LongOf(1), LongOf(1)}, "expected string"},
		{"array_length", []Value{StringOf("[1]")}, "expected dynamic"},
		{"repeat", []Value{dyn("{}"), LongOf(3)}, "is of type dynamic"},
		{"set_union", []Value{dyn("[1]")}, "found 1 arguments"},
		{"extract_json", []Value{StringOf("$.*"), StringOf("{}")}, "is not supported here"},
		{"range", []Value{LongOf(1), DatetimeOf(0, 0)}, "expected long"},
		{"range", []Value{DatetimeOf(0, 0), DatetimeOf(0, 0), LongOf(1)}, "expected timespan"},
	} {
		if _, err := callDynamic(c.name, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s(%v): %v, expected %s", c.name, c.args, err, c.want)
		}
	}
}

func TestDynamicFuncTables(t *testing.T) {
	for _, table := range [][]Func{dynamicArrayFuncs, dynamicBagFuncs, dynamicMakeFuncs, dynamicSetFuncs, dynamicTextFuncs} {
		if !slices.IsSortedFunc(table, func(a, b Func) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("the table that begins with %s is not sorted", table[0].Name)
		}
		for _, f := range table {
			if !strings.Contains(f.Example, f.Name+"(") || !strings.HasPrefix(f.Usage, f.Name+"(") || f.Doc == "" || f.Result == nil {
				t.Errorf("%s is not complete", f.Name)
			}
		}
	}
}

package query

import (
	"fmt"
	"slices"
	"strings"
)

// dynamicFuncs are the functions of dynamic values.
var dynamicFuncs = slices.Concat(dynamicArrayFuncs, dynamicBagFuncs,
	dynamicMakeFuncs, dynamicSetFuncs, dynamicTextFuncs)

var dynamics = of(Dynamic)

// dynamicTextFuncs go between dynamic values and text.
var dynamicTextFuncs = []Func{
	{
		Name:    "dynamic_to_json",
		Usage:   "dynamic_to_json(value)",
		Doc:     "The JSON text of a dynamic value, with the members of bags sorted by name.",
		Example: `dynamic_to_json(dynamic({"b":1,"a":[2,3]})) == '{"a":[2,3],"b":1}'`,
		Params:  []kinds{dynamics},
		Result:  fixed(String),
		Eval:    func(args []Value) Value { return StringOf(string(appendSorted(nil, args[0].S, false))) },
	},
	extractJSON,
	dynamicAlias(extractJSON, "extractjson"),
	{
		Name:    "gettype",
		Usage:   "gettype(value)",
		Doc:     "The type of a value; of a dynamic one, of what it holds.",
		Example: `gettype(parse_json("[1]")) == "array"`,
		Params:  []kinds{anyKind},
		Result:  fixed(String),
		Nulls:   true,
		Eval:    func(args []Value) Value { return StringOf(typeOf(args[0])) },
	},
	parseJSONFunc,
	dynamicAlias(parseJSONFunc, "parsejson"),
	dynamicAlias(parseJSONFunc, "todynamic"),
	dynamicAlias(parseJSONFunc, "toobject"),
}

var parseJSONFunc = Func{
	Name:      "parse_json",
	Usage:     "parse_json(text)",
	Doc:       "The value of a JSON text; of other text, the text itself as a dynamic string.",
	Example:   `tolong(parse_json('{"a":[1,2]}').a[1]) == 2`,
	Params:    []kinds{of(String, Dynamic)},
	Result:    fixed(Dynamic),
	KeepsName: true,
	Eval: func(args []Value) Value {
		v := args[0]
		if v.Kind == Dynamic {
			return v
		}
		if v.S == "" {
			return nullDynamic
		}
		if compact, ok := parseJSON(v.S); ok {
			return DynamicOf(compact)
		}
		return DynamicOf(quoteJSON(v.S))
	},
}

var extractJSON = Func{
	Name:    "extract_json",
	Usage:   "extract_json(path, text [, typeof(type)])",
	Doc:     "What stands at a path of a JSON text, as $.a['b c'][0].",
	Example: `extract_json("$.a[1]", '{"a":[10,20]}') == "20"`,
	Params:  []kinds{strs, strs, anyKind},
	Min:     2,
	Result:  extractedKind,
	Bind:    bindExtractJSON,
}

// extractedKind returns the kind that typeof names.
func extractedKind(args []Arg) (Kind, error) {
	if args[0].Const == nil {
		return 0, fmt.Errorf("extract_json: a path that is not constant is not supported here")
	}
	if len(args) < 3 {
		return String, nil
	}
	if args[2].Const == nil {
		return 0, fmt.Errorf("extract_json: argument 3 must be typeof(…)")
	}
	name := strings.TrimSuffix(strings.TrimPrefix(args[2].Const.S, "typeof("), ")")
	k, ok := kindOf(name)
	if !ok {
		return 0, fmt.Errorf("extract_json: unknown type %s", name)
	}
	return k, nil
}

func bindExtractJSON(args []Arg) (func([]Value) Value, error) {
	k, err := extractedKind(args)
	if err != nil {
		return nil, err
	}
	path, ok := parsePath(args[0].Const.S)
	if !ok {
		return nil, fmt.Errorf("extract_json: the path %s is not supported here", args[0].Const.S)
	}
	return func(args []Value) Value {
		compact, ok := parseJSON(args[1].S)
		if !ok {
			return NullOf(k)
		}
		return extractedAs(k, path.of(DynamicOf(compact)))
	}, nil
}

// extractedAs converts the text of a value to a kind.
func extractedAs(k Kind, v Value) Value {
	switch {
	case v.Null:
		return NullOf(k)
	case k == Dynamic:
		return v
	}
	text := v.S
	if text[0] == '"' {
		text = unquoteJSON(text)
	}
	return convert(StringOf(text), k)
}

// typeOf returns what gettype says of a value.
func typeOf(v Value) string {
	switch {
	case v.Kind != Dynamic:
		return v.Kind.String()
	case v.Null:
		return "null"
	case isArray(v):
		return "array"
	case isBag(v):
		return "dictionary"
	case v.S[0] == '"':
		return "string"
	case !isNumberText(v.S):
		return "bool"
	case scalarOf(v).Kind == Long:
		return "long"
	}
	return "double"
}

// dynamicAlias returns f by another name that Kusto has for it.
func dynamicAlias(f Func, name string) Func {
	rename := func(text string) string { return strings.ReplaceAll(text, f.Name+"(", name+"(") }
	f.Usage, f.Example, f.Name = rename(f.Usage), rename(f.Example), name
	return f
}

package query

import (
	"fmt"
	"strings"
)

// dynamicBagFuncs make, read and change bags.
var dynamicBagFuncs = []Func{
	{
		Name:    "bag_has_key",
		Usage:   "bag_has_key(bag, key)",
		Doc:     "Whether a bag has a member; the key may be a path as $.a.b.",
		Example: `bag_has_key(dynamic({"a":{"b":1}}), "$.a.b")`,
		Params:  []kinds{dynamics, strs},
		Result:  fixed(Bool),
		Eval:    func(args []Value) Value { return bagHasKey(args[0], args[1].S) },
	},
	{
		Name:    "bag_keys",
		Usage:   "bag_keys(bag)",
		Doc:     "The names of a bag's members.",
		Example: `tostring(bag_keys(dynamic({"a":1,"b":2}))) == '["a","b"]'`,
		Params:  []kinds{dynamics},
		Result:  fixed(Dynamic),
		Eval:    func(args []Value) Value { return bagKeys(args[0]) },
	},
	{
		Name:     "bag_merge",
		Usage:    "bag_merge(bag, bag [, …])",
		Doc:      "A bag of the members of all; where names are the same, the first counts.",
		Example:  `tostring(bag_merge(dynamic({"a":1}), dynamic({"a":2,"b":3}))) == '{"a":1,"b":3}'`,
		Params:   []kinds{dynamics},
		Min:      2,
		Variadic: true,
		Result:   limitedArgs("bag_merge", 64, Dynamic),
		Nulls:    true,
		Eval:     bagMerge,
	},
	bagPack,
	{
		Name:    "bag_remove_keys",
		Usage:   "bag_remove_keys(bag, keys)",
		Doc:     "A bag without the members of an array of names; a name may be a path as $.a.b.",
		Example: `tostring(bag_remove_keys(dynamic({"a":1,"b":2}), dynamic(["a"]))) == '{"b":2}'`,
		Params:  []kinds{dynamics, dynamics},
		Result:  fixed(Dynamic),
		Eval:    func(args []Value) Value { return bagRemoveKeys(args[0], args[1]) },
	},
	{
		Name:    "bag_set_key",
		Usage:   "bag_set_key(bag, key, value)",
		Doc:     "A bag with a member set, behind the others; the key may be a path as $.a.b.",
		Example: `tostring(bag_set_key(dynamic({"a":1}), "b", 2)) == '{"a":1,"b":2}'`,
		Params:  []kinds{dynamics, strs, anyKind},
		Result:  fixed(Dynamic),
		Nulls:   true,
		Eval:    func(args []Value) Value { return bagSetKey(args[0], args[1].S, jsonOf(args[2])) },
	},
	{
		Name:    "bag_zip",
		Usage:   "bag_zip(keys, values)",
		Doc:     "A bag of an array of names and an array of values.",
		Example: `tostring(bag_zip(dynamic(["a","b"]), dynamic([1]))) == '{"a":1,"b":null}'`,
		Params:  []kinds{dynamics, dynamics},
		Result:  fixed(Dynamic),
		Nulls:   true,
		Eval:    func(args []Value) Value { return bagZip(args[0], args[1]) },
	},
	dynamicAlias(bagPack, "pack"),
	dynamicAlias(bagPack, "pack_dictionary"),
	{
		Name:    "treepath",
		Usage:   "treepath(bag)",
		Doc:     "The paths of a bag; all elements of an array have the path [0].",
		Example: `tostring(treepath(dynamic({"a":{"b":1}}))) == "[\"['a']\",\"['a']['b']\"]"`,
		Params:  []kinds{dynamics},
		Result:  fixed(Dynamic),
		Eval:    func(args []Value) Value { return treePaths(args[0]) },
	},
}

var bagPack = Func{
	Name:     "bag_pack",
	Usage:    "bag_pack(key, value [, …])",
	Doc:      "A bag of names and values.",
	Example:  `tostring(bag_pack("a", 1, "b", true)) == '{"a":1,"b":true}'`,
	Params:   []kinds{anyKind},
	Min:      2,
	Variadic: true,
	Result:   bagPackKind,
	Nulls:    true,
	Eval: func(args []Value) Value {
		var b bagBuilder
		for i := 0; i+1 < len(args); i += 2 {
			b.set(quoteJSON(args[i].S), jsonOf(args[i+1]))
		}
		return b.bag()
	},
}

func bagPackKind(args []Arg) (Kind, error) {
	if len(args)%2 != 0 {
		return 0, fmt.Errorf("bag_pack: the last key has no value")
	}
	for i := 0; i < len(args); i += 2 {
		if args[i].Kind != String {
			return 0, fmt.Errorf("bag_pack: argument %d is of type %s, expected string", i+1, args[i].Kind)
		}
	}
	return Dynamic, nil
}

// limitedArgs is a Result of kind k that refuses more than n arguments.
func limitedArgs(name string, n int, k Kind) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if len(args) > n {
			return 0, fmt.Errorf("%s: %d arguments, expected at most %d", name, len(args), n)
		}
		return k, nil
	}
}

func bagHasKey(bag Value, key string) Value {
	names, ok := keyPath(key)
	if !ok || !isBag(bag) {
		return NullOf(Bool)
	}
	for _, name := range names {
		found, quoted := false, quoteJSON(name)
		if isBag(bag) {
			eachMember(bag.S, func(name, value string) bool {
				if found = name == quoted; found {
					bag = DynamicOf(value)
				}
				return !found
			})
		}
		if !found {
			return BoolOf(false)
		}
	}
	return BoolOf(true)
}

func bagKeys(bag Value) Value {
	if !isBag(bag) {
		return nullDynamic
	}
	var names []string
	eachMember(bag.S, func(name, _ string) bool {
		names = append(names, name)
		return true
	})
	return arrayOfTexts(names)
}

func bagMerge(args []Value) Value {
	var b bagBuilder
	for _, bag := range args {
		if isBag(bag) {
			eachMember(bag.S, func(name, value string) bool {
				b.add(name, value)
				return true
			})
		}
	}
	return b.bag()
}

func bagRemoveKeys(bag, keys Value) Value {
	if !isBag(bag) || !isArray(keys) {
		return nullDynamic
	}
	for key := range elements(keys) {
		if key.Null || key.S[0] != '"' {
			continue
		}
		if names, ok := keyPath(unquoteJSON(key.S)); ok {
			bag = DynamicOf(withoutMember(bag.S, names))
		}
	}
	return bag
}

// withoutMember returns a bag without the member that names lead to.
func withoutMember(bag string, names []string) string {
	var b bagBuilder
	quoted, found := quoteJSON(names[0]), false
	eachMember(bag, func(name, value string) bool {
		switch {
		case name != quoted:
		case len(names) == 1:
			found = true
			return true
		case value[0] == '{':
			found = true
			value = withoutMember(value, names[1:])
		}
		b.push(name, value)
		return true
	})
	if !found {
		return bag
	}
	return b.bag().S
}

func bagSetKey(bag Value, key, value string) Value {
	names, ok := keyPath(key)
	if !ok || !isBag(bag) {
		return nullDynamic
	}
	text, ok := withMember(bag.S, names, value)
	if !ok {
		return nullDynamic
	}
	return DynamicOf(text)
}

// withMember returns a bag with a value where names lead to, with bags on the way to it. It
// does not go through a value that is no bag.
func withMember(bag string, names []string, value string) (text string, ok bool) {
	var b bagBuilder
	quoted, inner := quoteJSON(names[0]), "{}"
	eachMember(bag, func(name, old string) bool {
		if name == quoted {
			inner = old
		} else {
			b.push(name, old)
		}
		return true
	})
	if len(names) > 1 {
		if inner[0] != '{' {
			return "", false
		}
		if value, ok = withMember(inner, names[1:], value); !ok {
			return "", false
		}
	}
	b.push(quoted, value)
	return b.bag().S, true
}

func bagZip(keys, values Value) Value {
	if !isArray(keys) {
		return nullDynamic
	}
	var texts []string
	if isArray(values) {
		texts = elementTexts(values)
	}
	var b bagBuilder
	for i, key := range elementTexts(keys) {
		switch {
		case key[0] != '"':
		case i < len(texts):
			b.set(key, texts[i])
		default:
			b.set(key, "null")
		}
	}
	return b.bag()
}

func treePaths(bag Value) Value {
	if !isBag(bag) {
		return nullDynamic
	}
	var paths []Value
	seen := map[string]bool{}
	addTreePaths(bag, "", func(path string) {
		if !seen[path] {
			seen[path] = true
			paths = append(paths, StringOf(path))
		}
	})
	return arrayOf(paths)
}

func addTreePaths(v Value, prefix string, add func(path string)) {
	for name, value := range members(v) {
		path := prefix + "['" + strings.ReplaceAll(name, "'", `\'`) + "']"
		add(path)
		addTreePaths(value, path, add)
	}
	for value := range elements(v) {
		add(prefix + "[0]")
		addTreePaths(value, prefix+"[0]", add)
	}
}

package query

// dynamicSetFuncs take arrays as sets.
var dynamicSetFuncs = []Func{
	{
		Name:    "jaccard_index",
		Usage:   "jaccard_index(array, array)",
		Doc:     "How many of the values of two arrays both have.",
		Example: `jaccard_index(dynamic([1,2,3]), dynamic([1,2,3,4])) == 0.75`,
		Params:  []kinds{dynamics, dynamics},
		Result:  fixed(Real),
		Eval:    jaccardIndex,
	},
	{
		Name:     "set_difference",
		Usage:    "set_difference(array, array [, …])",
		Doc:      "The distinct elements of the first array that no other has.",
		Example:  `tostring(set_difference(dynamic([1,2,3]), dynamic([3,4]))) == "[1,2]"`,
		Params:   []kinds{dynamics},
		Min:      2,
		Variadic: true,
		Result:   limitedArgs("set_difference", 64, Dynamic),
		Eval:     setDifference,
	},
	{
		Name:    "set_has_element",
		Usage:   "set_has_element(array, value)",
		Doc:     "Whether an array has an element.",
		Example: `set_has_element(dynamic([1,2,3]), 2)`,
		Params:  []kinds{dynamics, anyKind},
		Result:  fixed(Bool),
		Eval: func(args []Value) Value {
			if !isArray(args[0]) {
				return NullOf(Bool)
			}
			found, wanted := false, identity(jsonOf(args[1]))
			eachElement(args[0].S, func(value string) bool {
				found = identity(value) == wanted
				return !found
			})
			return BoolOf(found)
		},
	},
	{
		Name:     "set_intersect",
		Usage:    "set_intersect(array, array [, …])",
		Doc:      "The distinct elements that all arrays have.",
		Example:  `tostring(set_intersect(dynamic([1,2,3]), dynamic([3,4]))) == "[3]"`,
		Params:   []kinds{dynamics},
		Min:      2,
		Variadic: true,
		Result:   limitedArgs("set_intersect", 64, Dynamic),
		Eval:     setIntersect,
	},
	{
		Name:     "set_union",
		Usage:    "set_union(array, array [, …])",
		Doc:      "The distinct elements that any array has.",
		Example:  `tostring(set_union(dynamic([1,2,2]), dynamic([2,3]))) == "[1,2,3]"`,
		Params:   []kinds{dynamics},
		Min:      2,
		Variadic: true,
		Result:   limitedArgs("set_union", 64, Dynamic),
		Eval:     setUnion,
	},
}

// allArrays tells whether all arguments are arrays: of anything else there is no set.
func allArrays(args []Value) bool {
	for _, v := range args {
		if !isArray(v) {
			return false
		}
	}
	return true
}

// setOf returns the elements of an array by their identity.
func setOf(array Value) map[string]bool {
	set := map[string]bool{}
	eachElement(array.S, func(value string) bool {
		set[identity(value)] = true
		return true
	})
	return set
}

// distinctOf returns the distinct elements of arrays that keep wants, in their order.
func distinctOf(arrays []Value, keep func(id string) bool) Value {
	var list []string
	seen := map[string]bool{}
	for _, array := range arrays {
		eachElement(array.S, func(value string) bool {
			if id := identity(value); !seen[id] {
				seen[id] = true
				if keep(id) {
					list = append(list, value)
				}
			}
			return true
		})
	}
	return arrayOfTexts(list)
}

func setUnion(args []Value) Value {
	if !allArrays(args) {
		return nullDynamic
	}
	return distinctOf(args, func(string) bool { return true })
}

func setIntersect(args []Value) Value {
	if !allArrays(args) {
		return nullDynamic
	}
	others := setsOf(args[1:])
	return distinctOf(args[:1], func(id string) bool {
		for _, set := range others {
			if !set[id] {
				return false
			}
		}
		return true
	})
}

func setDifference(args []Value) Value {
	if !allArrays(args) {
		return nullDynamic
	}
	others := setsOf(args[1:])
	return distinctOf(args[:1], func(id string) bool {
		for _, set := range others {
			if set[id] {
				return false
			}
		}
		return true
	})
}

func setsOf(arrays []Value) []map[string]bool {
	sets := make([]map[string]bool, len(arrays))
	for i, array := range arrays {
		sets[i] = setOf(array)
	}
	return sets
}

// jaccardIndex is NaN for two empty sets.
func jaccardIndex(args []Value) Value {
	if !allArrays(args) {
		return NullOf(Real)
	}
	a, b := setOf(args[0]), setOf(args[1])
	both := 0
	for id := range a {
		if b[id] {
			both++
		}
	}
	return RealOf(float64(both) / float64(len(a)+len(b)-both))
}

package query

import (
	"slices"
	"strconv"
)

// dynamicArrayFuncs make, read and change arrays.
var dynamicArrayFuncs = []Func{
	{
		Name:     "array_concat",
		Usage:    "array_concat(array [, …])",
		Doc:      "The elements of all arrays, one array after the other.",
		Example:  `tostring(array_concat(dynamic([1,2]), dynamic([3]))) == "[1,2,3]"`,
		Params:   []kinds{dynamics},
		Min:      1,
		Variadic: true,
		Result:   limitedArgs("array_concat", 64, Dynamic),
		Nulls:    true,
		Eval:     arrayConcat,
	},
	arrayIff,
	dynamicAlias(arrayIff, "array_iif"),
	{
		Name:    "array_index_of",
		Usage:   "array_index_of(array, value [, start [, length [, occurrence]]])",
		Doc:     "The place of an element, counted from 0; -1 if it is not there.",
		Example: `array_index_of(dynamic(["a","b","a"]), "a", 1) == 2`,
		Params:  []kinds{dynamics, anyKind, longs, longs, longs},
		Min:     2,
		Result:  fixed(Long),
		Eval:    arrayIndexOf,
	},
	arrayLength,
	{
		Name:    "array_reverse",
		Usage:   "array_reverse(array)",
		Doc:     "The elements from the last to the first.",
		Example: `tostring(array_reverse(dynamic([1,2,3]))) == "[3,2,1]"`,
		Params:  []kinds{dynamics},
		Result:  fixed(Dynamic),
		Eval: onArray(func(list []string, _ []Value) Value {
			slices.Reverse(list)
			return arrayOfTexts(list)
		}),
	},
	{
		Name:    "array_rotate_left",
		Usage:   "array_rotate_left(array, count)",
		Doc:     "The elements moved to the left; those that leave come in again at the end.",
		Example: `tostring(array_rotate_left(dynamic([1,2,3]), 1)) == "[2,3,1]"`,
		Params:  []kinds{dynamics, longs},
		Result:  fixed(Dynamic),
		Eval:    onArray(func(list []string, args []Value) Value { return rotated(list, args[1].N) }),
	},
	{
		Name:    "array_rotate_right",
		Usage:   "array_rotate_right(array, count)",
		Doc:     "The elements moved to the right; those that leave come in again at the beginning.",
		Example: `tostring(array_rotate_right(dynamic([1,2,3]), 1)) == "[3,1,2]"`,
		Params:  []kinds{dynamics, longs},
		Result:  fixed(Dynamic),
		Eval: onArray(func(list []string, args []Value) Value {
			return rotated(list, -(args[1].N % int64(max(1, len(list)))))
		}),
	},
	{
		Name:    "array_shift_left",
		Usage:   "array_shift_left(array, count [, default])",
		Doc:     "The elements moved to the left; the places that get free take the default.",
		Example: `tostring(array_shift_left(dynamic([1,2,3]), 1, 0)) == "[2,3,0]"`,
		Params:  []kinds{dynamics, longs, anyKind},
		Min:     2,
		Result:  fixed(Dynamic),
		Nulls:   true,
		Eval:    onArray(func(list []string, args []Value) Value { return shifted(list, args, false) }),
	},
	{
		Name:    "array_shift_right",
		Usage:   "array_shift_right(array, count [, default])",
		Doc:     "The elements moved to the right; the places that get free take the default.",
		Example: `tostring(array_shift_right(dynamic([1,2,3]), 1)) == "[null,1,2]"`,
		Params:  []kinds{dynamics, longs, anyKind},
		Min:     2,
		Result:  fixed(Dynamic),
		Nulls:   true,
		Eval:    onArray(func(list []string, args []Value) Value { return shifted(list, args, true) }),
	},
	{
		Name:    "array_slice",
		Usage:   "array_slice(array, start, end)",
		Doc:     "The elements from start to end, both included; negative numbers count from the end.",
		Example: `tostring(array_slice(dynamic([1,2,3,4]), 1, -2)) == "[2,3]"`,
		Params:  []kinds{dynamics, longs, longs},
		Result:  fixed(Dynamic),
		Eval:    onArray(arraySlice),
	},
	arraySort("array_sort_asc", false, "ascending", "[1,2,3]"),
	arraySort("array_sort_desc", true, "descending", "[3,2,1]"),
	{
		Name:    "array_split",
		Usage:   "array_split(array, index)",
		Doc:     "The parts of an array that begin at the places of a number, or of an array of numbers.",
		Example: `tostring(array_split(dynamic([1,2,3]), 2)) == "[[1,2],[3]]"`,
		Params:  []kinds{dynamics, of(Int, Long, Dynamic)},
		Result:  fixed(Dynamic),
		Eval:    onArray(arraySplit),
	},
	{
		Name:    "array_sum",
		Usage:   "array_sum(array)",
		Doc:     "The sum of an array of numbers, as a real; null if any element is none.",
		Example: `array_sum(dynamic([1,2,3.5])) == 6.5`,
		Params:  []kinds{dynamics},
		Result:  fixed(Real),
		Eval:    func(args []Value) Value { return arraySum(args[0]) },
	},
	dynamicAlias(arrayLength, "arraylength"),
}

var arrayIff = Func{
	Name:    "array_iff",
	Usage:   "array_iff(conditions, when_true, when_false)",
	Doc:     "For each condition of an array the element of one of two arrays, or one of two values.",
	Example: `tostring(array_iff(dynamic([true,false]), dynamic([1,2]), 0)) == "[1,0]"`,
	Params:  []kinds{dynamics, anyKind, anyKind},
	Result:  fixed(Dynamic),
	Nulls:   true,
	Eval:    arrayChoice,
}

var arrayLength = Func{
	Name:    "array_length",
	Usage:   "array_length(array)",
	Doc:     "How many elements an array has; null if it is none.",
	Example: `array_length(dynamic([1,2,3])) == 3`,
	Params:  []kinds{dynamics},
	Result:  fixed(Long),
	Eval: func(args []Value) Value {
		if !isArray(args[0]) {
			return NullOf(Long)
		}
		return LongOf(lengthOf(args[0]))
	},
}

// onArray is an Eval on the elements of its first argument, null if that is no array.
func onArray(eval func(list []string, args []Value) Value) func([]Value) Value {
	return func(args []Value) Value {
		if !isArray(args[0]) {
			return nullDynamic
		}
		return eval(elementTexts(args[0]), args)
	}
}

func arrayConcat(args []Value) Value {
	size := 2
	for _, v := range args {
		size += len(v.S)
	}
	dst := append(make([]byte, 0, size), '[')
	for _, v := range args {
		if isArray(v) && len(v.S) > 2 {
			if len(dst) > 1 {
				dst = append(dst, ',')
			}
			dst = append(dst, v.S[1:len(v.S)-1]...)
		}
	}
	return DynamicOf(string(append(dst, ']')))
}

func arrayChoice(args []Value) Value {
	if !isArray(args[0]) {
		return nullDynamic
	}
	list := elementTexts(args[0])
	yes, no := choices(args[1]), choices(args[2])
	for i, text := range list {
		switch c := scalarOf(DynamicOf(text)); c.Kind {
		case Bool, Long, Real:
			if c.Kind == Real && c.Real() != 0 || c.Kind != Real && c.N != 0 {
				list[i] = yes(i)
			} else {
				list[i] = no(i)
			}
		default:
			list[i] = "null"
		}
	}
	return arrayOfTexts(list)
}

// choices returns what array_iff takes for condition i.
func choices(v Value) func(i int) string {
	if !isArray(v) {
		text := jsonOf(v)
		return func(int) string { return text }
	}
	list := elementTexts(v)
	return func(i int) string {
		if i < len(list) {
			return list[i]
		}
		return "null"
	}
}

func arrayIndexOf(args []Value) Value {
	start, length, occurrence := int64(0), int64(-1), int64(1)
	for i, p := range []*int64{&start, &length, &occurrence} {
		if i+2 < len(args) {
			*p = args[i+2].N
		}
	}
	if !isArray(args[0]) || length < -1 || occurrence < 1 {
		return NullOf(Long)
	}
	if start < 0 {
		start = max(0, start+lengthOf(args[0]))
	}
	place, found, wanted := int64(-1), int64(-1), identity(jsonOf(args[1]))
	eachElement(args[0].S, func(value string) bool {
		place++
		if place < start {
			return true
		}
		if length >= 0 && place-start >= length {
			return false
		}
		if identity(value) == wanted {
			if occurrence--; occurrence == 0 {
				found = place
			}
		}
		return found < 0
	})
	return LongOf(found)
}

func rotated(list []string, n int64) Value {
	if len(list) == 0 {
		return arrayOfTexts(list)
	}
	size := int64(len(list))
	n = (n%size + size) % size
	return arrayOfTexts(append(slices.Clone(list[n:]), list[:n]...))
}

// shifted moves elements; without a default, texts make room for "" and others for null.
func shifted(list []string, args []Value, right bool) Value {
	if args[1].Null {
		return nullDynamic
	}
	fill := "null"
	isText := func(text string) bool { return text[0] == '"' }
	if len(args) > 2 {
		fill = jsonOf(args[2])
	} else if len(list) > 0 && !slices.ContainsFunc(list, func(text string) bool { return !isText(text) }) {
		fill = `""`
	}
	size := int64(len(list))
	n := max(-size, min(args[1].N, size))
	if right {
		n = -n
	}
	out := make([]string, size)
	for i := range out {
		if from := int64(i) + n; from >= 0 && from < size {
			out[i] = list[from]
		} else {
			out[i] = fill
		}
	}
	return arrayOfTexts(out)
}

func arraySlice(list []string, args []Value) Value {
	size := int64(len(list))
	start, end := args[1].N, args[2].N
	if start < 0 {
		start = max(0, start+size)
	}
	if end < 0 {
		end += size
	}
	end = min(end, size-1)
	if start > end {
		return arrayOfTexts(nil)
	}
	return arrayOfTexts(list[start : end+1])
}

func arraySplit(list []string, args []Value) Value {
	places := []Value{args[1]}
	if args[1].Kind == Dynamic {
		if places = nil; !isArray(args[1]) {
			return nullDynamic
		}
		for v := range elements(args[1]) {
			if v = scalarOf(v); v.Kind != Long {
				return nullDynamic
			}
			places = append(places, v)
		}
	}
	size := int64(len(list))
	parts := make([]Value, 0, len(places)+1)
	from := int64(0)
	for _, v := range places {
		to := v.N
		if to < 0 {
			to += size
		}
		to = max(0, min(to, size))
		parts = append(parts, arrayOfTexts(list[from:max(from, to)]))
		from = to
	}
	return arrayOf(append(parts, arrayOfTexts(list[from:])))
}

func arraySum(array Value) Value {
	sum, n := 0.0, 0
	for v := range elements(array) {
		switch {
		case v.Null:
		case isNumberText(v.S):
			f, _ := strconv.ParseFloat(v.S, 64)
			sum += f
			n++
		default:
			return NullOf(Real)
		}
	}
	if n == 0 {
		return NullOf(Real)
	}
	return RealOf(sum)
}

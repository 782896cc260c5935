package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// arraySort makes the row of array_sort_asc or array_sort_desc.
func arraySort(name string, down bool, order, sorted string) Func {
	return Func{
		Name:     name,
		Usage:    name + "(array [, array ...] [, nulls_last])",
		Doc:      "The elements in " + order + " order: numbers, strings, others; nulls last, or first with false. Further arrays are put in the order of the first; each is a result, or an element.",
		Example:  "tostring(" + name + `(dynamic([2,3,1]))) == "` + sorted + `"`,
		Params:   []kinds{dynamics, of(Dynamic, Bool)},
		Min:      1,
		Variadic: true,
		Result: func(args []Arg) (Kind, error) {
			for i, a := range args {
				if a.Kind == Bool && i < len(args)-1 {
					return 0, fmt.Errorf("%s: argument %d is of type bool, which only the last may be", name, i+1)
				}
			}
			return Dynamic, nil
		},
		Nulls: true,
		Eval:  func(args []Value) Value { return sortArrays(args, down) },
	}
}

// sortArrays sorts the first array, and the others as it. Of several the result is an array
// of them; one that is no array, or not as long, is null.
func sortArrays(args []Value, down bool) Value {
	nullsLast := true
	if last := args[len(args)-1]; last.Kind == Bool {
		if last.Null {
			return nullDynamic
		}
		nullsLast, args = last.Bool(), args[:len(args)-1]
	}
	if !isArray(args[0]) {
		return nullDynamic
	}
	places := sortOrder(elementTexts(args[0]), down, nullsLast)
	sorted := make([]Value, len(args))
	for i, a := range args {
		sorted[i] = nullDynamic
		if !isArray(a) {
			continue
		}
		if list := elementTexts(a); len(list) == len(places) {
			out := make([]string, len(list))
			for j, place := range places {
				out[j] = list[place]
			}
			sorted[i] = arrayOfTexts(out)
		}
	}
	if len(sorted) == 1 {
		return sorted[0]
	}
	return arrayOf(sorted)
}

// An elementKey orders elements: by class, then within it.
type elementKey struct {
	class int // 0 number or time, 1 string, 2 other
	null  bool
	n     Value
	s     string
}

// sortOrder returns the places of JSON values in their order.
func sortOrder(list []string, down, nullsLast bool) []int {
	keys := make([]elementKey, len(list))
	times := make([]elementKey, 0, len(list))
	for i, text := range list {
		keys[i] = elementKeyOf(text)
		ticks, ok := timespanOf(keys[i].s)
		if ok || keys[i].null {
			times = append(times, elementKey{null: keys[i].null, n: LongOf(ticks)})
		}
	}
	if len(times) == len(keys) {
		keys = times
	}
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int {
		a, b := &keys[i], &keys[j]
		switch {
		case a.null || b.null:
			if a.null == b.null {
				return 0
			}
			if a.null == nullsLast {
				return 1
			}
			return -1
		case a.class != b.class:
			return cmp.Compare(a.class, b.class)
		case down:
			a, b = b, a
		}
		switch a.class {
		case 0:
			return compare(a.n, b.n)
		case 1:
			return strings.Compare(a.s, b.s)
		}
		return 0
	})
	return places
}

func elementKeyOf(text string) elementKey {
	switch v := scalarOf(DynamicOf(text)); {
	case v.Null:
		return elementKey{null: true}
	case v.Kind == Long || v.Kind == Real:
		return elementKey{n: v}
	case v.Kind == String:
		return elementKey{class: 1, s: v.S}
	case isNumberText(text): // more digits than a long has
		f, _ := strconv.ParseFloat(text, 64)
		return elementKey{n: RealOf(f)}
	}
	return elementKey{class: 2}
}

// timespanOf reads a string that is a timespan as a dynamic value holds it: as text,
// 2.00:00:00 would come after 10.00:00:00.
func timespanOf(text string) (ticks int64, ok bool) {
	if len(text) < 8 || text[0] != '-' && !isDigit(text[0]) {
		return 0, false
	}
	ticks, ok = parseTimespan(text)
	return ticks, ok && formatTimespan(ticks) == text
}

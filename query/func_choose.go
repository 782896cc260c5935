package query

import (
	"fmt"
	"math"
)

// The functions here choose one of their arguments. The arguments may be of different
// kinds of numbers; then the one that is chosen is widened to the kind of the result.

// commonKind returns the kind that arguments share: int and long share long, and they and
// real share real.
func commonKind(name string, args []Arg) (Kind, error) {
	kind := args[0].Kind
	for _, a := range args[1:] {
		switch {
		case a.Kind == kind:
		case !a.Kind.isNumber() || !kind.isNumber():
			return 0, fmt.Errorf("%s: arguments are of types %s and %s, expected one type", name, kind, a.Kind)
		case a.Kind == Real || kind == Real:
			kind = Real
		default:
			kind = Long
		}
	}
	return kind, nil
}

// branchKind is commonKind of branches, where those that are dynamic become what the
// others are.
func branchKind(name string, branches []Arg) (Kind, error) {
	var typed []Arg
	for _, a := range branches {
		if a.Kind != Dynamic {
			typed = append(typed, a)
		}
	}
	if len(typed) == 0 {
		return Dynamic, nil
	}
	return commonKind(name, typed)
}

// branchesOf returns the arguments of iff or case that are results.
func branchesOf(args []Arg) []Arg {
	var branches []Arg
	for i := 1; i < len(args); i += 2 {
		branches = append(branches, args[i])
	}
	return append(branches, args[len(args)-1])
}

// caseResult is the Result of iff and case: predicates and results by turns, and the
// result where no predicate holds.
func caseResult(name string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if len(args)%2 == 0 {
			return 0, fmt.Errorf("%s: expected predicate, result, ..., default, found %d arguments", name, len(args))
		}
		for i := 0; i < len(args)-1; i += 2 {
			if args[i].Kind != Bool {
				return 0, fmt.Errorf("%s: argument %d is of type %s, expected bool", name, i+1, args[i].Kind)
			}
		}
		return branchKind(name, branchesOf(args))
	}
}

// bindCase evaluates iff and case; a predicate that is null does not hold.
func bindCase(name string) func([]Arg) (func([]Value) Value, error) {
	return func(args []Arg) (func([]Value) Value, error) {
		kind, err := branchKind(name, branchesOf(args))
		return func(args []Value) Value {
			for i := 0; i < len(args)-1; i += 2 {
				if args[i].Bool() {
					return convert(args[i+1], kind)
				}
			}
			return convert(args[len(args)-1], kind)
		}, err
	}
}

// bindCoalesce returns the first argument that is not null and no empty string.
func bindCoalesce(args []Arg) (func([]Value) Value, error) {
	kind, err := commonKind("coalesce", args)
	return func(args []Value) Value {
		for _, v := range args {
			if !v.Null && (v.Kind != String || v.S != "") {
				return convert(v, kind)
			}
		}
		return NullOf(kind)
	}, err
}

// bindExtreme evaluates max_of with sign 1 and min_of with sign -1. Nulls do not count; a
// NaN is the result.
func bindExtreme(name string, sign int) func([]Arg) (func([]Value) Value, error) {
	return func(args []Arg) (func([]Value) Value, error) {
		kind, err := commonKind(name, args)
		return func(args []Value) Value {
			best := NullOf(kind)
			for _, v := range args {
				switch {
				case v.Null:
				case v.Kind == Real && math.IsNaN(v.Real()):
					return v
				case best.Null || compare(v, best)*sign > 0:
					best = v
				}
			}
			return convert(best, kind)
		}, err
	}
}

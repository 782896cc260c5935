package query

import "strconv"

// anyRange makes the Eval of ipv4_is_in_any_range and ipv6_is_in_any_range: whether an
// address is in one of ranges. It is null if the address is none, or if no range holds it
// and one cannot be read.
func anyRange(differ func(args []Value) (order int64, ok bool)) func([]Value) Value {
	return func(args []Value) Value {
		if _, ok := differ([]Value{args[0], args[0]}); !ok {
			return NullOf(Bool)
		}
		result := BoolOf(false)
		for text := range listed(args[1:]) {
			order, ok := differ([]Value{args[0], StringOf(text)})
			switch {
			case !ok:
				result = NullOf(Bool)
			case order == 0:
				return BoolOf(true)
			}
		}
		return result
	}
}

// rangeToCIDR returns the least list of ranges with a prefix that holds the addresses from
// first to last.
func rangeToCIDR(args []Value) Value {
	first, p, ok := parseIPv4(args[0].S)
	last, q, ok2 := parseIPv4(args[1].S)
	if !ok || !ok2 || p != 32 || q != 32 || first > last {
		return NullOf(Dynamic)
	}
	var list []string
	for at, end := uint64(first), uint64(last); at <= end; {
		prefix := int64(32)
		for prefix > 0 {
			size := uint64(1) << (32 - prefix + 1)
			if at%size != 0 || at+size-1 > end {
				break
			}
			prefix--
		}
		text := formatIPv4([]Value{LongOf(int64(at))}, false).S
		list = append(list, text+"/"+strconv.FormatInt(prefix, 10))
		at += uint64(1) << (32 - prefix)
	}
	return arrayOfStrings(list)
}

package query

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ipv4Funcs are the functions of IPv4 addresses. An address may have a prefix behind it,
// as 192.168.1.1/24: then only so many of its leading bits count.
var ipv4Funcs = []Func{
	{
		Name: "format_ipv4", Usage: "format_ipv4(address [, prefix])",
		Doc:     "The address with only the leading bits of its prefix; empty if it is none.",
		Example: `format_ipv4("192.168.1.1", 24) == "192.168.1.0"`,
		Params:  []kinds{of(String, Int, Long), longs}, Min: 1, Result: fixed(String), Nulls: true,
		Eval: func(args []Value) Value { return formatIPv4(args, false) },
	},
	{
		Name: "format_ipv4_mask", Usage: "format_ipv4_mask(address [, prefix])",
		Doc:     "As format_ipv4, with the prefix behind it.",
		Example: `format_ipv4_mask("192.168.1.1", 24) == "192.168.1.0/24"`,
		Params:  []kinds{of(String, Int, Long), longs}, Min: 1, Result: fixed(String), Nulls: true,
		Eval: func(args []Value) Value { return formatIPv4(args, true) },
	},
	{
		Name: "has_any_ipv4", Usage: "has_any_ipv4(text, address [, ...])", Doc: "Whether one of the addresses, or of an array of them, stands in the text.",
		Example: `has_any_ipv4("from 127.0.0.1, twice", dynamic(["127.0.0.1"])) == true`,
		Params:  []kinds{strs, of(String, Dynamic)}, Min: 2, Variadic: true, Result: fixed(Bool), Eval: hasIPv4,
	},
	{
		Name: "has_any_ipv4_prefix", Usage: "has_any_ipv4_prefix(text, prefix [, ...])", Doc: "Whether an address stands in the text that begins with one of the prefixes.",
		Example: `has_any_ipv4_prefix("from 127.0.0.1", "127.0.", "192.168.") == true`,
		Params:  []kinds{strs, of(String, Dynamic)}, Min: 2, Variadic: true, Result: fixed(Bool), Eval: hasIPv4Prefix,
	},
	{
		Name: "has_ipv4", Usage: "has_ipv4(text, address)", Doc: "Whether the address stands in the text, with neither letter nor digit next to it.",
		Example: `has_ipv4("from 127.0.0.1", "127.0.0.1") == true`,
		Params:  []kinds{strs, strs}, Result: fixed(Bool), Eval: hasIPv4,
	},
	{
		Name: "has_ipv4_prefix", Usage: "has_ipv4_prefix(text, prefix)", Doc: "Whether an address stands in the text that is the prefix, or begins with it if it ends with a point.",
		Example: `has_ipv4_prefix("from 127.0.0.1", "127.0.") == true`,
		Params:  []kinds{strs, strs}, Result: fixed(Bool), Eval: hasIPv4Prefix,
	},
	{
		Name: "ipv4_compare", Usage: "ipv4_compare(a, b [, prefix])",
		Doc:     "-1, 0 or 1: how a stands to b, by the bits of the shortest prefix.",
		Example: `ipv4_compare("192.168.1.1/24", "192.168.1.255") == 0`,
		Params:  []kinds{strs, strs, longs}, Min: 2, Result: fixed(Long), Eval: compareIPv4,
	},
	{
		Name: "ipv4_is_in_any_range", Usage: "ipv4_is_in_any_range(address, range [, ...])", Doc: "Whether an address is in one of the ranges, or of an array of them.",
		Example: `ipv4_is_in_any_range("10.1.2.3", dynamic(["192.168.1.1/16", "10.0.0.1/8"])) == true`,
		Params:  []kinds{strs, of(String, Dynamic)}, Min: 2, Variadic: true, Result: fixed(Bool), Eval: anyRange(differIPv4),
	},
	{
		Name: "ipv4_is_in_range", Usage: "ipv4_is_in_range(address, range)",
		Doc:     "Whether an address is in a range with a prefix.",
		Example: `ipv4_is_in_range("192.168.1.1", "192.168.1.255/24") == true`,
		Params:  []kinds{strs, strs}, Result: fixed(Bool), Eval: matchIPv4,
	},
	{
		Name: "ipv4_is_match", Usage: "ipv4_is_match(a, b [, prefix])",
		Doc:     "Whether a and b are the same by the bits of the shortest prefix.",
		Example: `ipv4_is_match("192.168.1.1", "192.168.1.255", 24) == true`,
		Params:  []kinds{strs, strs, longs}, Min: 2, Result: fixed(Bool), Eval: matchIPv4,
	},
	{
		Name: "ipv4_is_private", Usage: "ipv4_is_private(address)",
		Doc:     "Whether an address is in 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16.",
		Example: `ipv4_is_private("192.168.1.1/24") == true`,
		Params:  []kinds{strs}, Result: fixed(Bool), Eval: privateIPv4,
	},
	{
		Name: "ipv4_netmask_suffix", Usage: "ipv4_netmask_suffix(address)", Doc: "The prefix behind an address; 32 if there is none.",
		Example: `ipv4_netmask_suffix("192.168.1.1/24") == 24`,
		Params:  []kinds{strs}, Result: fixed(Long),
		Eval: func(args []Value) Value {
			_, prefix, ok := parseIPv4(args[0].S)
			return Value{Kind: Long, Null: !ok, N: prefix}
		},
	},
	{
		Name: "ipv4_range_to_cidr_list", Usage: "ipv4_range_to_cidr_list(first, last)", Doc: "The ranges with a prefix that hold the addresses from first to last, as few as can be.",
		Example: `tostring(ipv4_range_to_cidr_list("1.1.128.0", "1.1.140.255")) == '["1.1.128.0/21","1.1.136.0/22","1.1.140.0/24"]'`,
		Params:  []kinds{strs, strs}, Result: fixed(Dynamic), Eval: rangeToCIDR,
	},
	{
		Name: "parse_ipv4", Usage: "parse_ipv4(address)", Doc: "The address as a number.",
		Example: `parse_ipv4("192.168.1.1") == 3232235777`,
		Params:  []kinds{strs}, Result: fixed(Long),
		Eval: func(args []Value) Value { return numberIPv4(args[0].S, 32) },
	},
	{
		Name: "parse_ipv4_mask", Usage: "parse_ipv4_mask(address, prefix)", Doc: "The leading bits of the address as a number.",
		Example: `parse_ipv4_mask("127.0.0.1", 24) == 2130706432`,
		Params:  []kinds{strs, longs}, Result: fixed(Long),
		Eval: func(args []Value) Value { return numberIPv4(args[0].S, args[1].N) },
	},
}

// parseIPv4 reads an address with or without a prefix; without one it is 32.
func parseIPv4(text string) (address uint32, prefix int64, ok bool) {
	prefix = 32
	text, length, found := strings.Cut(text, "/")
	if found {
		n, ok := parseSmall(length)
		if !ok || n > 32 {
			return 0, 0, false
		}
		prefix = int64(n)
	}
	for i := range 4 {
		part, rest, more := strings.Cut(text, ".")
		n, ok := parseSmall(part)
		if !ok || n > 255 || more != (i < 3) {
			return 0, 0, false
		}
		address, text = address<<8|n, rest
	}
	return address, prefix, true
}

// parseSmall reads one to three digits.
func parseSmall(text string) (n uint32, ok bool) {
	if text == "" || len(text) > 3 {
		return 0, false
	}
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint32(c-'0')
	}
	return n, true
}

// maskIPv4 keeps the leading bits of an address.
func maskIPv4(address uint32, prefix int64) uint32 {
	return bits.Reverse32(bits.Reverse32(address) & uint32(1<<prefix-1))
}

func numberIPv4(text string, prefix int64) Value {
	address, own, ok := parseIPv4(text)
	if !ok || prefix < 0 || prefix > 32 {
		return NullOf(Long)
	}
	return LongOf(int64(maskIPv4(address, min(own, prefix))))
}

// differIPv4 compares two addresses by the shortest of their prefixes and, if there is a
// third argument, that.
func differIPv4(args []Value) (order int64, ok bool) {
	a, p, okA := parseIPv4(args[0].S)
	b, q, okB := parseIPv4(args[1].S)
	p = min(p, q)
	if len(args) > 2 {
		if args[2].N < 0 || args[2].N > 32 {
			return 0, false
		}
		p = min(p, args[2].N)
	}
	a, b = maskIPv4(a, p), maskIPv4(b, p)
	switch {
	case a < b:
		order = -1
	case a > b:
		order = 1
	}
	return order, okA && okB
}

func compareIPv4(args []Value) Value {
	order, ok := differIPv4(args)
	return Value{Kind: Long, Null: !ok, N: order}
}

func matchIPv4(args []Value) Value {
	order, ok := differIPv4(args)
	if !ok {
		return NullOf(Bool)
	}
	return BoolOf(order == 0)
}

func privateIPv4(args []Value) Value {
	address, prefix, ok := parseIPv4(args[0].S)
	if !ok {
		return NullOf(Bool)
	}
	address = maskIPv4(address, prefix)
	return BoolOf(address>>24 == 10 || address>>20 == 172<<4|1 || address>>16 == 192<<8|168)
}

func formatIPv4(args []Value, withPrefix bool) Value {
	prefix := int64(32)
	if len(args) > 1 {
		prefix = args[1].N
		if args[1].Null || prefix < 0 || prefix > 32 {
			return StringOf("")
		}
	}
	var address uint32
	if v := args[0]; v.Kind == String {
		a, own, ok := parseIPv4(v.S)
		if !ok {
			return StringOf("")
		}
		address, prefix = a, min(own, prefix)
	} else {
		if v.Null || v.N < 0 || v.N > 1<<32-1 {
			return StringOf("")
		}
		address = uint32(v.N)
	}
	address = maskIPv4(address, prefix)
	text := fmt.Sprintf("%d.%d.%d.%d", address>>24, address>>16&255, address>>8&255, address&255)
	if withPrefix {
		text += "/" + strconv.FormatInt(prefix, 10)
	}
	return StringOf(text)
}

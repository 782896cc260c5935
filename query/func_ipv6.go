package query

import (
	"net/netip"
	"strings"
)

// ipv6Funcs are the functions of IPv6 addresses. An IPv4 address counts as the IPv6 address
// ::ffff:a.b.c.d, and its prefix as 96 more. An address may have a prefix behind it: then only
// so many of its leading bits count.
var ipv6Funcs = []Func{
	{
		Name: "ipv6_compare", Usage: "ipv6_compare(a, b [, prefix])", Doc: "-1, 0 or 1: how a stands to b, by the bits of the shortest prefix.",
		Example: `ipv6_compare("fe80::85d:e82c:9446:7994/120", "fe80::85d:e82c:9446:7998") == 0`,
		Params:  []kinds{strs, strs, longs}, Min: 2, Result: fixed(Long),
		Eval: func(args []Value) Value {
			order, ok := differIPv6(args)
			return Value{Kind: Long, Null: !ok, N: order}
		},
	},
	{
		Name: "ipv6_is_in_any_range", Usage: "ipv6_is_in_any_range(address, range [, ...])", Doc: "Whether an address is in one of the ranges, or of an array of them.",
		Example: `ipv6_is_in_any_range("a5e:f127::abcd", dynamic(["a5e:f127::/112"])) == true`,
		Params:  []kinds{strs, of(String, Dynamic)}, Min: 2, Variadic: true, Result: fixed(Bool), Eval: anyRange(differIPv6),
	},
	{
		Name: "ipv6_is_in_range", Usage: "ipv6_is_in_range(address, range)", Doc: "Whether an address is in a range with a prefix.",
		Example: `ipv6_is_in_range("a5e:f127::abcd", "a5e:f127::/112") == true`,
		Params:  []kinds{strs, strs}, Result: fixed(Bool), Eval: matchIPv6,
	},
	{
		Name: "ipv6_is_match", Usage: "ipv6_is_match(a, b [, prefix])", Doc: "Whether a and b are the same by the bits of the shortest prefix.",
		Example: `ipv6_is_match("192.168.1.1", "::ffff:c0a8:0101") == true`,
		Params:  []kinds{strs, strs, longs}, Min: 2, Result: fixed(Bool), Eval: matchIPv6,
	},
	{
		Name: "parse_ipv6", Usage: "parse_ipv6(address)", Doc: "The address with all its digits; empty if it is none.",
		Example: `parse_ipv6("192.168.255.255/24") == "0000:0000:0000:0000:0000:ffff:c0a8:ff00"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(args []Value) Value { return textIPv6(args[0].S, 128) },
	},
	{
		Name: "parse_ipv6_mask", Usage: "parse_ipv6_mask(address, prefix)", Doc: "The leading bits of the address, of 128, with all digits; empty if it is none.",
		Example: `parse_ipv6_mask("fe80::85d:e82c:9446:7994", 120) == "fe80:0000:0000:0000:085d:e82c:9446:7900"`,
		Params:  []kinds{strs, longs}, Result: fixed(String), Nulls: true,
		Eval: func(args []Value) Value {
			if args[1].Null {
				return StringOf("")
			}
			return textIPv6(args[0].S, args[1].N)
		},
	},
}

// parseIPv6 reads an address of either kind, with or without a prefix.
func parseIPv6(text string) (address netip.Addr, prefix int64, ok bool) {
	text, length, found := strings.Cut(text, "/")
	mapped := text
	dotted := strings.Contains(text, ".")
	if dotted {
		// ::a.b.c.d and ::ffff:a.b.c.d are a.b.c.d; other addresses may end so as well.
		lower := strings.ToLower(text)
		for _, before := range []string{"::ffff:", "::"} {
			if after, found := strings.CutPrefix(lower, before); found {
				mapped = after
				break
			}
		}
		if _, _, plain := parseIPv4(mapped); plain {
			mapped = "::ffff:" + mapped
		} else {
			mapped, dotted = text, false
		}
	}
	address, err := netip.ParseAddr(mapped)
	if err != nil || !address.Is6() || address.Zone() != "" {
		return netip.Addr{}, 0, false
	}
	most := int64(128)
	if dotted {
		most = 32
	}
	prefix = most
	if found {
		n, ok := parseSmall(length)
		if !ok || int64(n) > most {
			return netip.Addr{}, 0, false
		}
		prefix = int64(n)
	}
	return address, prefix + 128 - most, true
}

// maskIPv6 keeps the leading bits of an address.
func maskIPv6(address netip.Addr, prefix int64) netip.Addr {
	b := address.As16()
	for i := range b {
		keep := min(max(prefix-int64(i)*8, 0), 8)
		b[i] &= ^byte(0) << (8 - keep)
	}
	return netip.AddrFrom16(b)
}

func textIPv6(text string, prefix int64) Value {
	address, own, ok := parseIPv6(text)
	if !ok || prefix < 0 || prefix > 128 {
		return StringOf("")
	}
	b := maskIPv6(address, min(own, prefix)).As16()
	var out []byte
	for i := 0; i < len(b); i += 2 {
		if i > 0 {
			out = append(out, ':')
		}
		out = append(out, hexDigits[b[i]>>4], hexDigits[b[i]&15], hexDigits[b[i+1]>>4], hexDigits[b[i+1]&15])
	}
	return StringOf(string(out))
}

// differIPv6 compares two addresses by the shortest of their prefixes and, if there is a
// third argument, that.
func differIPv6(args []Value) (order int64, ok bool) {
	a, p, okA := parseIPv6(args[0].S)
	b, q, okB := parseIPv6(args[1].S)
	p = min(p, q)
	if len(args) > 2 {
		if args[2].N < 0 || args[2].N > 128 {
			return 0, false
		}
		p = min(p, args[2].N)
	}
	if !okA || !okB {
		return 0, false
	}
	return int64(maskIPv6(a, p).Compare(maskIPv6(b, p))), true
}

func matchIPv6(args []Value) Value {
	order, ok := differIPv6(args)
	if !ok {
		return NullOf(Bool)
	}
	return BoolOf(order == 0)
}

package query

import "testing"

func TestIPv4Funcs(t *testing.T) {
	s, long, yes, no := StringOf, LongOf, BoolOf(true), BoolOf(false)
	get := "05:04:54 127.0.0.1 GET /favicon.ico 404"
	for _, tt := range []struct {
		name string
		args []Value
		want Value
	}{
		{"parse_ipv4", []Value{s("192.168.1.1")}, long(3232235777)},
		{"parse_ipv4", []Value{s("192.168.1.1/24")}, long(3232235776)},
		{"parse_ipv4", []Value{s("255.255.255.255/31")}, long(4294967294)},
		{"parse_ipv4", []Value{s("255.255.255.255/0")}, long(0)},
		{"parse_ipv4", []Value{s("127.0.0.256")}, NullOf(Long)},
		{"parse_ipv4", []Value{s("127.0.0")}, NullOf(Long)},
		{"parse_ipv4", []Value{s("127.0.0.1.1")}, NullOf(Long)},
		{"parse_ipv4", []Value{s("127.0.0.1/33")}, NullOf(Long)},
		{"parse_ipv4", []Value{s("127.0.0.1/")}, NullOf(Long)},
		{"parse_ipv4", []Value{s("")}, NullOf(Long)},
		{"parse_ipv4_mask", []Value{s("127.0.0.1"), long(24)}, long(2130706432)},
		{"ipv4_compare", []Value{s("192.168.1.1"), s("192.168.1.255")}, long(-1)},
		{"ipv4_compare", []Value{s("192.168.1.1"), s("192.168.1.0"), long(31)}, long(0)},
		{"ipv4_compare", []Value{s("192.168.1.1/24"), s("192.168.1.255"), long(31)}, long(0)},
		{"ipv4_compare", []Value{s("x"), s("192.168.1.255")}, NullOf(Long)},
		{"ipv4_is_match", []Value{s("192.168.1.1/30"), s("192.168.1.255/24")}, yes},
		{"ipv4_is_match", []Value{s("192.168.1.1"), s("192.168.2.1"), long(24)}, no},
		{"ipv4_is_in_range", []Value{s("192.168.1.1"), s("192.168.1.255/24")}, yes},
		{"ipv4_is_in_range", []Value{s("x"), s("192.168.1.255/24")}, NullOf(Bool)},
		{"ipv4_is_private", []Value{s("172.31.255.255")}, yes},
		{"ipv4_is_private", []Value{s("172.32.0.0")}, no},
		{"ipv4_is_private", []Value{s("127.0.0.1")}, no},
		{"format_ipv4", []Value{s("192.168.1.1/24"), long(32)}, s("192.168.1.0")},
		{"format_ipv4", []Value{s("192.168.1.1/24"), long(-1)}, s("")},
		{"format_ipv4", []Value{long(3232235777)}, s("192.168.1.1")},
		{"format_ipv4", []Value{long(-1)}, s("")},
		{"format_ipv4_mask", []Value{s("192.168.1.1/24"), long(32)}, s("192.168.1.0/24")},
		{"format_ipv4_mask", []Value{s("192.168.1.1"), long(32)}, s("192.168.1.1/32")},
		{"ipv4_is_in_any_range", []Value{s("127.0.0.1"), DynamicOf(`["127.0.0.1","192.168.1.1"]`)}, yes},
		{"ipv4_is_in_any_range", []Value{s("192.168.1.6"), s("10.0.0.1/8"), s("192.168.1.1/24")}, yes},
		{"ipv4_is_in_any_range", []Value{s("1.1.1.1"), DynamicOf(`["192.168.1.1/16"]`)}, no},
		{"ipv4_is_in_any_range", []Value{s("1.1.1.1"), DynamicOf(`[]`)}, no},
		{"ipv4_is_in_any_range", []Value{s("?"), s("10.0.0.1/8")}, NullOf(Bool)},
		{"has_ipv4", []Value{s(get), s("127.0.0.1")}, yes},
		{"has_ipv4", []Value{s("05:04:54 127.0.0.256 GET"), s("127.0.0.256")}, no},
		{"has_ipv4", []Value{s("05:04:54127.0.0.1 GET"), s("127.0.0.1")}, no},
		{"has_ipv4", []Value{s("é127.0.0.1"), s("127.0.0.1")}, no},
		{"has_ipv4", []Value{s("(127.0.0.1)."), s("127.0.0.1")}, yes},
		{"has_ipv4", []Value{s("127.0.0.11"), s("127.0.0.1")}, no},
		{"has_any_ipv4", []Value{s(get), s("1.1.1.1"), s("127.0.0.1")}, yes},
		{"has_any_ipv4", []Value{s(get), DynamicOf(`["127.0.0.256","192.168.1.1"]`)}, no},
		{"has_ipv4_prefix", []Value{s(get), s("127.0.")}, yes},
		{"has_ipv4_prefix", []Value{s(get), s("127.0")}, no},
		{"has_ipv4_prefix", []Value{s(get), s("127.0.0.1")}, yes},
		{"has_ipv4_prefix", []Value{s(get), s("127.0.0.1.")}, no},
		{"has_ipv4_prefix", []Value{s("127.0.0.256 GET"), s("127.0.")}, no},
		{"has_any_ipv4_prefix", []Value{s(get), DynamicOf(`["192.168.","127."]`)}, yes},
		{"has_any_ipv4_prefix", []Value{s("05:04:54127.0.0.1 GET"), s("127.0."), s("192.")}, no},
	} {
		if got, err := callWith(ipv4Funcs, false, tt.name, tt.args...); err != nil || got != tt.want {
			t.Errorf("%s(%+v) = %+v, %v, want %+v", tt.name, tt.args, got, err, tt.want)
		}
	}
}

package query

import "testing"

func TestIPv6(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`parse_ipv6("192.168.255.255")`, "0000:0000:0000:0000:0000:ffff:c0a8:ffff"},
		{`parse_ipv6("192.168.255.255/24")`, "0000:0000:0000:0000:0000:ffff:c0a8:ff00"},
		{`parse_ipv6("::Ffff:192.168.255.255/24")`, "0000:0000:0000:0000:0000:ffff:c0a8:ff00"},
		{`isempty(parse_ipv6("::ffff:::1.2.3.4"))`, "True"},
		{`parse_ipv6("::192.168.255.255/24")`, "0000:0000:0000:0000:0000:ffff:c0a8:ff00"},
		{`parse_ipv6("fe80::85d:e82c:9446:7994/120")`, "fe80:0000:0000:0000:085d:e82c:9446:7900"},
		{`parse_ipv6("fe80::1%eth0")`, ""},
		{`parse_ipv6("192.168.1.1/33")`, ""},
		{`parse_ipv6("fe80::1/129")`, ""},
		{`parse_ipv6("1:2:3")`, ""},
		{`parse_ipv6_mask("192.168.255.255", 120)`, "0000:0000:0000:0000:0000:ffff:c0a8:ff00"},
		{`parse_ipv6_mask("192.168.255.255/24", 124)`, "0000:0000:0000:0000:0000:ffff:c0a8:ff00"},
		{`parse_ipv6_mask("fe80::85d:e82c:9446:7994/120", 124)`, "fe80:0000:0000:0000:085d:e82c:9446:7900"},
		{`parse_ipv6_mask("fe80::1", 129)`, ""},
		{`ipv6_compare("192.168.1.1/30", "192.168.1.255/24")`, "0"},
		{`ipv6_compare("192.168.1.1", "::ffff:c0a8:0101")`, "0"},
		{`ipv6_compare("::192.168.1.1/30", "192.168.1.255/24")`, "0"},
		{`ipv6_compare("fe80::1", "fe80::2")`, "-1"},
		{`ipv6_compare("fe80::2", "192.168.1.1")`, "1"},
		{`ipv6_compare("fe80::2", "none")`, "-"},
		{`ipv6_is_match("::ffff:c0a8:0101", "192.168.1.255", 120)`, "True"},
		{`ipv6_is_match("fe80::85d:e82c:9446:7994/127", "fe80::85d:e82c:9446:7998")`, "False"},
		{`ipv6_is_in_range("a5e:f127:8a9d:146d:e102:b5d3:c755:abcd", "0:0:0:0:0:ffff:c0a8:ac/60")`, "False"},
		{`ipv6_is_in_any_range("a5e:f127:8a9d:146d:e102:b5d3:c755:abcd", dynamic(["0:0:0:0:0:ffff:c0a8:ac/60", "a5e:f127:8a9d:146d:e102:b5d3:c755:f6cd/112"]))`, "True"},
		{`ipv6_is_in_any_range("a5e::1", "a6e::/16", "none")`, "-"},
		{`ipv4_netmask_suffix("10.1.2.3")`, "32"},
		{`ipv4_netmask_suffix("127.0.0.1/16")`, "16"},
		{`ipv4_netmask_suffix("127.0.0")`, "-"},
		{`ipv4_range_to_cidr_list("1.1.128.0", "1.1.140.255")`, `["1.1.128.0/21","1.1.136.0/22","1.1.140.0/24"]`},
		{`ipv4_range_to_cidr_list("0.0.0.0", "255.255.255.255")`, `["0.0.0.0/0"]`},
		{`ipv4_range_to_cidr_list("255.255.255.254", "255.255.255.255")`, `["255.255.255.254/31"]`},
		{`ipv4_range_to_cidr_list("1.1.1.2", "1.1.1.1")`, "-"},
	} {
		if got := joinResult(t, New(Options{}), "print r = "+c.expr); got != "r: "+c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
}

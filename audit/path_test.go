package audit

import (
	"strings"
	"testing"

	"toolledger/chain"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct{ paths, in, want string }{
		{"args.b", `{"a":1,"b":{"c":2},"d":3}`, `{"a":1,"d":3}`},
		{"args.a", `{"a":1}`, `{}`},
		{"args", `{"a":1}`, ``},
		{"args.b.c", `{"a":1,"b":{"c":2}}`, `{"a":1,"b":{}}`},
		{"args.b.c", `{"b":[{"c":2}]}`, `{"b":[{"c":2}]}`},
		{"args.b[*].c", `{"b":[{"c":2,"d":1},3,{"c":4}]}`, `{"b":[{"d":1},3,{}]}`},
		{"args.b[1]", `{"b":[1,2,3]}`, `{"b":[1,3]}`},
		{"args.b[*]", `{"b":[1,2,3]}`, `{"b":[]}`},
		{"args.*.t", `{"a":{"t":1},"b":{"t":2,"u":3},"t":4}`, `{"a":{},"b":{"u":3},"t":4}`},
		{`args["a.b"] args['*']`, `{"*":1,"a":{"b":1},"a.b":2}`, `{"a":{"b":1}}`},
		{`args["x\y"]`, `{"x\\y":1,"z":2}`, `{"z":2}`},
		{"args.时间", `{"时间":1,"a":2}`, `{"a":2}`},
		{"args.a.b args.a", `{"a":{"b":1}}`, `{}`},
		{"response.a", `{"a":1}`, `{"a":1}`},
		{"args.a[0][0]", `{"a":[[1,2],[3]]}`, `{"a":[[2],[3]]}`},
	} {
		var list []valuePath
		for _, text := range strings.Fields(c.paths) {
			p, err := parsePath(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, p)
		}
		if got := string(pathsOf(list, chain.Args).without(nil, []byte(c.in))); got != c.want {
			t.Errorf("%s without %s: %s, want %s", c.in, c.paths, got, c.want)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "expected a path that begins with args or response",
		"tool":                             "expected a path that begins with args or response",
		"argsx":                            "expected a path that begins with args or response",
		"args.":                            "expected a name behind the dot",
		"args..a":                          "expected a name behind the dot",
		"args.a[":                          `expected [N], from 0 on, [*] or ["NAME"]`,
		"args[-1]":                         `expected [N], from 0 on, [*] or ["NAME"]`,
		`args["a]`:                         "expected a quote and ] behind the name",
		"args[0]x":                         "expected . or [",
		"args[1e1]":                        `expected [N], from 0 on, [*] or ["NAME"]`,
		"args" + strings.Repeat(".a", 513): "expected a path of at most 512 steps",
	} {
		if _, err := parsePath(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestPathsCover(t *testing.T) {
	for _, c := range []struct {
		path, pointer string
		want          bool
	}{
		{"args", "/args", true}, {"args", "/args/a", true}, {"args.a", "/args/a", true}, {"args.a", "/args/a/b", true}, {"args.a.b", "/args/a", false},
		{"args.a", "/args", false}, {"args.b", "/args/a", false}, {"args.*", "/args/a", true}, {"args[0]", "/args/0", true}, {`args["a/b~"]`, "/args/a~1b~0", true},
	} {
		p, err := parsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := pathsOf([]valuePath{p}, chain.Args).covers(tokensOf(c.pointer)[1:]); got != c.want {
			t.Errorf("%s covers %s: %v", c.path, c.pointer, got)
		}
	}
}

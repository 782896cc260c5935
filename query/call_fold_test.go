package query

import (
	"fmt"
	"strings"
	"testing"
)

func TestCallFolder(t *testing.T) {
	for _, c := range []struct {
		name    string
		entries string // session request phase response
		want    string // call.ordinal, with ! where it ends
	}{
		{"a life", "a r ATTEMPT n, a r START n, a r COMPLETE y", "0.0 0.0 0.0!"},
		{"another attempt", "a r ATTEMPT n, a r ATTEMPT n, a r ERROR n", "0.0 1.1 1.1!"},
		{"a start after the end", "a r ATTEMPT n, a r COMPLETE n, a r START n, a r START n", "0.0 0.0! 1.1 1.1"},
		{"a start before the end", "a r START n, a r START n", "0.0 0.0"},
		{"two ends", "a r COMPLETE n, a r ERROR n, a r START n", "0.0! 0.0! 1.1"},
		{"without phase a response ends it", "a r - n, a r - y, a r START n", "0.0 0.0! 1.1"},
		{"with a phase it does not", "a r ATTEMPT y, a r START n", "0.0 0.0"},
		{"without request each is alone", "a - - n, a - COMPLETE n, a - COMPLETE y", "0.0 1.0 2.0!"},
		{"two sessions", "a r ATTEMPT n, b r COMPLETE n, a r COMPLETE n", "0.0 1.0! 0.0!"},
	} {
		f := NewCallFolder()
		var got []string
		for _, e := range strings.Split(c.entries, ", ") {
			m := strings.Fields(strings.ReplaceAll(e, "-", `""`))
			for i := range m {
				m[i] = strings.Trim(m[i], `"`)
			}
			p := f.Add(m[0], m[1], m[2], m[3] == "y")
			end := ""
			if p.Ends {
				end = "!"
			}
			got = append(got, fmt.Sprintf("%d.%d%s", p.Call, p.Ordinal, end))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s gives %s, want %s", c.name, c.entries, got, c.want)
		}
	}
}

package sha2

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The kernel knows what the processor is able to do, too.
func TestPairs(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	flags := strings.Fields(string(info))
	want := true
	for _, flag := range []string{"sha_ni", "ssse3", "sse4_1"} {
		want = want && slices.Contains(flags, flag)
	}
	if pairs != want {
		t.Errorf("pairs is %v, /proc/cpuinfo says %v", pairs, want)
	}
}

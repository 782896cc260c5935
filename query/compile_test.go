package query

import (
	"context"
	"errors"
	"testing"
)

// TestCompileEnds: what ends while toscalar or a list of a query is read is the context,
// and no fault of the text.
func TestCompileEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{
		"print toscalar(range x from 1 to 100000000 step 1 | summarize sum(x))",
		"print x = 1 | where x in ((range y from 1 to 100000000 step 1))",
	} {
		if _, err := New(Options{}).Compile(ctx, text, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

package capture

import "testing"

func TestLangSmith(t *testing.T) {
	for _, name := range []string{"langsmith-runs.jsonl", "langsmith-nested.json"} {
		goldenImport(t, nil, name)
	}
}

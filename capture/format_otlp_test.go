package capture

import (
	"fmt"
	"testing"
)

func TestOTLP(t *testing.T) {
	for _, name := range []string{"lines.jsonl", "openinference.json", "jaeger.json", "console.json"} {
		goldenImport(t, &otlpFormat, "otlp/"+name)
	}
	growsBitByBit(t, &otlpFormat, "otlp/lines.jsonl")
}
func TestOTLPReal(t *testing.T) {
	path := sharedFile(t, "otlp-json", "agentevals-tempo_export_with_batches.json")
	dir := t.TempDir()
	report := importFileAt(t, dir, nil, path)
	fmt.Println(shortReport(report), fullListing(t, dir))
	path = sharedFile(t, "otlp-json", "openinference-otel_genai_tool_execution_span.json")
	dir = t.TempDir()
	report = importFileAt(t, dir, nil, path)
	fmt.Println(shortReport(report), fullListing(t, dir))
}

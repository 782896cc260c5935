// Command generate writes a transcript of typical calls, of about 1 KB each, as
// large as one likes. The same flags give the same bytes.
//
//	go run ./samples/generate -n 1000000 > big.jsonl
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 1000, "how many calls")
	seed := flag.Uint64("seed", 1, "which of the many such transcripts")
	flag.Parse()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	r := rand.New(rand.NewPCG(*seed, 0))
	for i := range *n {
		writeCall(out, r, i)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

var lines = []string{
	`func Open(dir string, opt Options) (*Store, error) {`,
	`	if err != nil {\n\t\treturn nil, fmt.Errorf(\"open %s: %w\", dir, err)\n\t}`,
	`--- PASS: TestReopen (0.03s)`,
	`warning: deprecated option \"cache_size\" is ignored`,
	`日本語のコメントを含む行`,
	`<div class=\"row\"><a href=\"https://example.com/?q=1&r=2\">link</a></div>`,
	`/usr/local/lib/python3.11/site-packages/requests/adapters.py:501: ConnectionError`,
	`2026-11-30T12:55:36Z INFO request completed status=200 bytes=48213`,
}

// writeCall writes the line of call i as Python's json.dumps would: members in
// the order in which a program names them, and a space behind each separator.
func writeCall(out *bufio.Writer, r *rand.Rand, i int) {
	path := fmt.Sprintf("src/pkg%02d/file%03d.go", r.IntN(40), r.IntN(500))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(strings.ReplaceAll(lines[r.IntN(len(lines))], "\t", `\t`))
			b.WriteString(`\n`)
		}
		return b.String()
	}
	var tool, args, response string
	switch r.IntN(5) {
	case 0, 1:
		tool = "read_file"
		args = fmt.Sprintf(`{"path": "%s", "offset": %d, "limit": 200}`, path, r.IntN(2000))
		response = fmt.Sprintf(`{"content": "%s", "truncated": false, "total_lines": %d}`, text(18), r.IntN(9000))
	case 2:
		tool = "run_command"
		args = fmt.Sprintf(`{"command": "go test ./pkg%02d/... -run Test%d", "cwd": "/home/agent/project", "timeout_ms": 120000, "env": {"PATH": "/usr/bin:/bin", "GOFLAGS": "-count=1"}}`, r.IntN(40), r.IntN(900))
		response = fmt.Sprintf(`{"stdout": "%s", "stderr": "", "exit_code": %d, "duration_s": %v}`, text(16), r.IntN(2), math.Round(r.Float64()*4e5)/1e4)
	case 3:
		tool = "search"
		args = fmt.Sprintf(`{"query": "func Open%d", "include": ["*.go", "*.md"], "regex": true}`, r.IntN(5000))
		response = fmt.Sprintf(`{"hits": [{"path": "%s", "line": %d, "text": "%s"}, {"path": "%s", "line": %d, "text": "%s"}], "more": false}`, path, r.IntN(900), text(8), path, r.IntN(900), text(8))
	case 4:
		tool = "write_file"
		args = fmt.Sprintf(`{"path": "%s", "text": "%s", "mode": "0644"}`, path, text(17))
		response = fmt.Sprintf(`{"ok": true, "bytes": %d}`, r.IntN(90000))
	}
	fmt.Fprintf(out, `{"index": %d, "tool": "%s", "args": %s, "response": %s}`+"\n", i, tool, args, response)
}

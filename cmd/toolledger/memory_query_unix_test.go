//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestQueryMemory holds queries that would need far more than --memory gives them to that and
// 160 MB: what is read at the time, garbage, and the program. Each ends with an error that
// names the operator.
func TestQueryMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const many = "range x from 1 to 100000000 step 1"
	ledger := longLedger(t)
	for _, q := range []struct{ operator, ledger, query string }{
		{"sort", "", many + " | sort by x"},
		{"sort", "", many + " | extend s = strcat(x, strrep('y', 1000)) | sort by s"},
		{"sort", "", many + " | project s = substring(strcat(x, strrep('y', 1000)), 0, 4) | sort by s"},
		{"top", "", many + " | top 100000000 by x asc"},
		{"summarize", "", many + " | summarize count() by x"},
		{"summarize", "", many + " | summarize count(), sum(x), max(x) by x, tostring(x)"},
		{"summarize", "", many + " | summarize make_list(strcat(x, strrep('y', 1000)))"},
		{"summarize", "", many + " | summarize make_set(x)"},
		{"summarize", "", many + " | summarize dcount(x)"},
		{"summarize", "", many + " | summarize percentile(x, 50)"},
		{"distinct", "", many + " | distinct x"},
		{"join", "", "print x = 1 | join kind=inner (" + many + ") on x"},
		{"join", "", "print x = 1 | join kind=leftsemi (" + many + ") on x"},
		{"lookup", "", "print x = 1 | lookup (" + many + ") on x"},
		{"materialize", "", "materialize(" + many + ") | count"},
		{"serialize", "", many + " | serialize n = row_number()"},
		{"sort", "", "union (" + many + "), (" + many + ") | sort by x"},
		{"in", "", "print x = 1 | where x in ((" + many + "))"},
		{"sort", ledger, "entries | sort by reasoning"},
		{"", ledger, "entries | project p = tostring(args.path), time | sort by p | take 1"},
		{"summarize", ledger, "entries | summarize make_list(reasoning) by tool"},
		{"", ledger, "entries | distinct reasoning"},
		{"", ledger, "entries | top 10 by time"},
		{"", ledger, "entries | summarize max(seq), dcount(session) by tool"},
		{"", ledger, "entries | where reasoning has 'word7' | count"},
		{"", ledger, "entries"},
	} {
		const memory = 32
		line := fmt.Sprintf("exec toolledger query --memory %d", memory)
		if q.ledger != "" {
			line += " -l " + q.ledger
		}
		cmd := exec.Command("sh", "-c", line+` "$0"`, q.query)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		want := q.operator + " needs more than the 32 MiB"
		if fits := q.operator == ""; fits != (cmd.ProcessState.ExitCode() == 0) || !fits && !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit status %d, %s", q.query, cmd.ProcessState.ExitCode(), &stderr)
		}
		if got, most := peakMemory(cmd.ProcessState), int64(memory<<20+160_000_000); got > most {
			t.Errorf("%s took %d MB, want at most %d", q.query, got/1e6, most/1e6)
		} else {
			t.Logf("%s took %d MB", q.query, got/1e6)
		}
	}
}

// longLedger makes a ledger of 20,000 entries with texts that repeat little.
func longLedger(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file, ledger := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "ledger")
	writeFile(t, file, func(w *bufio.Writer) {
		for i := range 20_000 {
			fmt.Fprintf(w, `{"session":"s%d","tool":"t%d","args":{"path":"/srv/%d","text":"`, i%50, i%7, i)
			for n := range 100 {
				fmt.Fprintf(w, "%x ", (i*100+n)*2654435761%1000003)
			}
			w.WriteString(`"},"reasoning":"`)
			for n := range 250 {
				fmt.Fprintf(w, "word%d ", (i+n*n*31)%5003)
			}
			w.WriteString("\"}\n")
		}
	})
	if out, err := exec.Command("toolledger", "import", "-l", ledger, file).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return ledger
}

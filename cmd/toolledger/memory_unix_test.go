//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// peakMemory returns the most memory that a process had, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	rss := int64(p.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		return rss // in bytes there, in KiB elsewhere
	}
	return rss << 10
}

// raceDetector tells that the tests run under the race detector, which multiplies
// the memory of a program.
var raceDetector bool

// TestMemory holds seal, scope and verify to 64 MB and three times the longest
// line, whatever the file's size.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	inputs := []struct {
		name    string
		line    int // bytes of the longest
		command string
	}{
		{"many calls", 2000, "go run ../../samples/generate -n 100000"},
		{"one long string", 25_000_000, `printf '{"index":0,"tool":"t","response":{},"args":{"a":"'; head -c 25000000 /dev/zero | tr '\000' x; echo '"}}'`},
		{"long lines", 10_000_000, `for i in 0 1 2 3 4 5; do printf '{"index":'$i',"tool":"t","response":{},"args":{"a":"'; head -c 10000000 /dev/zero | tr '\000' x; echo '"}}'; done`},
	}
	for _, in := range inputs {
		file := filepath.Join(dir, "in.jsonl")
		if out, err := exec.Command("sh", "-c", "("+in.command+") > "+file).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", in.name, err, out)
		}
		checkMemory(t, in.name, in.line, file)
	}
}

// TestMemoryManyMembers is TestMemory for what costs most: lines that are one
// object of very many members, none of them in order.
func TestMemoryManyMembers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in.jsonl")
	line := writeFile(t, file, func(w *bufio.Writer) {
		for i := range 3 {
			fmt.Fprintf(w, `{"index":%d,"tool":"t","response":{},"args":{`, i)
			for i := 2_000_000; i > 0; i-- {
				fmt.Fprintf(w, `"%07d":1,`, i)
			}
			w.WriteString(`"":0}}` + "\n")
		}
	}) / 3
	checkMemory(t, "many members", line, file)
}

// TestMemorySpellings is TestMemory for digests that have to be tried in three
// spellings, one of them six times as long.
func TestMemorySpellings(t *testing.T) {
	for _, char := range []string{"\u00e9", "\x7f", "\U0001f600"} {
		file := filepath.Join(t.TempDir(), "in.jsonl.sealed")
		line := writeFile(t, file, func(w *bufio.Writer) {
			w.WriteString(`{"args":{"a":"`)
			for range 24_000_000 / len(char) {
				w.WriteString(char)
			}
			fmt.Fprintf(w, `"},"digest":"","index":0,"prev":"%064d","response":{},"tool":"t"}`, 0)
		})
		checkPeak(t, fmt.Sprintf("%q", char), line, "verify "+file)
	}
}

// writeFile writes a file piece by piece, since a process that starts another hands
// its own peak on to it, and returns how long it is.
func writeFile(t *testing.T, name string, write func(*bufio.Writer)) int {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

func checkMemory(t *testing.T, name string, line int, file string) {
	t.Helper()
	sealed := file + ".sealed"
	for _, command := range []string{"seal " + file + " > " + sealed, "scope " + file + " ../../samples/scope.json", "verify " + sealed} {
		checkPeak(t, name, line, command)
	}
}

func checkPeak(t *testing.T, name string, line int, command string) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	cmd := exec.Command("sh", "-c", "exec toolledger "+command)
	cmd.Run()
	if got, want := peakMemory(cmd.ProcessState), int64(64_000_000+3*line); got > want || cmd.ProcessState.ExitCode() > 1 {
		t.Errorf("%s: %s took %d MB, want at most %d, exit status %d", name, strings.Fields(command)[0], got/1e6, want/1e6, cmd.ProcessState.ExitCode())
	} else {
		t.Logf("%s: %s took %d MB of %d", name, strings.Fields(command)[0], got/1e6, want/1e6)
	}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// runs is how often each command of a comparison runs; medians are reported.
const runs = 5

// BenchmarkFile measures each command as a whole process on a generated
// transcript of BENCHMB megabytes (50 if unset), in turn with openssl hashing the
// same file, where there is one: s is seconds, xopenssl the ratio of the two,
// peak-MB the memory.
func BenchmarkFile(b *testing.B) {
	plain, sealed, bin := benchFiles(b)
	for _, c := range []struct {
		name, file string
		args       []string
	}{
		{"verify", sealed, nil},
		{"seal", plain, nil},
		{"scope", plain, []string{"../../samples/scope.json"}},
		{"replay", plain, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				var ours, theirs []time.Duration
				peak := int64(0)
				for range runs {
					t, rss := measure(b, bin, append([]string{c.name, c.file}, c.args...)...)
					ours, peak = append(ours, t), max(peak, rss)
					if openssl, err := exec.LookPath("openssl"); err == nil {
						t, _ := measure(b, openssl, "dgst", "-sha256", c.file)
						theirs = append(theirs, t)
					}
				}
				b.ReportMetric(median(ours).Seconds(), "s")
				b.ReportMetric(float64(peak)/1e6, "peak-MB")
				if theirs != nil {
					b.ReportMetric(median(theirs).Seconds(), "openssl-s")
					b.ReportMetric(median(ours).Seconds()/median(theirs).Seconds(), "xopenssl")
				}
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// benchFiles makes a transcript, its sealed form, and the command.
func benchFiles(b *testing.B) (plain, sealed, bin string) {
	mb, err := strconv.Atoi(os.Getenv("BENCHMB"))
	if err != nil {
		mb = 50
	}
	dir := b.TempDir()
	plain, sealed, bin = filepath.Join(dir, "plain.jsonl"), filepath.Join(dir, "sealed.jsonl"), filepath.Join(dir, "toolledger")
	for _, step := range []string{
		"go build -trimpath -o " + bin + " .",
		fmt.Sprintf("go run ../../samples/generate -n %d > %s", mb*807, plain), // some 1,239 bytes each
		bin + " seal " + plain + " > " + sealed,
	} {
		if out, err := exec.Command("sh", "-c", step).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", step, err, out)
		}
	}
	return plain, sealed, bin
}

// measure runs a command, its output to a file, and returns its time and peak
// memory in bytes.
func measure(b *testing.B, name string, args ...string) (time.Duration, int64) {
	out, err := os.Create(filepath.Join(b.TempDir(), "out"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = out, &stderr
	start := time.Now()
	cmd.Run()
	took := time.Since(start)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		b.Fatalf("%s %s: %s", name, strings.Join(args, " "), &stderr)
	}
	os.Truncate(out.Name(), 0)
	return took, peakMemory(cmd.ProcessState)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

package audit

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"toolledger/chain"
)

// calls reads "tool args response" triples, args and response in JSON without
// spaces. An element "error" is an error.
func calls(t *testing.T, lines ...string) iter.Seq2[Call, error] {
	prints := NewFingerprinter()
	return func(yield func(Call, error) bool) {
		for i, line := range lines {
			if line == "error" {
				if !yield(Call{}, errors.New("the input ends here")) {
					return
				}
				continue
			}
			f := strings.SplitN(line, " ", 3)
			c := chain.Call{Index: uint64(i), Tool: chain.Quote(f[0]), Args: []byte(f[1]), Response: []byte(f[2])}
			if !yield(prints.Call(&c), nil) {
				return
			}
		}
	}
}

// list returns the findings, one a line, and the error.
func list(findings iter.Seq2[Finding, error]) string {
	var lines []string
	for f, err := range findings {
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

func redundant(tool string, index, other int) string {
	return fmt.Sprintf("index %d: redundant-call: tool '%s' repeats the identical call at index %d with no state change between them", index, tool, other)
}

func nondeterminism(tool string, index, other int) string {
	return fmt.Sprintf("index %d: non-determinism: tool '%s' returned a different response than the identical call at index %d", index, tool, other)
}

func TestReplay(t *testing.T) {
	for _, test := range []struct {
		name       string
		calls      []string
		want       []string
		divergence int // -1: none
	}{
		{"nothing", nil, nil, -1},
		{"different calls", []string{"ls {} {}", `ls {"a":1} {}`, "cat {} {}"}, nil, -1},
		{"twice", []string{"ls {} {}", "ls {} {}"}, []string{redundant("ls", 1, 0)}, -1},
		{"a different call between", []string{"ls {} {}", "cat {} {}", "ls {} {}"}, nil, -1},
		{"a change between", []string{"ls {} {}", "write_file {} {}", "ls {} {}"}, nil, -1},
		{"three times: each names the one before", []string{"ls {} {}", "ls {} {}", "ls {} {}"}, []string{redundant("ls", 1, 0), redundant("ls", 2, 1)}, -1},
		{"a change twice is not redundant", []string{"write_file {} {}", "write_file {} {}"}, nil, -1},
		{"another response", []string{"ls {} {}", "cat {} {}", `ls {} {"a":1}`}, []string{nondeterminism("ls", 2, 0)}, 2},
		{"next to its twin: both, by kind", []string{"ls {} {}", `ls {} {"a":1}`}, []string{nondeterminism("ls", 1, 0), redundant("ls", 1, 0)}, 1},
		{"against the first, not the last", []string{`ls {} {"a":1}`, "cat {} {}", "ls {} {}", "cat {} {}", "ls {} {}", "cat {} {}", `ls {} {"a":1}`},
			[]string{nondeterminism("ls", 2, 0), nondeterminism("ls", 4, 0)}, 2},
		{"a changing tool with another response", []string{"run_command {} {}", `run_command {} {"a":1}`}, []string{nondeterminism("run_command", 1, 0)}, 1},
		{"tool and args do not run together", []string{`a {"b":1} {}`, `a{"b":1} {} {}`}, nil, -1},
		{"1 and 1.0 differ", []string{`ls {"a":1} {}`, `ls {"a":1.0} {}`}, nil, -1},
		{"a name that would act on a terminal", []string{"l\x1bs'\u202e {} {}", "l\x1bs'\u202e {} {}"}, []string{redundant(`l\x1bs\x27\u202e`, 1, 0)}, -1},
		{"an error ends it", []string{"ls {} {}", "error", "ls {} {}"}, []string{"the input ends here"}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewReplay(DefaultMutating)
			if got, want := list(r.Findings(calls(t, test.calls...))), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			divergence := -1
			if r.Divergence != nil {
				divergence = int(*r.Divergence)
			}
			if divergence != test.divergence {
				t.Errorf("divergence %d, want %d", divergence, test.divergence)
			}
		})
	}
}

// TestReplayModel compares with the definition, which looks at every pair.
func TestReplayModel(t *testing.T) {
	for seed := range 300 {
		var in []string
		n := uint32(seed)*2654435761 + 1
		next := func(k uint32) uint32 { n = n*1664525 + 1013904223; return n >> 16 % k }
		for range 1 + seed%12 {
			tool := []string{"ls", "cat", "write_file"}[next(3)%3]
			in = append(in, fmt.Sprintf(`%s {"a":%d} {"r":%d}`, tool, next(5)%2, next(7)%2))
		}
		identity := func(i int) string { return in[i][:strings.LastIndex(in[i], " ")] }
		var want []string
		for i := range in {
			tool := in[i][:strings.Index(in[i], " ")]
			for j := range i {
				if identity(i) == identity(j) {
					if in[i] != in[j] {
						want = append(want, nondeterminism(tool, i, j))
					}
					break
				}
			}
			if i > 0 && identity(i) == identity(i-1) && tool != "write_file" {
				want = append(want, redundant(tool, i, i-1))
			}
		}
		if got := list(NewReplay(DefaultMutating).Findings(calls(t, in...))); got != strings.Join(want, "\n") {
			t.Fatalf("%q:\ngot\n%s\nwant\n%s", in, got, strings.Join(want, "\n"))
		}
	}
}

func TestMutating(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", "write_file delete_file create_file move_file run_command"},
		{"deploy", "deploy"},
		{"deploy,write_file", "deploy write_file"},
		{"+deploy", "write_file delete_file create_file move_file run_command deploy"},
		{"+deploy,pay", "write_file delete_file create_file move_file run_command deploy pay"},
		{"+deploy,+pay", "write_file delete_file create_file move_file run_command deploy pay"},
		{"a b", "a b"},
		{"a +b", "a b"},
		{"+b a", "a b"},
		{"a,+b", `expected + before the first name, to add to the default tools, or before none; found it before "b"`},
		{"a,,b", "expected tool names, as write_file,run_command or +deploy, found an empty one"},
		{"+", "expected tool names, as write_file,run_command or +deploy, found an empty one"},
	} {
		var lists [][]string
		for _, list := range strings.Fields(test.in) {
			lists = append(lists, strings.Split(list, ","))
		}
		got, err := Mutating(lists...)
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("Mutating(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// TestQuote shows names that would end their quotes, or act on a terminal.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		`"ls"`:                      `'ls'`,
		`"it's \"x\""`:              `'it\x27s \x22x\x22'`,
		`"\u001b[2J\n` + "\u202e\"": `'\x1b[2J\x0a\u202e'`,
	} {
		if got := quote([]byte(in)); got != want {
			t.Errorf("quote(%s) = %s, want %s", in, got, want)
		}
	}
}

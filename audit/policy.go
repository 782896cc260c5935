package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"toolledger/chain"
)

// A Policy says who may call what. It may be asked by several goroutines.
type Policy interface {
	// Decide decides on one call.
	Decide(a *Access) Decision
	// reads says which columns the policy looks at beside tool, and which of the arguments.
	reads() reads
}

// An Access is what a policy decides on: who calls what. An absent member is "".
type Access struct {
	Session                                string
	Index                                  int64
	Agent, Role, Tool, Action, Environment string
	Args                                   []byte   // a JSON object in canonical form; nil if there are none
	Millis                                 *int64   // when, since 1970; nil if nobody knows
	Removed                                []string // pointers of the arguments that were removed, as /args/path
}

// A Decision is what a policy says of one call.
type Decision struct {
	Verdict Verdict
	Rule    string // the id of the rule or policy that decided, DefaultRule if none did
	Why     string // goes on after the name of the tool, as in "is denied by rule 'x'"
	Fault   string // why a rule could not be asked, which then counts as absent; else ""
}

// A Verdict is what a decision comes to.
type Verdict uint8

// The verdicts.
const (
	Refused Verdict = iota
	Permitted
	Unconcerned // the policy is about other agents
	Undecided   // it depends on an argument that was removed
)

// DefaultRule decides where no rule does: it refuses.
const DefaultRule = "default"

// reads is what a policy looks at.
type reads struct {
	agent, role, action, environment, time bool
	args                                   map[string]bool // the outermost names; nil if it looks at none
	allArgs                                bool            // whatever their names
}

func (r *reads) wantsArgs() bool { return r.allArgs || len(r.args) > 0 }

// MaxPolicy is how many bytes a policy may have.
const MaxPolicy = 16 << 20

// expectedPolicy says what a policy may be.
const expectedPolicy = `expected {"agent": "a", "allowed_tools": ["t"]} or {"rules": [...]}, or Cedar in a file whose name ends in .cedar`

// A Fault is what is wrong with the text of a policy, and where.
type Fault struct {
	Offset int // bytes before the place
	Msg    string
}

func (f *Fault) Error() string { return f.Msg }

// ReadPolicy reads the policy in a file. Its errors name the file, and the line and column
// of what is wrong in it.
func ReadPolicy(files fs.FS, name string) (Policy, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", quoteText(name), cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("expected a file, but %s is a directory", quoteText(name))
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxPolicy+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", quoteText(name), cause(err))
	}
	if len(text) > MaxPolicy {
		return nil, fmt.Errorf("%s: a policy of over %d MiB", quoteText(name), MaxPolicy>>20)
	}
	return ParsePolicy(name, text)
}

// cause takes operation and path off an error, where a message has them already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// ParsePolicy reads a policy from the text of the file of that name: Cedar if the name ends
// in .cedar, else the JSON of [Rules] or of a [Scope], whichever it is.
func ParsePolicy(name string, text []byte) (Policy, error) {
	p, err := parsePolicy(name, text)
	var fault *Fault
	var syntax *chain.SyntaxError
	switch {
	case errors.As(err, &fault):
	case errors.As(err, &syntax):
		fault = &Fault{syntax.Offset, syntax.Msg}
	default:
		return p, err
	}
	before := text[:min(fault.Offset, len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return nil, fmt.Errorf("%s:%d:%d: %s", visible(name), line, column, fault.Msg)
}

func parsePolicy(name string, text []byte) (Policy, error) {
	if strings.HasSuffix(name, ".cedar") {
		return ParseCedar(text)
	}
	root, err := parseJSON(text)
	switch {
	case err != nil:
		return nil, err
	case root.member("rules") != nil:
		return rulesOf(root)
	case root.member("agent") != nil || root.member("allowed_tools") != nil:
		return scopeOf(root)
	}
	return nil, &Fault{root.at, expectedPolicy}
}

// IsRules tells whether the text of a policy is that of [Rules].
func IsRules(text []byte) bool {
	root, err := parseJSON(text)
	return err == nil && root.member("rules") != nil
}

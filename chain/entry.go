package chain

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Limits of an entry.
const (
	MaxEntry   = 64 << 20 // bytes of its canonical form
	MaxHeader  = 32 << 10 // bytes of its header, so that any log client can carry it as a leaf
	MaxSession = 512      // bytes of a session's name
	MaxTrace   = 128
)

// A Member is one member of an entry. Members count in canonical order.
type Member int

const (
	Action Member = iota
	Agent
	Args
	Authorization
	Context
	DurationMS
	Environment
	ID
	Index
	Metadata
	Parent
	Phase
	Policy
	Prompt
	Reasoning
	Recorded
	Request
	Response
	Role
	SampleRate
	Session
	At // its name is time
	Tool
	Trace

	NumMembers = iota
)

// members is the vocabulary: the only place where the names stand.
var members = [NumMembers]struct {
	name    string
	payload bool
	check   func(value []byte) error
}{
	Action:        {"action", false, isString},
	Agent:         {"agent", false, isString},
	Args:          {"args", true, isObject},
	Authorization: {"authorization", false, oneOf("ALLOWED", "DENIED")},
	Context:       {"context", true, isStrings},
	DurationMS:    {"duration_ms", false, isNumber},
	Environment:   {"environment", false, isString},
	ID:            {"id", false, isString},
	Index:         {"index", false, isIndex},
	Metadata:      {"metadata", true, isObject},
	Parent:        {"parent", false, isString},
	Phase:         {"phase", false, oneOf("ATTEMPT", "START", "COMPLETE", "ERROR")},
	Policy:        {"policy", false, isString},
	Prompt:        {"prompt", true, isString},
	Reasoning:     {"reasoning", true, isString},
	Recorded:      {"recorded", false, isTime},
	Request:       {"request", false, isString},
	Response:      {"response", true, isAny},
	Role:          {"role", false, isString},
	SampleRate:    {"sample_rate", false, isRate},
	Session:       {"session", false, isSession},
	At:            {"time", false, isTime},
	Tool:          {"tool", false, isString},
	Trace:         {"trace", false, isTrace},
}

func (m Member) String() string { return members[m].name }

// IsPayload tells whether m enters the digest through commitments, so that it can
// be removed.
func (m Member) IsPayload() bool { return members[m].payload }

// MemberOf returns the member of that name.
func MemberOf(name string) (Member, bool) {
	for m := range members {
		if members[m].name == name {
			return Member(m), true
		}
	}
	return 0, false
}

// An Entry is one entry in canonical form: the value of each member, nil where it
// is absent.
type Entry [NumMembers][]byte

// ParseEntry reads an entry from its canonical form. Every member must be known
// and of its type; the first that is not is named.
func ParseEntry(text *Text) (e Entry, err error) {
	if text.Bytes[0] != '{' {
		return e, fmt.Errorf("expected an object, found %s", kind(text.Bytes))
	}
	next := Member(0)
	for name, value := range text.Members() {
		name = inner(name)
		// Both sides are in the same order.
		for next < NumMembers && members[next].name < string(name) {
			next++
		}
		if next == NumMembers || members[next].name != string(name) {
			return e, fmt.Errorf("unexpected field(s): %s", name)
		}
		if err := members[next].check(value); err != nil {
			return e, fmt.Errorf("%s: %w", next, err)
		}
		e[next] = value
		next++
	}
	return e, nil
}

// Append appends the canonical form of e.
func (e *Entry) Append(dst []byte) []byte {
	dst = append(dst, '{')
	first := true
	for m, value := range e {
		if value == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendMember(dst, members[m].name, value)
	}
	return append(dst, '}')
}

func appendMember(dst []byte, name string, value []byte) []byte {
	dst = append(append(append(dst, '"'), name...), '"', ':')
	return append(dst, value...)
}

func isAny([]byte) error { return nil }

func isString(value []byte) error {
	if value[0] != '"' {
		return fmt.Errorf("expected a string, found %s", kind(value))
	}
	return nil
}

func isObject(value []byte) error {
	if value[0] != '{' {
		return fmt.Errorf("expected an object, found %s", kind(value))
	}
	return nil
}

func isStrings(value []byte) error {
	if value[0] != '[' {
		return fmt.Errorf("expected an array of strings, found %s", kind(value))
	}
	for i, element := range Elements(value) {
		if element[0] != '"' {
			return fmt.Errorf("expected an array of strings, found %s at %d", kind(element), i)
		}
	}
	return nil
}

func oneOf(words ...string) func([]byte) error {
	return func(value []byte) error {
		if value[0] == '"' {
			for _, word := range words {
				if string(inner(value)) == word {
					return nil
				}
			}
		}
		return fmt.Errorf("expected one of %q, found %s", words, shown(value))
	}
}

// shown is a value for a message: itself if it is short.
func shown(value []byte) string {
	if len(value) > 60 {
		return kind(value)
	}
	return string(value)
}

func isNumber(value []byte) error {
	if value[0] != '-' && value[0]-'0' > 9 {
		return fmt.Errorf("expected a number, found %s", kind(value))
	}
	return nil
}

func isIndex(value []byte) error {
	if _, err := strconv.ParseUint(string(value), 10, 63); err != nil {
		return fmt.Errorf("expected an integer from 0, as 0 or 17, found %s", kind(value))
	}
	return nil
}

func isRate(value []byte) error {
	if err := isNumber(value); err != nil {
		return err
	}
	// A rate so near to 0 or 1 that a double does not tell them apart is refused too.
	if f, err := strconv.ParseFloat(string(value), 64); err != nil || f <= 0 || f > 1 {
		return fmt.Errorf("expected a number over 0 and at most 1, found %s", shown(value))
	}
	return nil
}

func isTime(value []byte) error {
	if value[0] != '"' {
		return fmt.Errorf("%w, found %s", errTime, kind(value))
	}
	if _, err := ParseTime(inner(value)); err != nil {
		return fmt.Errorf("%w, found %s", err, shown(value))
	}
	return nil
}

func isSession(value []byte) error {
	if err := isString(value); err != nil {
		return err
	}
	name := unescape(inner(value))
	switch {
	case len(name) == 0:
		return errors.New("expected a name of 1 to 512 bytes, found an empty one")
	case len(name) > MaxSession:
		return fmt.Errorf("expected a name of 1 to 512 bytes, found one of %d", len(name))
	case bytes.ContainsFunc(name, unicode.IsControl):
		return errors.New("expected a name without control characters")
	}
	return nil
}

func isTrace(value []byte) error {
	if err := isString(value); err != nil {
		return err
	}
	id := unescape(inner(value))
	printable := func(r rune) bool { return r > ' ' && r < utf8.RuneSelf-1 }
	if len(id) == 0 || len(id) > MaxTrace || bytes.ContainsFunc(id, func(r rune) bool { return !printable(r) }) {
		return errors.New("expected 1 to 128 printable ASCII characters")
	}
	return nil
}

package query

import (
	"strconv"
	"strings"
)

// A jsonPath is a path into a JSON value, as $.a['b c'][0].
type jsonPath []jsonStep

// A jsonStep is the name of a member, or the number of an element.
type jsonStep struct {
	name    string
	index   int64
	isIndex bool
}

// parsePath reads the forms of JSONPath that Kusto has: no wildcards, slices or filters.
func parsePath(text string) (path jsonPath, ok bool) {
	rest, ok := strings.CutPrefix(text, "$")
	if !ok {
		return nil, false
	}
	for rest != "" {
		var step jsonStep
		switch {
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			step.name, rest = rest[1:1+end], rest[1+end:]
			if step.name == "" || step.name == "*" {
				return nil, false
			}
		case len(rest) > 1 && rest[0] == '[' && (rest[1] == '\'' || rest[1] == '"'):
			end := strings.Index(rest[2:], rest[1:2]+"]")
			if end < 0 {
				return nil, false
			}
			step.name, rest = rest[2:2+end], rest[2+end+2:]
		case rest[0] == '[':
			digits, after, _ := strings.Cut(rest[1:], "]")
			n, err := strconv.ParseInt(digits, 10, 32)
			if err != nil || n < 0 {
				return nil, false
			}
			step, rest = jsonStep{index: n, isIndex: true}, after
		default:
			return nil, false
		}
		path = append(path, step)
	}
	return path, true
}

// of returns what stands at the path in v, null if nothing does.
func (p jsonPath) of(v Value) Value {
	for _, step := range p {
		if step.isIndex {
			v = elementOf(v, step.index)
		} else {
			v = memberOf(v, step.name)
		}
	}
	return v
}

// keyPath returns the names that lead to a key of a bag: a key may be a path, but not one
// through arrays.
func keyPath(key string) (names []string, ok bool) {
	if !strings.HasPrefix(key, "$.") && !strings.HasPrefix(key, "$[") {
		return []string{key}, true
	}
	path, ok := parsePath(key)
	if !ok {
		return []string{key}, true
	}
	for _, step := range path {
		if step.isIndex {
			return nil, false
		}
		names = append(names, step.name)
	}
	return names, true
}

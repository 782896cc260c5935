package audit

import (
	"errors"
	"strings"
)

// pathNames reads a path into the arguments: names between dots, or in brackets and quotes
// where they have characters that a path has a use for, as in options['a.b'].name.
func pathNames(path string) (names []string, err error) {
	malformed := errors.New("expected a path into the arguments, as path, options.force or ['a.b'].c")
	for rest := path; ; {
		if inside, ok := strings.CutPrefix(rest, "['"); ok {
			name, after, ok := strings.Cut(inside, "']")
			if !ok {
				return nil, malformed
			}
			names, rest = append(names, name), after
		} else {
			n := strings.IndexAny(rest+".", ".[]'")
			if n == 0 {
				return nil, malformed
			}
			names, rest = append(names, rest[:n]), rest[n:]
		}
		after, dot := strings.CutPrefix(rest, ".")
		switch {
		case rest == "":
			if names[0] == "args" && strings.HasPrefix(path, "args") {
				return nil, errors.New("expected a path that begins behind args, as path; an argument of the name args is ['args']")
			}
			return names, nil
		case dot:
			rest = after
		case rest[0] != '[':
			return nil, malformed
		}
	}
}

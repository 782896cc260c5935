package audit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolledger/chain"
)

// A valuePath leads to values in the args or the response of a call, such as
//
//	args.timestamp    args["a b"]    args.items[0].id    args.items[*].id    response.*.took
//
// .NAME or ["NAME"] is a member, [N] an element, from 0; .* is every member and [*] every
// element. args alone is all of them.
type valuePath struct {
	root  chain.Member // Args or Response
	steps []step
}

// A step goes from a value to a member, an element, or all of them.
type step struct {
	name  []byte // of a member, in canonical JSON, with its quotes
	index int    // of an element
	array bool   // it goes to elements
	all   bool
}

// maxSteps is how deep JSON texts are nested.
const maxSteps = 512

// parsePath reads a path.
func parsePath(text string) (p valuePath, err error) {
	fault := func(err error) (valuePath, error) {
		return valuePath{}, fmt.Errorf(`%w, as args.timestamp, args["a b"], args.list[*].id or response.took; found %q`, err, text)
	}
	end := strings.IndexAny(text+".", ".[")
	switch text[:min(end, len(text))] {
	case chain.Args.String():
		p.root = chain.Args
	case chain.Response.String():
		p.root = chain.Response
	default:
		return fault(errors.New("expected a path that begins with args or response"))
	}
	for rest := text[end:]; rest != ""; {
		var s step
		if s, rest, err = parseStep(rest); err != nil {
			return fault(err)
		}
		if p.steps = append(p.steps, s); len(p.steps) > maxSteps {
			return fault(fmt.Errorf("expected a path of at most %d steps", maxSteps))
		}
	}
	return p, nil
}

// parseStep reads the step that text begins with and returns what is behind it.
func parseStep(text string) (s step, rest string, err error) {
	switch {
	case text[0] == '.':
		end := 1 + strings.IndexAny(text[1:]+".", ".[")
		name := text[1:end]
		if name == "" {
			return s, "", errors.New("expected a name behind the dot")
		}
		return step{name: chain.Quote(name), all: name == "*"}, text[end:], nil
	case strings.HasPrefix(text, `["`), strings.HasPrefix(text, `['`):
		name, rest, ok := strings.Cut(text[2:], text[1:2]+"]")
		if !ok {
			return s, "", errors.New("expected a quote and ] behind the name")
		}
		return step{name: chain.Quote(name)}, rest, nil
	case text[0] != '[':
		return s, "", errors.New("expected . or [")
	}
	number, rest, ok := strings.Cut(text[1:], "]")
	if number == "*" && ok {
		return step{array: true, all: true}, rest, nil
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || !ok {
		return s, "", errors.New(`expected [N], from 0 on, [*] or ["NAME"]`)
	}
	return step{array: true, index: int(n)}, rest, nil
}

// A paths is what is left out of values of one root: the steps to it.
type paths [][]step

// pathsOf returns those of some paths that begin at a root.
func pathsOf(list []valuePath, root chain.Member) (out paths) {
	for _, p := range list {
		if p.root == root {
			out = append(out, p.steps)
		}
	}
	return out
}

// all tells whether nothing is left.
func (p paths) all() bool {
	for _, steps := range p {
		if len(steps) == 0 {
			return true
		}
	}
	return false
}

// behind returns the paths that are left behind a step to a member, or to an element.
func (p paths) behind(name []byte, index int, array bool) (out paths) {
	for _, steps := range p {
		if s := &steps[0]; s.array == array && (s.all || array && s.index == index || !array && string(s.name) == string(name)) {
			out = append(out, steps[1:])
		}
	}
	return out
}

// without appends a text in canonical form without what stands at the paths.
func (p paths) without(dst, text []byte) []byte {
	switch {
	case p.all():
		return dst
	case len(p) == 0 || text[0] != '{' && text[0] != '[':
		return append(dst, text...)
	}
	dst = append(dst, text[0])
	start := len(dst)
	comma := func() {
		if len(dst) > start {
			dst = append(dst, ',')
		}
	}
	for name, value := range chain.Members(text) {
		if q := p.behind(name, 0, false); !q.all() {
			comma()
			dst = q.without(append(append(dst, name...), ':'), value)
		}
	}
	for i, value := range chain.Elements(text) {
		if q := p.behind(nil, i, true); !q.all() {
			comma()
			dst = q.without(dst, value)
		}
	}
	return append(dst, text[0]+2) // } is two behind {, ] two behind [
}

// covers tells whether what stands at a pointer (RFC 6901), of which these are the tokens
// behind the root, is left out.
func (p paths) covers(tokens []string) bool {
	for ; len(p) > 0; tokens = tokens[1:] {
		if p.all() || len(tokens) == 0 {
			return p.all()
		}
		q := p.behind(chain.Quote(tokens[0]), 0, false)
		if n, err := strconv.Atoi(tokens[0]); err == nil {
			q = append(q, p.behind(nil, n, true)...)
		}
		p = q
	}
	return false
}

// tokensOf returns the tokens of a pointer.
func tokensOf(pointer string) []string {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return tokens
}

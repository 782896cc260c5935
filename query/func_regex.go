package query

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// constRegex compiles an argument, which must be constant in Kusto, too.
func constRegex(name string, args []Arg, i int) (*regex, error) {
	text, err := constText(name, args, i)
	if err != nil {
		return nil, err
	}
	r, err := newRegex(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func constText(name string, args []Arg, i int) (string, error) {
	if args[i].Const == nil {
		return "", fmt.Errorf("%s: argument %d must be constant", name, i+1)
	}
	return toString(*args[i].Const), nil
}

// group returns what a group matched, nothing if it took no part.
func group(text string, match []int, n int64) string {
	if n < 0 || n >= int64(len(match)/2) || match[2*n] < 0 {
		return ""
	}
	return text[match[2*n]:match[2*n+1]]
}

func bindCountof(args []Arg) (func([]Value) Value, error) {
	kind := "normal"
	if len(args) > 2 {
		var err error
		if kind, err = constText("countof", args, 2); err != nil {
			return nil, err
		}
	}
	switch kind {
	case "regex":
		re, err := constRegex("countof", args, 1)
		if err != nil {
			return nil, err
		}
		return func(a []Value) Value { return LongOf(int64(len(re.findAll(toString(a[0]))))) }, nil
	case "normal":
		if c := args[1].Const; c != nil && toString(*c) == "" {
			return nil, errors.New("countof: an empty search is not supported here")
		}
		return countof, nil
	}
	return nil, fmt.Errorf(`countof: expected "normal" or "regex", found %q`, kind)
}

func countof(a []Value) Value {
	text, search := toString(a[0]), toString(a[1])
	n := int64(0)
	for search != "" {
		k := strings.Index(text, search)
		if k < 0 {
			break
		}
		n++
		_, size := utf8.DecodeRuneInString(text[k:])
		text = text[k+size:]
	}
	return LongOf(n)
}

// extractKind is the type that extract is asked for.
func extractKind(args []Arg) (Kind, error) {
	if len(args) < 4 {
		return String, nil
	}
	name, err := constText("extract", args, 3)
	if err != nil {
		return 0, err
	}
	k, ok := kindOf(name)
	switch {
	case !ok:
		return 0, fmt.Errorf("extract: expected typeof(type), found %q", name)
	case k == Dynamic:
		return 0, errors.New("extract: typeof(dynamic) is not supported here")
	}
	return k, nil
}

func bindExtract(args []Arg) (func([]Value) Value, error) {
	re, err := constRegex("extract", args, 0)
	if err != nil {
		return nil, err
	}
	kind, err := extractKind(args)
	if err != nil {
		return nil, err
	}
	return func(a []Value) Value {
		text := toString(a[2])
		m := re.findFirst(text)
		if m == nil || a[1].Null {
			return NullOf(kind)
		}
		return convert(StringOf(group(text, m, a[1].N)), kind)
	}, nil
}

func bindExtractAll(args []Arg) (func([]Value) Value, error) {
	re, err := constRegex("extract_all", args, 0)
	if err != nil {
		return nil, err
	}
	n := re.re.NumSubexp()
	if n < 1 || n > 16 {
		return nil, fmt.Errorf("extract_all: the regular expression needs 1 to 16 groups in parentheses, found %d", n)
	}
	var groups []int64
	for i := range n {
		groups = append(groups, int64(i+1))
	}
	if len(args) == 3 {
		if groups, err = chosenGroups(re, args[1]); err != nil {
			return nil, err
		}
	}
	source := len(args) - 1
	return func(a []Value) Value {
		text := toString(a[source])
		all := re.findAll(text)
		if len(all) == 0 {
			return NullOf(Dynamic)
		}
		list := make([]string, len(all))
		for i, m := range all {
			if len(groups) == 1 {
				list[i] = quoteJSON(group(text, m, groups[0]))
				continue
			}
			texts := make([]string, len(groups))
			for j, g := range groups {
				texts[j] = group(text, m, g)
			}
			list[i] = arrayOfStrings(texts).S
		}
		return arrayOfTexts(list)
	}, nil
}

// chosenGroups reads the groups that extract_all is asked for, by number or by name.
func chosenGroups(re *regex, arg Arg) (groups []int64, err error) {
	if arg.Const == nil || !isArray(*arg.Const) {
		return nil, errors.New("extract_all: groups that are not a constant array are not supported here")
	}
	for v := range elements(*arg.Const) {
		g := int64(-1)
		switch v := scalarOf(v); v.Kind {
		case Long:
			g = v.N
		case String:
			g = int64(re.re.SubexpIndex(v.S))
		}
		if g < 1 || g > int64(re.re.NumSubexp()) {
			return nil, fmt.Errorf("extract_all: the regular expression has no group %s", v.S)
		}
		groups = append(groups, g)
	}
	if groups == nil {
		return nil, errors.New("extract_all: expected one group or more")
	}
	return groups, nil
}

// bindReplace binds replace_regex and replace, whose arguments are in another order.
func bindReplace(source, pattern, rewrite int) func([]Arg) (func([]Value) Value, error) {
	return func(args []Arg) (func([]Value) Value, error) {
		re, err := constRegex("replace_regex", args, pattern)
		if err != nil {
			return nil, err
		}
		text, err := constText("replace_regex", args, rewrite)
		if err != nil {
			return nil, err
		}
		parts, err := parseRewrite(text, re.re.NumSubexp())
		if err != nil {
			return nil, err
		}
		return func(a []Value) Value { return StringOf(replaceAll(re, toString(a[source]), parts)) }, nil
	}
}

// A rewritePart is a text and the group that follows it, -1 if none does.
type rewritePart struct {
	text  string
	group int64
}

// parseRewrite reads the rewrite of replace_regex: \0 to \9 are groups, \\ a backslash.
func parseRewrite(text string, groups int) (parts []rewritePart, err error) {
	var before strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			before.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return nil, errors.New(`replace_regex: a \ at the end of the rewrite`)
		}
		switch c := text[i]; {
		case c == '\\':
			before.WriteByte(c)
		case !isDigit(c), i+1 < len(text) && isDigit(text[i+1]):
			return nil, fmt.Errorf("replace_regex: %s in the rewrite is not supported here", text[i-1:min(i+2, len(text))])
		case int(c-'0') > groups:
			return nil, fmt.Errorf(`replace_regex: the regular expression has no group \%c`, c)
		default:
			parts = append(parts, rewritePart{before.String(), int64(c - '0')})
			before.Reset()
		}
	}
	return append(parts, rewritePart{before.String(), -1}), nil
}

func replaceAll(re *regex, text string, parts []rewritePart) string {
	all := re.findAll(text)
	if len(all) == 0 {
		return text
	}
	b := make([]byte, 0, len(text))
	last := 0
	for _, m := range all {
		b = append(b, text[last:m[0]]...)
		for _, p := range parts {
			b = append(append(b, p.text...), group(text, m, p.group)...)
		}
		last = m[1]
	}
	return string(append(b, text[last:]...))
}

// bindTrim binds trim and its like: one match at the beginning goes, one at the end, or both.
func bindTrim(start, end bool) func([]Arg) (func([]Value) Value, error) {
	return func(args []Arg) (func([]Value) Value, error) {
		re, err := constRegex("trim", args, 0)
		if err != nil {
			return nil, err
		}
		if literal, all := re.re.LiteralPrefix(); all {
			return func(a []Value) Value {
				text := toString(a[1])
				if start {
					text = strings.TrimPrefix(text, literal)
				}
				if end {
					text = strings.TrimSuffix(text, literal)
				}
				return StringOf(text)
			}, nil
		}
		pattern := toString(*args[0].Const)
		first, err := newRegex(`\A(?:` + pattern + `)`)
		if err != nil {
			return nil, err
		}
		last, err := newRegex(`(?:` + pattern + `)\z`)
		if err != nil {
			return nil, err
		}
		return func(a []Value) Value {
			text := toString(a[1])
			if start {
				if m := first.findFirst(text); m != nil {
					text = text[m[1]:]
				}
			}
			if end {
				if m := last.findFirst(text); m != nil {
					text = text[:m[0]]
				}
			}
			return StringOf(text)
		}, nil
	}
}

func bindHasAnyIndex(args []Arg) (func([]Value) Value, error) {
	if args[1].Const == nil {
		return func(a []Value) Value { return hasAnyIndex(toString(a[0]), wordMatchers(a[1])) }, nil
	}
	words := wordMatchers(*args[1].Const)
	return func(a []Value) Value { return hasAnyIndex(toString(a[0]), words) }, nil
}

func wordMatchers(array Value) (list []func(string) bool) {
	for v := range elements(array) {
		list = append(list, matcher("has", toString(v)))
	}
	return list
}

func hasAnyIndex(text string, words []func(string) bool) Value {
	for i, has := range words {
		if has(text) {
			return LongOf(int64(i))
		}
	}
	return LongOf(-1)
}

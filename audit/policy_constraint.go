package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolledger/chain"
)

// A constraint is what a rule wants of the argument at a path.
type constraint struct {
	path  string   // as it is written
	names []string // along the path
	tests []test
}

// A test is one thing that is wanted of a value, which is a scalar in canonical JSON.
type test struct {
	wants string // as in "inside '/srv'"
	holds func(value []byte) bool
}

// testNames are the members of a constraint.
var testNames = []string{"prefix", "glob", "regex", "one_of", "min", "max", "inside"}

// constraintOf reads a constraint, an object whose members all have to hold.
func constraintOf(path, v *jsonValue) (c constraint, err error) {
	what := "args." + visible(path.text)
	if c.names, err = pathNames(path.text); err != nil {
		return c, path.faultf("args: %s, found %s", err, quoteText(path.text))
	}
	c.path = path.text
	if err := v.object(what, testNames...); err != nil {
		return c, err
	}
	if len(v.names) == 0 {
		return c, v.faultf("%s: expected one of %s", what, strings.Join(testNames, ", "))
	}
	for i, name := range v.names {
		t, err := testOf(what+": "+name.text, name.text, v.values[i])
		if err != nil {
			return c, err
		}
		c.tests = append(c.tests, t)
	}
	if least, most := v.member("min"), v.member("max"); least != nil && most != nil && decimalOf(least.text).compare(decimalOf(most.text)) > 0 {
		return c, most.faultf("%s: max %s is less than min %s", what, most.text, least.text)
	}
	return c, nil
}

func testOf(what, name string, v *jsonValue) (test, error) {
	switch name {
	case "one_of":
		return oneOf(what, v)
	case "min", "max":
		return rangeOf(what, name, v)
	}
	list := []string{v.text}
	if v.kind != '"' {
		var err error
		if list, err = v.strings(what); err != nil {
			return test{}, v.faultf("%s: expected a string or an array of strings, found %s", what, v.found())
		}
	}
	var holds []func(string) bool
	for i, text := range list {
		one, err := textTest(name, text)
		if err != nil {
			at := v
			if v.kind == '[' {
				at = v.values[i]
			}
			return test{}, at.faultf("%s: %s%s", what, err, quoteText(text))
		}
		holds = append(holds, one)
	}
	return test{name + " " + listed(list), func(value []byte) bool {
		if value[0] != '"' {
			return false
		}
		text := chain.Unquote(value)
		return slices.ContainsFunc(holds, func(one func(string) bool) bool { return one(text) })
	}}, nil
}

// textTest is a test of strings.
func textTest(name, text string) (func(string) bool, error) {
	switch name {
	case "prefix":
		return func(s string) bool { return strings.HasPrefix(s, text) }, nil
	case "glob":
		return func(s string) bool { return glob(text, s) }, nil
	case "regex":
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("%s in ", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return re.MatchString, nil
	}
	f, err := folderOf(text)
	return f.contains, err
}

// oneOf is the test of a value that is one of several.
func oneOf(what string, v *jsonValue) (test, error) {
	if v.kind != '[' || len(v.values) == 0 {
		return test{}, v.faultf("%s: expected an array of at least one value, found %s", what, v.found())
	}
	var texts []string
	words := map[string]bool{} // strings, true, false and null, in canonical JSON
	var numbers []decimal
	for _, e := range v.values {
		texts = append(texts, e.text)
		switch e.kind {
		case '{', '[':
			return test{}, e.faultf("%s: expected strings, numbers, true, false or null, found %s", what, e.found())
		case '0':
			numbers = append(numbers, decimalOf(e.text))
		case '"':
			words[string(chain.Quote(e.text))] = true
		default:
			words[e.text] = true
		}
	}
	return test{"one_of " + listed(texts), func(value []byte) bool {
		if !isNumber(string(value)) {
			return words[string(value)]
		}
		d := decimalOf(string(value))
		return slices.ContainsFunc(numbers, func(n decimal) bool { return n.compare(d) == 0 })
	}}, nil
}

// rangeOf is the test of a number, or of a string that is one.
func rangeOf(what, name string, v *jsonValue) (test, error) {
	if v.kind != '0' {
		return test{}, v.faultf("%s: expected a number, found %s", what, v.found())
	}
	bound := decimalOf(v.text)
	return test{name + " " + v.text, func(value []byte) bool {
		text := string(value)
		if value[0] == '"' {
			text = chain.Unquote(value)
		}
		if !isNumber(text) {
			return false
		}
		c := decimalOf(text).compare(bound)
		return c == 0 || (c > 0) == (name == "min")
	}}, nil
}

// values calls yield with what the path leads to, nil where it leads to nothing: with each
// element where there is an array, at its end or on its way.
func (c *constraint) values(args []byte, yield func(value []byte)) {
	if len(args) == 0 {
		yield(nil)
		return
	}
	walk(args, c.names, yield)
}

func walk(value []byte, names []string, yield func([]byte)) {
	if value[0] == '[' {
		for _, e := range chain.Elements(value) {
			walk(e, names, yield)
		}
		return
	}
	if len(names) == 0 {
		yield(value)
		return
	}
	for name, member := range chain.Members(value) {
		if sameName(name, names[0]) {
			walk(member, names[1:], yield)
			return
		}
	}
	yield(nil)
}

// sameName tells whether a name in canonical JSON has these characters.
func sameName(quoted []byte, name string) bool {
	return string(quoted[1:len(quoted)-1]) == name && !strings.Contains(name, `\`) || chain.Unquote(quoted) == name
}

// check tells whether the arguments of a call are as the constraint wants. Of a rule that
// allows, all values have to be, and there has to be one; of one that denies, one value
// suffices. found is the first value that is not as wanted, nil if it is one that is absent,
// and unknown tells that it was removed.
func (c *constraint) check(a *Access, denies bool) (ok, unknown bool, found []byte) {
	some, all := false, true
	n := 0
	c.values(a.Args, func(value []byte) {
		n++
		if value != nil && c.holds(value) {
			some = true
			return
		}
		if all {
			found = value
		}
		all = false
	})
	if removed(a.Removed, c.names[0]) {
		return false, true, found
	}
	if denies {
		return some, false, found
	}
	return all && n > 0, false, found
}

func (c *constraint) holds(value []byte) bool {
	for i := range c.tests {
		if !c.tests[i].holds(value) {
			return false
		}
	}
	return true
}

// wants says what is wanted.
func (c *constraint) wants() string {
	texts := make([]string, len(c.tests))
	for i, t := range c.tests {
		texts[i] = t.wants
	}
	return "args." + visible(c.path) + " " + strings.Join(texts, " and ")
}

// listed shows texts.
func listed(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = quoteText(text)
	}
	return strings.Join(quoted, " or ")
}

// shown shows a value in canonical JSON.
func shown(value []byte) string {
	if value[0] == '"' {
		return quote(value)
	}
	return visible(string(value))
}

// removed tells whether an argument, or all of them, were removed.
func removed(pointers []string, name string) bool {
	return slices.Contains(pointers, "/args") || len(pointers) > 0 && slices.Contains(pointers, "/args/"+pointerEscaper.Replace(name))
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

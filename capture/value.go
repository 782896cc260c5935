package capture

import (
	"iter"
	"strconv"

	"toolledger/chain"
)

// A Value is a JSON value in canonical form; nil is none. What it returns points into it.
type Value []byte

// TextValue returns a string as a value.
func TextValue(text string) Value { return chain.AppendQuote(nil, []byte(text)) }

func (v Value) IsObject() bool { return len(v) > 0 && v[0] == '{' }
func (v Value) IsArray() bool  { return len(v) > 0 && v[0] == '[' }
func (v Value) IsText() bool   { return len(v) > 0 && v[0] == '"' }
func (v Value) IsNull() bool   { return len(v) > 0 && v[0] == 'n' }
func (v Value) IsTrue() bool   { return len(v) > 0 && v[0] == 't' }
func (v Value) IsNumber() bool { return len(v) > 0 && (v[0] == '-' || v[0]-'0' <= 9) }

// Has tells whether there is a value that is not null.
func (v Value) Has() bool { return len(v) > 0 && v[0] != 'n' }

// Get returns the member at a path of names, nil if there is none.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		v = v.member(name)
	}
	return v
}

func (v Value) member(want string) Value {
	for name, value := range chain.Members(v) {
		if string(name[1:len(name)-1]) == want {
			return value
		}
	}
	return nil
}

// First returns the first member that has a value, of several names for one thing.
func (v Value) First(names ...string) Value {
	for _, name := range names {
		if m := v.member(name); m.Has() {
			return m
		}
	}
	return nil
}

// Text returns the characters of a string, "" for any other value.
func (v Value) Text() string {
	if !v.IsText() {
		return ""
	}
	return chain.Unquote(v)
}

// Key returns what identifies something: the characters of a string, the token of a number.
func (v Value) Key() string {
	if v.IsNumber() {
		return string(v)
	}
	return v.Text()
}

// Float returns a number, or one that stands in a string.
func (v Value) Float() (float64, bool) {
	f, err := strconv.ParseFloat(v.Key(), 64)
	return f, err == nil
}

// Elements walks an array.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		for i, element := range chain.Elements(v) {
			if !yield(i, element) {
				return
			}
		}
	}
}

// Members walks an object, by the characters of its names.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for name, value := range chain.Members(v) {
			if !yield(chain.Unquote(name), value) {
				return
			}
		}
	}
}

// Plain returns the text of what a message holds: a string, or the texts of a list of parts.
func (v Value) Plain() string {
	if v.IsText() {
		return v.Text()
	}
	text := ""
	for _, part := range v.Elements() {
		t := part.Text()
		if part.IsObject() {
			t = part.Get("text").Text()
		}
		if t != "" && text != "" {
			text += "\n"
		}
		text += t
	}
	return text
}

// clone returns a value that does not change with what it was read from.
func (v Value) clone() Value {
	if v == nil {
		return nil
	}
	return append(Value{}, v...)
}

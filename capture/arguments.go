package capture

import "toolledger/chain"

// Arguments brings the arguments of a call to the object that an entry has, and says in which
// form they were if that was no object:
//
//	"json"     a string that holds an object, as OpenAI has it: ""
//	"empty"    an empty string: {}
//	"null"     null: {}
//	"text"     a string that holds no JSON object: {"input": the string}
//	"value"    any other value: {"input": the value}
//	"twice"    a string that holds a string that holds an object
//	"repaired" as "json", but not strict: a member twice, or no valid Unicode
//
// What a source does not show is absent.
func Arguments(v Value) (args Value, form string) {
	switch {
	case v == nil:
		return nil, ""
	case v.IsObject():
		return v.clone(), ""
	case v.IsNull():
		return Value("{}"), "null"
	case !v.IsText():
		return append(append(Value(`{"input":`), v...), '}'), "value"
	}
	text := v.Text()
	if text == "" {
		return Value("{}"), "empty"
	}
	inner, repaired := ParseValue([]byte(text))
	if inner.IsText() {
		if twice, _ := ParseValue([]byte(inner.Text())); twice.IsObject() {
			return twice, "twice"
		}
	}
	switch {
	case inner.IsObject() && repaired:
		return inner, "repaired"
	case inner.IsObject():
		return inner, ""
	}
	return append(append(Value(`{"input":`), v...), '}'), "text"
}

// ParseValue returns the one JSON value that a text holds, nil if it is none.
func ParseValue(text []byte) (v Value, repaired bool) {
	if v, err := chain.Canonical(nil, text); err == nil {
		return v, false
	}
	if values, err := repair(text); err == nil && len(values) == 1 {
		return values[0], true
	}
	return nil, false
}

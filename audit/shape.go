package audit

import (
	"maps"
	"slices"

	"toolledger/chain"
	"toolledger/query"
)

// shapeOf returns the shape of arguments: an object of the names of the members, in order, each
// with the name of its JSON type; of what is no object, the type. The text is JSON.
func shapeOf(args string) string {
	if args == "" {
		return ""
	}
	if args[0] != '{' {
		return `"` + typeOf([]byte(args)) + `"`
	}
	types := map[string]string{}
	for name, value := range chain.Members([]byte(args)) {
		types[string(name)] = typeOf(value)
	}
	out := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(types)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, name...), `:"`...), types[name]...), '"')
	}
	return string(append(out, '}'))
}

// typeOf names the type of a JSON value.
func typeOf(value []byte) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// shaped replaces the column of the arguments, and that of the removed values behind it, by
// one of their shapes: "" where there are none or where some were removed, which say nothing.
func shaped(b *query.Batch) (*query.Batch, error) {
	args, removed := b.Cols[actShape], b.Cols[actShape+1]
	shapes := make([]query.Value, b.N)
	text, shape := "", ""
	for row := range shapes {
		v := args.At(row)
		if v.Null || removedFrom(removed.At(row), "args") {
			shapes[row] = query.StringOf("")
			continue
		}
		if v.S != text { // a call's entries often follow each other
			text, shape = v.S, shapeOf(v.S)
		}
		shapes[row] = query.StringOf(shape)
	}
	return &query.Batch{N: b.N, Cols: append(slices.Clone(b.Cols[:actShape]), query.VectorOf(query.String, shapes))}, nil
}

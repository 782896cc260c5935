package audit

import (
	"slices"

	"toolledger/chain"
	"toolledger/query"
)

// texts makes batches of entries such as [entries] takes: args and response are what make
// appends of their canonical texts without the paths that are ignored, and the column removed
// has the flags.
type texts struct {
	args, response paths // that are ignored
	make           func(dst, canonical []byte) []byte
}

func (t *texts) batch(b *query.Batch) (*query.Batch, error) {
	out := &query.Batch{N: b.N, Cols: slices.Clone(b.Cols)}
	has := make([]query.Value, b.N)
	for row := range b.N {
		has[row] = query.LongOf(int64(t.removed(b.Cols[inRemoved].At(row))))
	}
	out.Cols[inArgs] = t.column(b.Cols[inArgs], t.args, has, func(v *query.Value) bool { return !v.Null }, hasArgs)
	// A response of null is one; what is absent has no text at all.
	out.Cols[inResponse] = t.column(b.Cols[inResponse], t.response, has, func(v *query.Value) bool { return v.S != "" }, hasResponse)
	out.Cols[inRemoved] = query.VectorOf(query.Long, has)
	return out, nil
}

// column makes a column of texts of one of JSON, and marks the rows that have one.
func (t *texts) column(v *query.Vector, ignored paths, has []query.Value, present func(*query.Value) bool, flag flags) *query.Vector {
	var all, source, canonical, rest []byte
	last, from, to := "", 0, 0 // of the row before that had one: its JSON, and its place in all
	type span struct{ from, to int }
	spans := make([]span, len(has))
	for row := range has {
		value := v.At(row)
		if !present(&value) {
			continue
		}
		has[row].N |= int64(flag)
		if value.S != last {
			last, from = value.S, len(all)
			source = append(source[:0], value.S...)
			var err error
			if canonical, err = chain.Canonical(canonical[:0], source); err != nil {
				canonical = append(canonical[:0], source...) // computed, and no text that an entry has
			} else if len(ignored) > 0 {
				rest = ignored.without(rest[:0], canonical)
				canonical, rest = rest, canonical
			}
			all = t.make(all, canonical)
			to = len(all)
		}
		spans[row] = span{from, to}
	}
	values, text := make([]query.Value, len(has)), string(all)
	for row, s := range spans {
		values[row] = query.StringOf(text[s.from:s.to])
	}
	return query.VectorOf(query.String, values)
}

// removed tells what of args and response was removed and is not ignored.
func (t *texts) removed(v query.Value) (f flags) {
	if v.Null {
		return 0
	}
	canonical, err := chain.Canonical(nil, []byte(v.S))
	if err != nil {
		return 0
	}
	for _, p := range chain.Elements(canonical) {
		if p[0] != '"' {
			continue
		}
		switch tokens := tokensOf(chain.Unquote(p)); {
		case tokens[0] == chain.Args.String() && !t.args.covers(tokens[1:]):
			f |= hasArgs | argsRemoved
		case tokens[0] == chain.Response.String() && !t.response.covers(tokens[1:]):
			f |= hasResponse | responseRemoved
		}
	}
	return f
}

package db

import (
	"slices"

	"toolledger/chain"
)

// An objectSplit is the objects of one member of the rows of a block, as their members.
type objectSplit struct {
	names  map[string]*subName
	fields []subField // of all rows
	ends   []int      // in fields, of each row

	columns [][][]byte // of the names that get one, and one for the rest
}

// A subName is a name that members of objects have.
type subName struct {
	name   string // in canonical JSON
	count  int    // rows that have it
	column int    // of those that get one; -1: it stands in the rest
}

type subField struct {
	name  *subName
	value []byte
}

// maxSubName is how long a name may be that gets a column.
const maxSubName = 1 << 10

// split takes the objects apart. A row whose value is the same as the one before has
// the same fields again; one whose value is not an object with members has none.
func (s *objectSplit) split(rows []row, m chain.Member) {
	s.names, s.ends = map[string]*subName{}, s.ends[:0]
	clear(s.fields)
	s.fields = s.fields[:0]
	var before []subField
	for i := range rows {
		v := rows[i].m[m]
		start := len(s.fields)
		switch {
		case i > 0 && v != nil && shared(v, rows[i-1].m[m]): // entries of one call mostly have the same
			s.fields = append(s.fields, before...)
		case isSplit(v):
			for name, value := range chain.Members(v) {
				n := len(s.fields) - start
				var sub *subName
				if n < len(before) && before[n].name.name == string(name) {
					sub = before[n].name // objects of one kind have the same members
				} else {
					sub = s.sub(name)
				}
				s.fields = append(s.fields, subField{sub, value})
			}
		}
		before = s.fields[start:]
		for _, f := range before {
			f.name.count++
		}
		s.ends = append(s.ends, len(s.fields))
	}
}

func isSplit(v []byte) bool { return len(v) > 2 && v[0] == '{' }

func (s *objectSplit) sub(name []byte) *subName {
	if sub := s.names[string(name)]; sub != nil {
		return sub
	}
	sub := &subName{name: string(name), column: -1}
	s.names[sub.name] = sub
	return sub
}

// frequent chooses the names that get a column, in canonical order.
func (s *objectSplit) frequent(rows int) []*subName {
	var chosen []*subName
	for _, sub := range s.names {
		if sub.count > rows/100 && len(sub.name) < maxSubName {
			chosen = append(chosen, sub)
		}
	}
	byName := func(a, b *subName) int { return chain.CompareNames([]byte(a.name), []byte(b.name)) }
	slices.SortFunc(chosen, func(a, b *subName) int {
		if n := b.count - a.count; n != 0 {
			return n
		}
		return byName(a, b)
	})
	chosen = chosen[:min(len(chosen), maxSubs/3)]
	slices.SortFunc(chosen, byName)
	for i, sub := range chosen {
		sub.column = i
	}
	return chosen
}

// encodeObject encodes args, metadata or response: its frequent members in columns of
// their own, everything else in a column for the rest. The rest of a row is
//
//	absent           the member is absent, or all of it is in the columns
//	a larger object  what is not in the columns, at least one member
//	any other value  the value itself
func (e *blockEncoder) encodeObject(rows []row, m chain.Member) {
	s := &e.object
	s.split(rows, m)
	names := s.frequent(len(rows))
	for len(s.columns) <= len(names) {
		s.columns = append(s.columns, make([][]byte, blockRows))
	}
	columns, rest := s.columns[:len(names)], s.columns[len(names)][:len(rows)]
	for i := range columns {
		columns[i] = columns[i][:len(rows)]
		clear(columns[i])
	}
	start := 0
	for i, end := range s.ends {
		fields := s.fields[start:end]
		start = end
		v := rows[i].m[m]
		switch {
		case len(fields) == 0 || len(names) == 0:
			rest[i] = e.value(colJSON, v)
		case i > 0 && shared(v, rows[i-1].m[m]):
			for c := range columns {
				columns[c][i] = columns[c][i-1]
			}
			rest[i] = rest[i-1]
		default:
			rest[i] = e.place(fields, columns, i)
		}
	}
	for c, sub := range names {
		e.column(colName{m, colJSON, sub.name}, columns[c])
	}
	e.column(colName{member: m, kind: colJSON}, rest)
}

// place puts the fields of a row into its columns and returns the rest.
func (e *blockEncoder) place(fields []subField, columns [][][]byte, row int) (rest []byte) {
	for _, f := range fields {
		if f.name.column >= 0 {
			columns[f.name.column][row] = e.value(colJSON, f.value)
			continue
		}
		rest = append(append(append(append(rest, ','), f.name.name...), ':'), f.value...)
	}
	if rest != nil {
		rest[0] = '{'
		rest = append(rest, '}')
	}
	return rest
}

package db

import (
	"slices"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// An objectSplit is the objects of one member of the rows of a block, as their members.
type objectSplit struct {
	names  map[string]*subName
	fields []subField // of all runs of rows
	ends   []int      // in fields, of each run

	columns [][]column.Run // of the names that get one, and one for the rest
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

// split takes the objects apart. One whose value is not an object with members has none.
func (s *objectSplit) split(rows *rowSet, m chain.Member) {
	s.names, s.ends = map[string]*subName{}, s.ends[:0]
	clear(s.fields)
	s.fields = s.fields[:0]
	var before []subField
	for run, end := range rows.values(m) {
		start := len(s.fields)
		if isSplit(run.Value) {
			for name, value := range chain.Members(run.Value) {
				n := len(s.fields) - start
				var sub *subName
				if n < len(before) && before[n].name.name == string(name) {
					sub = before[n].name // objects of one kind have the same members
				} else {
					sub = s.sub(name)
				}
				sub.count += end - run.First
				s.fields = append(s.fields, subField{sub, value})
			}
			before = s.fields[start:]
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
func (e *blockEncoder) encodeObject(rows *rowSet, m chain.Member) {
	s := &e.object
	s.split(rows, m)
	names := s.frequent(len(rows.rows))
	for len(s.columns) <= len(names) {
		s.columns = append(s.columns, nil)
	}
	columns, rest := s.columns[:len(names)], s.columns[len(names)][:0]
	for c := range columns {
		columns[c] = columns[c][:0]
	}
	first := 0
	for i, run := range rows.runs[m] {
		fields := s.fields[first:s.ends[i]]
		first = s.ends[i]
		for c := range columns {
			columns[c] = append(columns[c], column.Run{First: run.First})
		}
		left := column.Run{First: run.First}
		if len(fields) == 0 || len(names) == 0 {
			left.Value = e.value(colJSON, run.Value)
		} else {
			left.Value = e.place(fields, columns)
		}
		rest = append(rest, left)
	}
	s.columns[len(names)] = rest
	for c, sub := range names {
		e.column(colName{m, colJSON, sub.name}, columns[c])
	}
	e.column(colName{member: m, kind: colJSON}, rest)
}

// place puts the fields of a run into the last runs of their columns and returns the rest.
func (e *blockEncoder) place(fields []subField, columns [][]column.Run) (rest []byte) {
	for _, f := range fields {
		if f.name.column >= 0 {
			runs := columns[f.name.column]
			runs[len(runs)-1].Value = e.value(colJSON, f.value)
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

package column

// Plain returns a reader of rows that are in memory, nil for an absent one, as Encode and
// Open would, without packing them. It keeps the rows. It panics as Encode does.
func Plain(rows [][]byte) *Reader {
	if len(rows) > MaxRows {
		panic("column: more rows than a block has")
	}
	r := &Reader{rows: len(rows), codes: make([]uint16, len(rows))}
	var values [][]byte
	code := make(map[string]uint16)
	for i, v := range rows {
		switch {
		case v == nil:
		case i > 0 && shared(v, rows[i-1]):
			r.codes[i] = r.codes[i-1]
		default:
			c, known := code[string(v)]
			if !known {
				values = append(values, v)
				c = uint16(len(values))
				code[string(v)] = c
			}
			r.codes[i] = c
		}
	}
	r.distinct = len(values)
	if r.least, r.most, r.integers = intRange(values); r.distinct == 0 {
		return r
	}
	v := &valueReader{r: r, exact: true, pages: []pageRef{{values: r.distinct}}, starts: make([]int, 1, r.distinct+1)}
	for _, value := range values { // the page is loaded
		v.raw = append(v.raw, value...)
		v.starts = append(v.starts, len(v.raw))
	}
	r.values = plainReader{v}
	return r
}

// A plainReader keeps its values when it is released: they are in no page.
type plainReader struct{ *valueReader }

func (plainReader) release() {}

// shared tells whether two values are one piece of memory.
func shared(a, b []byte) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

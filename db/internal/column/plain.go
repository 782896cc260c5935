package column

// Plain returns a reader of rows that are in memory, as EncodeRuns and Open would, without
// packing them.
func Plain(rows int, runs []Run) *Reader {
	r := &Reader{rows: rows, codes: make([]uint16, 0, rows)}
	var values [][]byte
	known := make(map[string]uint16)
	for i, run := range runs {
		var code uint16
		if run.Value != nil {
			if code = known[string(run.Value)]; code == 0 {
				values = append(values, run.Value)
				code = uint16(len(values))
				known[string(run.Value)] = code
			}
		}
		r.codes = appendCode(r.codes, code, runs[i:], rows)
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

package query

import (
	"slices"
	"strconv"
	"strings"

	"toolledger/chain"
	"toolledger/db"
)

// columnOf returns a member of a block as a lazy vector.
func columnOf(b *db.Block, m chain.Member, k Kind) *Vector {
	return &Vector{Kind: k, from: &memberColumn{&blockAt{b: b, first: b.First(), rows: b.Rows()}, m, k}}
}

// A memberColumn is a member of the entries of a block.
type memberColumn struct {
	at   *blockAt
	m    chain.Member
	kind Kind
}

func (c *memberColumn) fill(v *Vector, rows []int) error {
	if err := c.fillStored(v, rows); err != nil || !c.m.IsPayload() {
		return err
	}
	return markRemoved(v, c.at, rows, "/"+c.m.String())
}

func (c *memberColumn) fillStored(v *Vector, rows []int) error {
	b, err := c.at.read()
	if err != nil {
		return err
	}
	switch {
	case c.m == chain.Index:
		return c.fillIndex(b, v, rows)
	case c.kind == Datetime:
		return c.fillTimes(b, v, rows)
	case c.kind == Dynamic:
		return c.fillDynamic(b, v, rows)
	}
	d, err := b.Column(c.m, "")
	if err != nil {
		return err
	}
	if d == nil {
		*v = *Repeated(NullOf(c.kind))
		return nil
	}
	codes, err := codesOf(d, rows)
	if err != nil {
		return err
	}
	return fillCoded(v, c.at, codes, d, func(text []byte) Value { return valueOf(c.kind, text) })
}

func (c *memberColumn) fillIndex(b *db.Block, v *Vector, rows []int) error {
	var index []uint64
	var err error
	if rows == nil {
		index, err = b.Indexes()
	} else {
		index, err = b.IndexesAt(short(rows))
	}
	if err != nil {
		return err
	}
	ints := make([]int64, len(index))
	for i, n := range index {
		ints[i] = int64(n)
	}
	*v = *intsOf(Long, ints)
	return nil
}

func (c *memberColumn) fillTimes(b *db.Block, v *Vector, rows []int) error {
	ticks, rest, err := b.Times(c.m)
	if err != nil {
		return err
	}
	if rest == nil { // the ledger holds no time beyond the year 9999
		*v = Vector{Kind: Datetime, ints: ticks}
		if rows != nil {
			*v = *v.Take(rows)
		}
		return nil
	}
	if rows == nil {
		rows = c.at.all()
	}
	values := make([]Value, len(rows))
	for i, row := range rows {
		values[i] = DatetimeOf(ticks[row], uint8(rest[row]))
	}
	*v = *VectorOf(Datetime, values)
	return nil
}

// fillDynamic fills a vector of JSON.
func (c *memberColumn) fillDynamic(b *db.Block, v *Vector, rows []int) error {
	if rows == nil {
		rows = c.at.all()
	}
	texts, err := b.Members(c.m, short(rows))
	if err != nil {
		return err
	}
	var values []Value
	codes := make([]uint16, len(texts))
	for i, text := range texts {
		if i == 0 || !sameBytes(text, texts[i-1]) {
			value := NullOf(Dynamic)
			if text != nil {
				value = DynamicOf(string(text))
			}
			values = append(values, value)
		}
		codes[i] = uint16(len(values) - 1)
	}
	*v = *Coded(Dynamic, values, codes)
	return nil
}

// fillMember reads the column that a block has for a member, or looks for it in what has
// none.
func (c *memberColumn) fillMember(v *Vector, name string, rows []int) (bool, error) {
	if !hasMembers(c.m) {
		return false, nil
	}
	ok, err := c.fillStoredMember(v, name, rows)
	if ok && err == nil {
		err = markRemoved(v, c.at, rows, "/"+c.m.String()+"/"+pointerEscaper.Replace(name))
	}
	return ok, err
}

// pointerEscaper makes a token of a pointer of a name.
var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (c *memberColumn) fillStoredMember(v *Vector, name string, rows []int) (bool, error) {
	b, err := c.at.read()
	if err != nil {
		return false, err
	}
	d, err := b.Column(c.m, name)
	valueOf := dynamicOf
	if d == nil && err == nil {
		d, err = b.Column(c.m, "") // has what is in no column
		valueOf = func(text []byte) Value { return memberOf(dynamicOf(text), name) }
	}
	switch {
	case err != nil:
		return false, err
	case d == nil:
		*v = *Repeated(NullOf(Dynamic))
		return true, nil
	}
	codes, err := codesOf(d, rows)
	if err != nil {
		return false, err
	}
	return true, fillCoded(v, c.at, codes, d, valueOf)
}

// hasMembers tells whether blocks may have members of a member as columns of their own.
func hasMembers(m chain.Member) bool {
	return m == chain.Args || m == chain.Response || m == chain.Metadata
}

// apart tells of which columns members may be read without the rest.
func (l *ledgerScan) apart(column string) bool {
	return slices.ContainsFunc(entryColumns, func(c entryColumn) bool { return c.m.String() == column && hasMembers(c.m) })
}

// digits reads up to fifteen digits, which a real holds exactly.
func digits(text []byte) (n int64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(text) > 0 && len(text) <= 15
}

// dynamicOf makes a value of the JSON that a column stores: of a string, a quote and its
// characters.
func dynamicOf(text []byte) Value {
	if len(text) > 0 && text[0] == '"' {
		return DynamicOf(string(chain.AppendQuote(nil, text[1:])))
	}
	return DynamicOf(string(text))
}

// A seqColumn is the place in the ledger.
type seqColumn struct{ at *blockAt }

func (c seqColumn) fill(v *Vector, rows []int) error {
	if rows == nil {
		rows = c.at.all()
	}
	ints := make([]int64, len(rows))
	for i, row := range rows {
		ints[i] = int64(c.at.first) + int64(row)
	}
	*v = *intsOf(Long, ints)
	return nil
}

// A responseColumn tells which rows have a response.
type responseColumn struct{ at *blockAt }

func (c responseColumn) fill(v *Vector, rows []int) error {
	if rows == nil {
		rows = c.at.all()
	}
	b, err := c.at.read()
	if err != nil {
		return err
	}
	texts, err := b.Members(chain.Response, short(rows))
	if err != nil {
		return err
	}
	removed, err := c.at.removedIn()
	if err != nil {
		return err
	}
	ints := make([]int64, len(texts))
	for i, text := range texts {
		if text != nil || removed != nil && isGone(removed[rows[i]], "/response") {
			ints[i] = 1
		}
	}
	*v = *intsOf(Bool, ints)
	return nil
}

func codesOf(c *db.Column, rows []int) ([]uint16, error) {
	if rows == nil || len(rows)*4 > c.Rows() {
		codes, err := c.Codes()
		if err != nil || rows == nil {
			return codes, err
		}
		out := make([]uint16, len(rows))
		for i, row := range rows {
			out[i] = codes[row]
		}
		return out, nil
	}
	return c.CodesAt(make([]uint16, 0, len(rows)), short(rows), nil)
}

func short(rows []int) []uint16 {
	out := make([]uint16, len(rows))
	for i, row := range rows {
		out[i] = uint16(row)
	}
	return out
}

// fillCoded decodes the values that the codes name, each once. What it takes memory for belongs
// to the block.
func fillCoded(v *Vector, at *blockAt, codes []uint16, c *db.Column, valueOf func(text []byte) Value) error {
	var text []byte
	decode := func(code uint16) (value Value, err error) {
		if code == 0 {
			return NullOf(v.Kind), nil
		}
		if text, err = c.Value(text[:0], code); err == nil {
			value = valueOf(text)
		}
		return value, err
	}
	if len(codes) == c.Rows() { // every value is in a row
		values := at.takeValues(c.Distinct() + 1)
		for code := range values {
			var err error
			if values[code], err = decode(uint16(code)); err != nil {
				return err
			}
		}
		*v = *Coded(v.Kind, values, codes)
		return nil
	}
	place := make([]uint16, c.Distinct()+1) // of each code, plus one
	var values []Value
	out := make([]uint16, len(codes))
	for i, code := range codes {
		if place[code] == 0 {
			value, err := decode(code)
			if err != nil {
				return err
			}
			values = append(values, value)
			place[code] = uint16(len(values))
		}
		out[i] = place[code] - 1
	}
	*v = *Coded(v.Kind, values, out)
	return nil
}

// valueOf makes a value of what a column stores.
func valueOf(k Kind, text []byte) Value {
	if k == Real {
		if n, ok := digits(text); ok {
			return RealOf(float64(n))
		}
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return NullOf(Real)
		}
		return RealOf(f)
	}
	return StringOf(string(text))
}

// sameBytes tells whether two values are one piece of memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

package query

import (
	"strconv"
	"toolledger/chain"
	"toolledger/db"
)

// columnOf returns a member of a block as a lazy vector.
func columnOf(b *db.Block, m chain.Member, k Kind) *Vector {
	switch {
	case m == chain.Index:
		return each(b, Long, func(row int) (Value, error) {
			n, err := b.Index(row)
			return LongOf(int64(n)), err
		})
	case k == Datetime:
		var ticks, rest []int64
		return each(b, Datetime, func(row int) (v Value, err error) {
			if ticks == nil {
				ticks, rest, err = b.Times(m)
			}
			if err != nil {
				return v, err
			}
			if rest == nil {
				return DatetimeOf(ticks[row], 0), nil
			}
			return DatetimeOf(ticks[row], uint8(rest[row])), nil
		})
	case k == Dynamic:
		return dynamicOf(b, m, nil)
	}
	return dictionaryOf(b, m, k, nil)
}

// each is a vector whose rows are computed one by one.
func each(b *db.Block, k Kind, at func(row int) (Value, error)) *Vector {
	some := func(rows []int) ([]Value, error) {
		values := make([]Value, len(rows))
		for i, row := range rows {
			var err error
			if values[i], err = at(row); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
	var make func(rows []int) *Vector
	make = func(rows []int) *Vector {
		return Lazy(k, func(v *Vector) error {
			all := rows
			if all == nil {
				all = allRows(b)
			}
			values, err := some(all)
			if err == nil {
				*v = *VectorOf(k, values)
			}
			return err
		}, func(take []int) *Vector { return make(through(rows, take)) })
	}
	return make(nil)
}

func allRows(b *db.Block) []int {
	rows := make([]int, b.Rows())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// through returns the rows of a block that are at places among rows.
func through(rows, places []int) []int {
	if rows == nil {
		return places
	}
	out := make([]int, len(places))
	for i, p := range places {
		out[i] = rows[p]
	}
	return out
}

// dictionaryOf is a column whose values stand once each.
func dictionaryOf(b *db.Block, m chain.Member, k Kind, rows []int) *Vector {
	return Lazy(k, func(v *Vector) error {
		c, err := b.Column(m, "")
		if err != nil {
			return err
		}
		if c == nil {
			*v = *Repeated(NullOf(k))
			return nil
		}
		codes, err := codesOf(c, rows)
		if err != nil {
			return err
		}
		return fillCoded(v, k, codes, c)
	}, func(take []int) *Vector { return dictionaryOf(b, m, k, through(rows, take)) })
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
	return c.CodesAt(make([]uint16, 0, len(rows)), short(rows))
}

func short(rows []int) []uint16 {
	out := make([]uint16, len(rows))
	for i, row := range rows {
		out[i] = uint16(row)
	}
	return out
}

// fillCoded decodes the values that the codes name, each once.
func fillCoded(v *Vector, k Kind, codes []uint16, c *db.Column) error {
	place := make([]uint32, c.Distinct()+1) // of each code, plus one
	var values []Value
	out := make([]uint32, len(codes))
	var text []byte
	for i, code := range codes {
		if place[code] == 0 {
			value := NullOf(k)
			if code != 0 {
				var err error
				if text, err = c.Value(text[:0], code); err != nil {
					return err
				}
				value = valueOf(k, text)
			}
			values = append(values, value)
			place[code] = uint32(len(values))
		}
		out[i] = place[code] - 1
	}
	*v = *Coded(k, values, out)
	return nil
}

// valueOf makes a value of what a column stores.
func valueOf(k Kind, text []byte) Value {
	if k == Real {
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return NullOf(Real)
		}
		return RealOf(f)
	}
	return StringOf(string(text))
}

// dynamicOf is a member that is JSON.
func dynamicOf(b *db.Block, m chain.Member, rows []int) *Vector {
	return Lazy(Dynamic, func(v *Vector) error {
		all := rows
		if all == nil {
			all = allRows(b)
		}
		texts, err := b.Members(m, short(all))
		if err != nil {
			return err
		}
		var values []Value
		codes := make([]uint32, len(texts))
		for i, text := range texts {
			if i == 0 || !sameBytes(text, texts[i-1]) {
				value := NullOf(Dynamic)
				if text != nil {
					value = DynamicOf(string(text))
				}
				values = append(values, value)
			}
			codes[i] = uint32(len(values) - 1)
		}
		*v = *Coded(Dynamic, values, codes)
		return nil
	}, func(take []int) *Vector { return dynamicOf(b, m, through(rows, take)) })
}

// sameBytes tells whether two values are one piece of memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// fillHas tells which rows have a response.
func fillHas(b *db.Block, v *Vector) error {
	texts, err := b.Members(chain.Response, short(allRows(b)))
	if err != nil {
		return err
	}
	values := make([]Value, len(texts))
	for i, text := range texts {
		values[i] = BoolOf(text != nil)
	}
	*v = *VectorOf(Bool, values)
	return nil
}

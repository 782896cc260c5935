package column

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomCodes returns the codes of rows, numbered in order of first appearance: absent and
// fresh are the shares of rows that begin a run without a value, and with a new one.
func randomCodes(r *rand.Rand, rows, longest int, absent, fresh float64) (codes []uint16, distinct int) {
	for len(codes) < rows {
		code := 0
		switch x := r.Float64(); {
		case x < absent:
		case x < absent+fresh || distinct == 0:
			distinct++
			code = distinct
		default:
			code = 1 + r.IntN(distinct)
		}
		for n := 1 + r.IntN(longest); n > 0 && len(codes) < rows; n-- {
			codes = append(codes, uint16(code))
		}
	}
	return codes, distinct
}

func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var p codePacker
	var pack packer
	seen := map[int]int{} // parts in each layout
	for i := range 400 {
		rows := 1 + r.IntN(MaxRows)
		longest := []int{1, 4, 40, 3000}[i%4]
		absent, fresh := []float64{0, 0.3, 0.9, 1}[i/4%4], []float64{0, 0.01, 0.3, 1}[i/16%4]
		codes, distinct := randomCodes(r, rows, longest, absent, fresh)
		name := fmt.Sprintf("%d rows, runs of up to %d, %v absent, %v new", rows, longest, absent, fresh)
		data := p.append(nil, codes, &pack)
		for c := (cursor{data: data}); len(c.data) > 0; {
			part := cursor{data: c.bytes(c.uvarint(1 << 20))}
			_, layout := part.codeHead(distinct)
			seen[layout]++
		}
		got, err := decodeCodes(nil, data, rows, distinct, nil, nil)
		if err != nil || !slices.Equal(got, codes) {
			t.Fatalf("%s: other codes, %v", name, err)
		}
		var at, want []uint16
		for row := r.IntN(100); row < rows; row += 1 + r.IntN(1500) {
			at, want = append(at, uint16(row)), append(want, codes[row])
		}
		if got, err := decodeCodes(nil, data, rows, distinct, at, nil); len(at) > 0 && (err != nil || !slices.Equal(got, want)) {
			t.Fatalf("%s: codes of rows %v are %v, %v, want %v", name, at, got, err, want)
		}
		if distinct == 0 {
			continue
		}
		code := uint16(1 + r.IntN(distinct))
		want = want[:0]
		for row, c := range codes {
			if c == code {
				want = append(want, uint16(row))
			}
		}
		if got, err := decodeRows(nil, data, rows, distinct, code); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: rows with %d are %v, %v, want %v", name, code, got, err, want)
		}
	}
	for _, layout := range []int{layoutPacked, layoutBits, layoutSparse} {
		if seen[layout] < 10 {
			t.Errorf("%d parts have layout %d", seen[layout], layout)
		}
	}
}

// Every layout holds every codes, whether it is the one that is taken or not.
func TestCodeLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var p codePacker
	for i := range 2000 {
		rows, before := 1+r.IntN(codeRows), r.IntN(3)*r.IntN(4000)
		codes, distinct := randomCodes(r, rows, []int{1, 3, 30, 2000}[i%4], float64(r.IntN(3))/3, float64(r.IntN(4))/6)
		for k, code := range codes {
			if code > 0 {
				codes[k] += uint16(before) // some of which come again
				if before > 0 && r.IntN(5) == 0 {
					codes[k] = uint16(1 + r.IntN(before))
				}
			}
		}
		last := before + distinct
		if newest := int(slices.Max(codes)); newest > before {
			last = newest
		}
		for k, seen := 0, before; k < rows; k++ { // no new code is left out
			if int(codes[k]) > seen {
				seen++
				codes[k] = uint16(seen)
			}
			last = seen
		}
		layouts := map[int][]byte{layoutBits: slices.Clone(p.asBits(codes, uint16(before)))}
		if sparse := p.asSparse(codes, uint16(before)); sparse != nil {
			layouts[layoutSparse] = slices.Clone(sparse)
		}
		for layout, data := range layouts {
			c := cursor{data: data}
			out := make([]uint16, rows+runSlack)[:rows]
			newest, err := c.bitLayout(out, layout, before, last)
			if err != nil || newest != last || !slices.Equal(out, codes) {
				t.Fatalf("layout %d of %v behind %d: %v, newest %d of %d, %v", layout, codes, before, out, newest, last, err)
			}
			damage := slices.Clone(data)
			damage[r.IntN(len(damage))] ^= 1 << r.IntN(8)
			c = cursor{data: damage[:r.IntN(len(damage)+1)]}
			if _, err := c.bitLayout(out, layout, before, last); err == nil && int(slices.Max(out)) > last {
				t.Fatalf("layout %d: code %d of %d, and no error", layout, slices.Max(out), last)
			}
		}
	}
}

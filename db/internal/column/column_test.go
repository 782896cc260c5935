package column

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// checkRoundTrip encodes rows and requires them back, by row and by code, and the
// pages as they were.
func checkRoundTrip(tb testing.TB, e *Encoder, rows [][]byte) {
	tb.Helper()
	r := reader(tb, e, rows)
	stored := slices.Clone(e.sections.pages)
	defer func() {
		if !bytes.Equal(stored, e.sections.pages) {
			tb.Error("reading wrote to a page")
		}
	}()
	codes, err := r.Codes()
	if err != nil {
		tb.Fatalf("Codes: %v", err)
	}
	if len(codes) != len(rows) {
		tb.Fatalf("%d codes for %d rows", len(codes), len(rows))
	}
	newest := 0
	seen := map[string]uint16{}
	for i, want := range rows {
		got, ok, err := r.Row([]byte("x"), i)
		if err != nil {
			tb.Fatalf("Row(%d): %v", i, err)
		}
		if ok != (want != nil) || !bytes.Equal(got[1:], want) || got[0] != 'x' {
			tb.Fatalf("Row(%d) = %.100q, %v, want %.100q, %v", i, got[1:], ok, want, want != nil)
		}
		if want == nil {
			continue
		}
		if seen[string(want)] == 0 {
			newest++
			seen[string(want)] = uint16(newest)
		}
		if codes[i] != seen[string(want)] {
			tb.Fatalf("code of row %d is %d, want %d", i, codes[i], seen[string(want)])
		}
	}
	if r.Distinct() != newest {
		tb.Fatalf("Distinct = %d, want %d", r.Distinct(), newest)
	}
	checkFew(tb, e, rows, codes)
}

// checkFew reads the codes of some rows, and codes of values.
func checkFew(tb testing.TB, e *Encoder, rows [][]byte, codes []uint16) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(len(rows)), 1))
	r := reader(tb, e, rows)                          // has read no codes
	for _, odds := range []int{1, 2, 1000, 1 << 20} { // one row of so many
		few, want := []uint16{}, []uint16{}
		for row, code := range codes {
			if rng.IntN(odds) == 0 {
				few, want = append(few, uint16(row)), append(want, code)
			}
		}
		var memo *CodeMemo
		if odds > 1 {
			memo = new(CodeMemo)
			if _, err := r.CodesAt(nil, few, memo); err != nil {
				tb.Fatal(err)
			}
		}
		got, err := r.CodesAt(nil, few, memo)
		if err != nil || !slices.Equal(got, want) {
			tb.Fatalf("CodesAt(%d rows of %d) = %v, %v, want %v", len(few), len(rows), got, err, want)
		}
	}
	for range min(20, len(rows)) {
		i := rng.IntN(len(rows))
		if code, err := r.Find(rows[i]); rows[i] != nil && (err != nil || code != codes[i]) {
			tb.Fatalf("Find(%.100q) = %d, %v, want %d", rows[i], code, err, codes[i])
		}
	}
	for range min(3, r.Distinct()) {
		code, want := uint16(rng.IntN(r.Distinct())+1), []uint16(nil)
		for row, c := range codes {
			if c == code {
				want = append(want, uint16(row))
			}
		}
		if got, err := r.RowsWith(nil, code); err != nil || !slices.Equal(got, want) {
			tb.Fatalf("RowsWith(%d) = %v, %v, want %v", code, got, err, want)
		}
	}
	other := []byte("no row has this: \x00")
	if code, err := r.Find(other); err != nil || code != 0 {
		tb.Fatalf("Find(%q) = %d, %v, want 0", other, code, err)
	}
	r.Release()
	for i := 0; i < len(rows); i += 97 { // it reads again what it gave back
		want := rows[i]
		if got, ok, err := r.Row(nil, i); err != nil || ok != (want != nil) || !bytes.Equal(got, want) {
			tb.Fatalf("Row(%d) after Release = %.100q, %v, %v, want %.100q", i, got, ok, err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	var e Encoder // the same for all, so that a buffer not reset shows
	for seed, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, n := range []int{MaxRows, 1, 2, 100, 3000} {
				rows := k.rows(n, uint64(seed))
				checkRoundTrip(t, &e, rows)
				r := rand.New(rand.NewPCG(uint64(n), 1))
				for range n / 3 {
					rows[r.IntN(n)] = nil
				}
				checkRoundTrip(t, &e, rows)
			}
		})
	}
}

func TestRoundTripShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	huge := bytes.Repeat([]byte(english(r, 1000)), 3<<20/6000)
	noise := []byte(randomBytes(r, 3<<20))
	many := func(v ...[]byte) (rows [][]byte) {
		for i := range 1000 {
			rows = append(rows, v[i%len(v)])
		}
		return rows
	}
	long := func(n int) (rows [][]byte) {
		for range n {
			rows = append(rows, []byte(english(r, 30000)))
		}
		return rows
	}
	tests := []struct {
		name string
		rows [][]byte
	}{
		{"no rows", nil},
		{"one absent", [][]byte{nil}},
		{"all absent", make([][]byte, MaxRows)},
		{"one empty", [][]byte{{}}},
		{"absent and empty", many(nil, []byte{})},
		{"one huge", [][]byte{noise}},
		{"huge and repeated", many(huge, noise, nil)},
		{"huge text after small", append(kinds[0].rows(3000, 1), huge, huge[1:])},
		{"long text", long(60)},
		{"zeros", [][]byte{make([]byte, 5<<20)}},
		{"growing", func() (rows [][]byte) {
			for i := range MaxRows {
				rows = append(rows, noise[:i])
			}
			return rows
		}()},
	}
	var e Encoder
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { checkRoundTrip(t, &e, test.rows) })
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, rows := range map[string][][]byte{
		"too many rows":  make([][]byte, MaxRows+1),
		"too long value": {make([]byte, MaxValue+1)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Encode did not panic", name)
				}
			}()
			new(Encoder).Encode(rows)
		}()
	}
}

// TestDeterministic requires the same bytes of an Encoder that was used before, and
// of one that was not.
func TestDeterministic(t *testing.T) {
	var used Encoder
	used.Encode(kinds[2].rows(MaxRows, 9))
	for _, k := range kinds {
		rows := k.rows(3000, 1)
		meta, pages := new(Encoder).Encode(rows)
		again, pagesAgain := used.Encode(rows)
		if !bytes.Equal(meta, again) || !slices.EqualFunc(pages, pagesAgain, bytes.Equal) {
			t.Errorf("%s: two Encoders made different bytes", k.name)
		}
	}
}

// TestEncodings pins which encoding a kind of column gets, and what it may cost: a
// change that loses the right one would else show only in a benchmark.
func TestEncodings(t *testing.T) {
	tests := []struct {
		kind   string
		reader valuesReader
		most   float64 // bytes a row
	}{
		{"reasoning", &textReader{}, 8},
		{"natural", &textReader{}, 24},
		{"chinese", &textReader{}, 3.4},
		{"id", &templateReader{}, 0.8},
		{"request", &templateReader{}, 2.9},
		{"uuid", &templateReader{}, 5.5},
		{"session", &templateReader{}, 0.7},
		{"path", &templateReader{}, 0.9},
		{"integer", &templateReader{}, 2.5},
		{"clock", &templateReader{}, 1.3},
		{"tool", &valueReader{}, 0.3},
		{"agent", &valueReader{}, 0.4},
		{"phase", &valueReader{}, 0.26},
		{"constant", &valueReader{}, 0.02},
		{"token", &valueReader{}, 7},
	}
	var e Encoder
	for _, test := range tests {
		k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == test.kind })]
		rows := k.rows(MaxRows, 2)
		r := reader(t, &e, rows)
		if got, want := reflect.TypeOf(r.values), reflect.TypeOf(test.reader); got != want {
			t.Errorf("%s: read by a %v, want %v", k.name, got, want)
		}
		if got := float64(size(e.Encode(rows))) / MaxRows; got > test.most {
			t.Errorf("%s: %.2f bytes a row, want at most %.2f", k.name, got, test.most)
		}
	}
}

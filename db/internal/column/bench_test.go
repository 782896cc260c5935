package column

import "testing"

// size returns the bytes of an encoded column.
func size(meta []byte, pages [][]byte) int {
	n := len(meta)
	for _, p := range pages {
		n += len(p)
	}
	return n
}

func BenchmarkEncode(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			rows := k.rows(MaxRows, 1)
			var e Encoder
			stored := 0
			b.ReportAllocs()
			for b.Loop() {
				stored = size(e.Encode(rows))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/MaxRows, "ns/row")
			b.ReportMetric(float64(stored)/MaxRows, "B/row")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			var e Encoder
			meta, pages := e.Encode(k.rows(MaxRows, 1))
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst = decodeAll(b, dst, meta, pages)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/MaxRows, "ns/row")
		})
	}
}

// decodeAll reads all codes and all values of a column, into one buffer.
func decodeAll(b *testing.B, dst, meta []byte, pages [][]byte) []byte {
	r, err := Open(meta, func(i int) ([]byte, error) { return pages[i], nil })
	if err != nil {
		b.Fatal(err)
	}
	if _, err := r.Codes(); err != nil {
		b.Fatal(err)
	}
	dst = dst[:0]
	for code := range r.Distinct() {
		if dst, err = r.Value(dst, uint16(code+1)); err != nil {
			b.Fatal(err)
		}
	}
	return dst
}

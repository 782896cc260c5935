package column

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// fuzzRows derives rows from bytes: the first says how, and a separator cuts.
func fuzzRows(data []byte) [][]byte {
	if len(data) == 0 {
		return nil
	}
	how, data := data[0], data[1:]
	var rows [][]byte
	for _, v := range bytes.Split(data, []byte{'|'}) {
		switch {
		case string(v) == "-":
			v = nil
		case how&1 == 1:
			v = append([]byte("req_"), v...)
		}
		rows = append(rows, slices.Clone(v))
		if v != nil && rows[len(rows)-1] == nil {
			rows[len(rows)-1] = []byte{}
		}
	}
	// Enough of them that they are worth another encoding than the plainest.
	if how&2 == 2 {
		for i, n := 0, len(rows); i < 1500 && n > 0; i++ {
			v := rows[i%n]
			if how&4 == 4 && v != nil {
				v = append([]byte(english(rand.New(rand.NewPCG(uint64(i), 0)), 2)), v...)
			} else if v != nil {
				v = binary.AppendUvarint(slices.Clone(v), uint64(i))
			}
			rows = append(rows, v)
		}
	}
	return rows[:min(len(rows), MaxRows)]
}

func addSeeds(f *testing.F) {
	for how := range byte(8) {
		f.Add(append([]byte{how}, "-||a b|a  b |the user asked|The User|工单 工单|\xff\x00|é è"...))
		f.Add(append([]byte{how}, "00ff|00fe|1a2b|ffff|-|0001"...))
		f.Add(append([]byte{how}, "1|2|30|-4|1000000|01"...))
	}
	f.Add([]byte{})
}

func FuzzRoundTrip(f *testing.F) {
	addSeeds(f)
	var e Encoder
	f.Fuzz(func(t *testing.T, data []byte) { checkRoundTrip(t, &e, fuzzRows(data)) })
}

func FuzzSkip(f *testing.F) {
	addSeeds(f)
	var e Encoder
	f.Fuzz(func(t *testing.T, data []byte) {
		rows := fuzzRows(data)
		rd := reader(t, &e, rows)
		r := rand.New(rand.NewPCG(uint64(len(data)), 1))
		rows = rows[:min(len(rows), 100)] // the naive search is slow
		for _, v := range rows[:min(len(rows), 20)] {
			checkSkip(t, rd, rows, string(v))
			checkSkip(t, rd, rows, mangle(r, string(v)))
		}
	})
}

func FuzzInts(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("0000000011111111"))
	f.Add(append(bytes.Repeat([]byte{0xff}, 8), 0x80, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
	f.Fuzz(func(t *testing.T, data []byte) {
		var values []int64
		for ; len(data) >= 8 && len(values) < MaxRows; data = data[8:] {
			values = append(values, int64(binary.BigEndian.Uint64(data)))
		}
		checkInts(t, values)
	})
}

// FuzzCorrupt reads a column that was damaged: bytes of it may be others, and its
// pages of another length. It must end with an answer or an error.
func FuzzCorrupt(f *testing.F) {
	for i := range kinds {
		f.Add(uint8(i), uint16(300), []byte{0, 5, 200, 1, 9, 3})
		f.Add(uint8(i), uint16(4000), []byte{0, 3, 7, 1, 0, 0})
		f.Add(uint8(i), uint16(1), []byte{})
	}
	var e Encoder
	f.Fuzz(func(t *testing.T, which uint8, n uint16, damage []byte) {
		meta, pages := e.Encode(kinds[int(which)%len(kinds)].rows(int(n)%4096, 1))
		parts := append([][]byte{meta}, pages...)
		for i := range parts {
			parts[i] = bytes.Clone(parts[i])
		}
		for ; len(damage) >= 3; damage = damage[3:] {
			p := &parts[int(damage[0])%len(parts)]
			switch at := int(damage[1]) * len(*p) / 256; {
			case damage[0] > 250:
				*p = (*p)[:at]
			case len(*p) > 0 && damage[0] > 125:
				(*p)[at] ^= damage[2]
			case len(*p) > 0:
				(*p)[int(damage[1])%len(*p)] = damage[2]
			}
		}
		readDamaged(t, parts[0], parts[1:])
	})
}

// FuzzBytes reads bytes that no Encoder made.
func FuzzBytes(f *testing.F) {
	var e Encoder
	for _, k := range kinds {
		meta, pages := e.Encode(k.rows(200, 1))
		f.Add(bytes.Clone(meta), bytes.Join(pages, nil))
	}
	f.Fuzz(func(t *testing.T, meta, page []byte) {
		readDamaged(t, meta, [][]byte{page})
		ints, err := DecodeInts(nil, meta)
		if err == nil && len(ints) > MaxRows || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("DecodeInts: %d integers, %v", len(ints), err)
		}
		if len(ints) > 0 { // both agree
			last := len(ints) - 1
			if got, err := DecodeIntsAt(nil, meta, []uint16{uint16(last)}); err != nil || got[0] != ints[last] {
				t.Errorf("DecodeIntsAt(%d) = %d, %v, want %d", last, got, err, ints[last])
			}
		}
	})
}

func readDamaged(t *testing.T, meta []byte, pages [][]byte) {
	check := func(err error) bool {
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v does not wrap ErrCorrupt", err)
		}
		return err == nil
	}
	r, err := Open(meta, func(i int) ([]byte, error) {
		if i < 0 || i >= max(len(pages), 1) {
			return nil, corrupt("no such page")
		}
		if len(pages) == 0 {
			return nil, nil
		}
		return pages[i], nil
	})
	if !check(err) {
		return
	}
	if r.Rows() > 0 {
		_, err = r.CodesAt(nil, []uint16{uint16(r.Rows() - 1)}, new(CodeMemo))
		check(err)
	}
	if r.Distinct() > 0 {
		rows, err := r.RowsWith(nil, 1)
		if check(err) && len(rows) > r.Rows() {
			t.Errorf("%d rows of %d have code 1", len(rows), r.Rows())
		}
	}
	if codes, err := r.Codes(); check(err) && len(codes) != r.Rows() {
		t.Errorf("%d codes of %d rows", len(codes), r.Rows())
	}
	var dst []byte
	for code := range r.Distinct() {
		if dst, err = r.Value(dst[:0], uint16(code)+1); !check(err) {
			break
		}
	}
	for _, q := range []string{"", "the user", "req_00ff", "工单", "12"} {
		for _, may := range []func([]byte) (bool, error){r.MayEqual, r.MayHaveTerm, r.MayContain} {
			if got, err := may([]byte(q)); !check(err) && !got {
				t.Errorf("false after an error")
			}
		}
		for _, find := range []func([]byte) ([]bool, bool, error){r.Having, r.Containing} {
			if found, ok, err := find([]byte(q)); check(err) && ok && len(found) != r.Distinct() {
				t.Errorf("%d answers for %d values", len(found), r.Distinct())
			}
		}
	}
}

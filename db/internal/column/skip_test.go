package column

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What the May methods may never deny, written as plainly as can be, for every way
// to compare without case.

func naiveContains(value, sub string) bool {
	return strings.Contains(strings.ToLower(value), strings.ToLower(sub)) ||
		strings.Contains(strings.ToUpper(value), strings.ToUpper(sub)) ||
		strings.Contains(value, sub)
}

func naiveHasTerm(value, term string) bool {
	for _, t := range naiveTerms(value) {
		//lint:ignore SA6005 the three ways differ for some letters
		if strings.EqualFold(t, term) || strings.ToLower(t) == strings.ToLower(term) || strings.ToUpper(t) == strings.ToUpper(term) {
			return true
		}
	}
	return false
}

func naiveTerms(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool {
		if r < utf8.RuneSelf {
			return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
		}
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// checkSkip compares the answers for one text with the truth, and counts how often
// it was no and the answer was no.
func checkSkip(tb testing.TB, r *Reader, rows [][]byte, text string) (skipped int) {
	tb.Helper()
	var equal, has, contains bool
	for _, v := range rows {
		if v != nil {
			equal = equal || string(v) == text
			has = has || naiveHasTerm(string(v), text)
			contains = contains || naiveContains(string(v), text)
		}
	}
	for _, m := range []struct {
		name  string
		may   func([]byte) (bool, error)
		truth bool
	}{{"MayEqual", r.MayEqual, equal}, {"MayHaveTerm", r.MayHaveTerm, has}, {"MayContain", r.MayContain, contains}} {
		got, err := m.may([]byte(text))
		if err != nil {
			tb.Fatalf("%s(%q): %v", m.name, text, err)
		}
		if m.truth && !got {
			tb.Fatalf("%s(%q) = false, but it is true", m.name, text)
		}
		if !got {
			skipped++
		}
	}
	checkFound(tb, r, rows, text)
	return skipped
}

// checkFound does the same for what codes tell of each value.
func checkFound(tb testing.TB, r *Reader, rows [][]byte, text string) {
	tb.Helper()
	codes, err := r.Codes()
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range []struct {
		name  string
		find  func([]byte) ([]bool, bool, error)
		truth func(value, text string) bool
	}{{"Having", r.Having, naiveHasTerm}, {"Containing", r.Containing, naiveContains}} {
		found, ok, err := m.find([]byte(text))
		if err != nil {
			tb.Fatalf("%s(%q): %v", m.name, text, err)
		}
		for i, v := range rows {
			if ok && v != nil && !found[codes[i]-1] && m.truth(string(v), text) {
				tb.Fatalf("%s(%q) = false for %q, but it is true", m.name, text, v)
			}
		}
	}
}

// mangle makes of a value a text to ask for: a part of it, in another case, or not
// quite in it.
func mangle(r *rand.Rand, v string) string {
	if terms := naiveTerms(v); len(terms) > 0 && r.IntN(3) == 0 {
		v = terms[r.IntN(len(terms))]
	} else if len(v) > 0 && r.IntN(4) > 0 {
		start := r.IntN(len(v))
		v = v[start : start+r.IntN(min(len(v)-start, 12)+1)]
	}
	switch r.IntN(6) {
	case 0:
		v = strings.ToUpper(v)
	case 1:
		v = strings.ToLower(v)
	case 2:
		v = strings.Map(func(r rune) rune { return unicode.SimpleFold(r) }, v)
	case 3:
		v += []string{"x", " ", "9", "工", "é", "\xff"}[r.IntN(6)]
	}
	return v
}

func TestSkipNeverDenies(t *testing.T) {
	var e Encoder
	for seed, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, n := range []int{700, 40} {
				rows := k.rows(n, uint64(seed))
				r := rand.New(rand.NewPCG(uint64(seed), 3))
				rd := reader(t, &e, rows)
				for range 80 {
					checkSkip(t, rd, rows, mangle(r, string(rows[r.IntN(n)])))
				}
			}
		})
	}
}

// TestSkipDenies requires that what is absent is mostly denied, where the encoding
// promises so.
func TestSkipDenies(t *testing.T) {
	tests := []struct {
		kind, text              string
		equal, has, hasContains bool // denied
	}{
		{"reasoning", "zebra", true, true, true},
		{"reasoning", "the zebra", true, true, true},
		{"reasoning", "databas", true, true, false}, // a part of a word
		{"reasoning", "atabase que", true, true, false},
		{"reasoning", "atabasex que", true, true, true},
		{"natural", "zebrafish", true, true, true},
		{"chinese", "忽略", true, true, true},
		{"chinese", "单工", true, true, true}, // both signs, in the other order
		{"chinese", "工单", false, false, false},
		{"request", "req_0000000000000000", true, false, false},
		{"request", "req_000000000000000", true, false, false}, // too short
		{"request", "session", true, true, true},
		{"id", "ledger_1767225600123_ffffff", true, false, false},
		{"uuid", "00000000-0000-4000-8000-000000000000", true, false, false},
		{"path", `"docs/501/refund.md"`, true, false, false},
		{"path", "zebra", true, true, true},
		{"token", "toolu_0123456789", true, true, false},
		{"tool", "searc", true, true, false},
		{"tool", "zebra", true, true, true},
		{"constant", "productio", true, true, false},
	}
	var e Encoder
	for _, test := range tests {
		for _, k := range kinds {
			if k.name != test.kind {
				continue
			}
			rd := reader(t, &e, k.rows(MaxRows, 1))
			for _, m := range []struct {
				name   string
				may    func([]byte) (bool, error)
				denied bool
			}{{"MayEqual", rd.MayEqual, test.equal}, {"MayHaveTerm", rd.MayHaveTerm, test.has}, {"MayContain", rd.MayContain, test.hasContains}} {
				got, err := m.may([]byte(test.text))
				if err != nil || got == m.denied {
					t.Errorf("%s: %s(%q) = %v, %v, want %v", k.name, m.name, test.text, got, err, !m.denied)
				}
			}
		}
	}
}

func TestIntRange(t *testing.T) {
	tests := []struct {
		name        string
		values      []string
		least, most int64
		ok          bool
	}{
		{"integers", []string{"3", "-7", "0", "12"}, -7, 12, true},
		{"limits", []string{"9223372036854775807", "-9223372036854775808"}, -1 << 63, 1<<63 - 1, true},
		{"over", []string{"9223372036854775808"}, 0, 0, false},
		{"under", []string{"-9223372036854775809"}, 0, 0, false},
		{"21 digits", []string{"100000000000000000000"}, 0, 0, false},
		{"minus zero", []string{"-0"}, 0, 0, false},
		{"leading zero", []string{"01"}, 0, 0, false},
		{"fraction", []string{"1", "1.0"}, 0, 0, false},
		{"exponent", []string{"1e3"}, 0, 0, false},
		{"empty", []string{""}, 0, 0, false},
		{"minus", []string{"-"}, 0, 0, false},
		{"none", nil, 0, 0, false},
	}
	var e Encoder
	for _, test := range tests {
		rows := [][]byte{nil}
		for _, v := range test.values {
			rows = append(rows, []byte(v))
		}
		least, most, ok := reader(t, &e, rows).IntRange()
		if least != test.least || most != test.most || ok != test.ok {
			t.Errorf("%s: IntRange = %d, %d, %v, want %d, %d, %v", test.name, least, most, ok, test.least, test.most, test.ok)
		}
	}
}

// TestFold requires of every rune that its fold is that of all its other cases, is
// of the same class, and stays as it is when folded again.
func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		f := fold(r)
		if classOf(f) != classOf(r) {
			t.Errorf("%U is of class %d, but its fold %U of %d", r, classOf(r), f, classOf(f))
		}
		if fold(f) != f {
			t.Errorf("%U folds to %U, which folds to %U", r, f, fold(f))
		}
		for _, other := range []rune{unicode.ToLower(r), unicode.ToUpper(r), unicode.SimpleFold(r)} {
			vague := isVague([]byte(string(r))) && isVague([]byte(string(other)))
			if fold(other) != f && !vague {
				t.Errorf("%U folds to %U, but its other case %U to %U", r, f, other, fold(other))
			}
		}
	}
}

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return byteClasses[r]
	}
	return runeClass(r)
}

// TestFilterIsTight requires few false answers of a filter with many items.
func TestFilterIsTight(t *testing.T) {
	var items []uint64
	for i := range 20_000 {
		items = append(items, gramHash(hasPairs, uint64(i)))
	}
	f, err := parseFilter(appendFilter(nil, hasPairs, items))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range 40_000 {
		if has := f.has(gramHash(hasPairs, uint64(i))); i < 20_000 && !has {
			t.Fatalf("item %d was added, but the filter denies it", i)
		} else if i >= 20_000 && has {
			wrong++
		}
	}
	if wrong > 20_000*2/100 {
		t.Errorf("%d of 20000 answers are wrong, more than 2 %%", wrong)
	}
}

// TestUnasked requires of columns that are not asked that they have no filter, and else are
// what they would be with one.
func TestUnasked(t *testing.T) {
	asked, unasked := new(Encoder), &Encoder{Unasked: true}
	for _, name := range []string{"token", "chinese"} {
		rows := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })].rows(MaxRows, 1)
		checkRoundTrip(t, unasked, rows)
		with, without := size(asked.Encode(rows)), size(unasked.Encode(rows))
		if without >= with {
			t.Errorf("%s: %d bytes without a filter, %d with one", name, without, with)
		}
		checkSkip(t, reader(t, unasked, rows), rows, string(rows[7]))
	}
}

func TestOldUnicode(t *testing.T) {
	var e Encoder
	meta, pages := e.Encode(kinds[3].rows(MaxRows, 1))
	meta = bytes.Clone(meta)
	meta[1]++
	r, err := Open(meta, func(i int) ([]byte, error) { return pages[i], nil })
	if err != nil {
		t.Fatal(err)
	}
	if may, err := r.MayContain([]byte("忽略")); !may || err != nil {
		t.Errorf("MayContain of other than ASCII = %v, %v, want true: the tables are others", may, err)
	}
	if may, err := r.MayContain([]byte("zebra")); may || err != nil {
		t.Errorf("MayContain of ASCII = %v, %v, want false", may, err)
	}
}

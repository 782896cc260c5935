package column

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestHaving compares with a search in the values themselves.
func TestHaving(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	vocabulary := strings.Fields("ignore Ignore previous instructions the user asked ignored é É 1.2.3 version=1.2 a_b x-y 忽略 ok")
	var rows [][]byte
	for range 3000 {
		var words []string
		for range 5 + rng.IntN(20) {
			words = append(words, vocabulary[rng.IntN(len(vocabulary))])
		}
		rows = append(rows, []byte(strings.Join(words, []string{" ", " ", "  ", ", "}[rng.IntN(4)])))
	}
	for i := range 400 { // so that some words have codes of two bytes
		rows = append(rows, fmt.Appendf(nil, "the user asked word%d and word%d of the ignored", i, i*7%400))
	}
	for i := range 1 << 5 { // more spellings than are looked for at once
		mixed := []byte("mixed")
		for k := range mixed {
			mixed[k] -= byte(i>>k&1) * ('a' - 'A')
		}
		rows = append(rows, fmt.Appendf(nil, "a word %s by case", mixed), fmt.Appendf(nil, "a word %s", mixed))
	}
	var e Encoder
	r := reader(t, &e, rows)
	if _, ok := r.values.(*textReader); !ok {
		t.Fatal("the column is not text")
	}
	codes, err := r.Codes()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, term := range []string{"ignore", "IGNORE", "ignore previous", "Ignore Previous Instructions", "É", "2.3", "version=1", "1.2.3", "a", "x-y", "b x", "none", "word7", "word399 of the", "mixed", "Mixed By", "word mixed by", ", the", "asked, the", ""} {
		found, ok, err := r.Having([]byte(term))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		asked++
		for i, row := range rows {
			if want := hasTerm(append(appendFold([]byte{0}, row), 0), appendFold(nil, []byte(term))); found[codes[i]-1] != want {
				t.Fatalf("Having(%q): row %q is %v, want %v", term, row, found[codes[i]-1], want)
			}
		}
	}
	if asked < 12 {
		t.Errorf("only %d terms were looked for", asked)
	}
}

// TestContaining compares with a search in the values themselves: parts of texts that are
// mostly in one, cut anywhere, in any case.
func TestContaining(t *testing.T) {
	var e Encoder
	for seed, k := range kinds {
		rows := k.rows(2000, uint64(seed))
		r := reader(t, &e, rows)
		if _, ok := r.values.(*textReader); !ok {
			continue
		}
		codes, err := r.Codes()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		asked, some := 0, 0
		for range 100 {
			row := string(rows[rng.IntN(len(rows))])
			part := []byte(mangle(rng, row))
			found, ok, err := r.Containing(part)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			if !ok {
				for _, row := range rows {
					if bytes.Contains(appendFold(nil, row), appendFold(nil, part)) {
						n++
					}
				}
				if len(bytes.Trim(part, " ")) > 0 && !isVague(part) && n < len(rows)/2 {
					t.Fatalf("%s: Containing(%q) cannot tell, and %d rows have it", k.name, part, n)
				}
				continue
			}
			asked++
			for i, row := range rows {
				want := bytes.Contains(appendFold(nil, row), appendFold(nil, part))
				got := found[codes[i]-1]
				// A space at an end may be one that has no code.
				if want && !got || got && !want && part[0] != ' ' && part[len(part)-1] != ' ' {
					t.Fatalf("%s: Containing(%q): row %q is %v, want %v", k.name, part, row, got, want)
				}
				if got {
					n++
				}
			}
			if n > 0 {
				some++
			}
		}
		if asked < 40 || some < 20 {
			t.Errorf("%s: of 100 parts %d were looked for, %d found", k.name, asked, some)
		}
	}
}

// TestPlaces requires that of a column with many pages those alone are read that have all
// that is looked for.
func TestPlaces(t *testing.T) {
	rows := slices.Clone(kinds[0].rows(MaxRows, 9))
	for i, text := range map[int]string{100: "a rare 忽略 word", 5000: "a rare word", 8000: "忽 rare 略"} {
		rows[i] = append(rows[i][:len(rows[i]):len(rows[i])], " "+text...)
	}
	var e Encoder
	r := reader(t, &e, rows)
	texts, ok := r.values.(*textReader)
	if !ok || len(texts.pages) < 10 {
		t.Fatalf("the column is not text of many pages: %T", r.values)
	}
	fetch, read := r.fetch, map[int]bool{}
	r.fetch = func(i int) ([]byte, error) {
		read[i] = true
		return fetch(i)
	}
	for _, test := range []struct {
		part        string
		values, max int // pages beside that of the dictionary
	}{
		{"RARE", 3, 3}, {"忽略", 1, 2}, {"rare word", 1, 2}, {"are 忽", 1, 2}, {"忽 Rare", 1, 2},
	} {
		clear(read)
		r.page, r.data = 0, nil
		texts.release()
		found, ok, err := r.Containing([]byte(test.part))
		if !ok || err != nil {
			t.Fatalf("Containing(%q): %v, %v", test.part, ok, err)
		}
		values := 0
		for _, is := range found {
			if is {
				values++
			}
		}
		if values != test.values || len(read) > test.max+1 {
			t.Errorf("Containing(%q) found %d values and read %d pages of %d, want %d and at most %d", test.part, values, len(read), r.pages, test.values, test.max+1)
		}
	}
	for part, most := range map[string]bool{"the": true, "instructions": false} {
		if _, ok, err := r.Containing([]byte(part)); ok == most || err != nil {
			t.Errorf("Containing(%q) tells: %v, %v; most values have it: %v", part, ok, err, most)
		}
	}
}

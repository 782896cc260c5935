package column

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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
		asked, some, all := 0, 0, 0
		for range 100 {
			row := string(rows[rng.IntN(len(rows))])
			part := []byte(mangle(rng, row))
			found, ok, err := r.Containing(part)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				if len(bytes.Trim(part, " ")) > 0 && !isVague(part) {
					t.Fatalf("%s: Containing(%q) cannot tell", k.name, part)
				}
				continue
			}
			asked++
			n := 0
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
			if n == len(rows) {
				all++
			}
		}
		if asked < 50 || some < 30 || some-all < 20 {
			t.Errorf("%s: of 100 parts %d were looked for, %d found, %d in all rows", k.name, asked, some, all)
		}
	}
}

package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"toolledger/query"
)

// TestFoldsAgree holds the two folds of this package, of which one keeps all entries and the
// other none, against that of the table calls: each entry is of the same call.
func TestFoldsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fields, _ := scopeColumns(reads{})
	var place [numCols]int
	for i := range place {
		place[i] = i
	}
	for range 500 {
		var list []*entry[string]
		folder := query.NewCallFolder()
		var want []string // of each call the first index, and the last, which its args are
		firsts := map[int]int{}
		cols := make([][]query.Value, numCols)
		for i := range 1 + r.IntN(12) {
			request := []string{"", "q", "r"}[r.IntN(3)]
			phase := phases[r.IntN(len(phases)-1)]
			responded := r.IntN(2) == 0
			label := fmt.Sprint(i)
			e := &entry[string]{index: int64(i), request: request, phase: phaseOf(phase), has: hasArgs, args: label}
			if responded {
				e.has |= hasResponse
			}
			list = append(list, e)
			for col, f := range fields {
				cols[col] = append(cols[col], query.NullOf(f.Kind))
			}
			cols[colSession][i], cols[colRequest][i], cols[colPhase][i] = query.StringOf("s"), query.StringOf(request), query.StringOf(phase)
			cols[colIndex][i], cols[colArgs][i], cols[colResponse][i] = query.LongOf(int64(i)), query.DynamicOf(label), query.BoolOf(responded)
			p := folder.Add("s", request, phase, responded)
			if p.Begins {
				firsts[p.Call] = i
				want = append(want, "")
			}
			want[p.Call] = fmt.Sprintf("%d-%d", firsts[p.Call], i)
		}
		b := &query.Batch{N: len(list)}
		for col, f := range fields {
			b.Cols = append(b.Cols, query.VectorOf(f.Kind, cols[col]))
		}
		scoped := newFold(nil, place)
		for row := range b.N {
			if _, err := scoped.entry(b, row); err != nil {
				t.Fatal(err)
			}
		}
		var got, lasts []string
		for _, c := range scoped.calls[0] {
			got = append(got, fmt.Sprintf("%d-%s", c.index, c.args))
		}
		if !slices.Equal(got, want) {
			t.Errorf("scope has the calls %v, the table %v", got, want)
		}
		for i, c := range fold(list) {
			lasts = append(lasts, fmt.Sprintf("%d-%s", firsts[i], c.args))
		}
		if !slices.Equal(lasts, want) {
			t.Errorf("replay has the calls %v, the table %v", lasts, want)
		}
	}
}

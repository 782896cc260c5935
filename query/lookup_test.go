package query

import (
	"fmt"
	"strings"
	"testing"

	"toolledger/db"
)

func TestLook(t *testing.T) {
	tables := callLedger(t, []db.Entry{{Session: "a", Tool: "x", Request: "1"}, {Session: "b", Tool: "y", Request: "2"}, {Session: "a", Tool: "z", Request: "3"}})
	op := func(where []Condition, keep func(keys *Batch, row int) bool) Operator {
		return Operator{Name: "look", Usage: "look", Source: true, Bind: func(*Arguments, []Field) (*Transform, error) {
			fields := []Field{{"seq", Long}, {"tool", String}}
			return &Transform{Fields: fields, Run: func(r *Run, _ Batches, out func(...Value) error) error {
				if !r.HasTable("entries") || r.HasTable("nothing") {
					return fmt.Errorf("the tables are not those of a ledger")
				}
				return r.Look(&Lookup{Table: "entries", Where: where, Keys: []Field{{"request", String}}, Keep: keep, Fields: fields}, func(b *Batch) error {
					for row := range b.N {
						if err := out(b.Row(row)...); err != nil {
							return err
						}
					}
					return nil
				})
			}}, nil
		}}
	}
	all := func(*Batch, int) bool { return true }
	for _, c := range []struct {
		where []Condition
		keep  func(*Batch, int) bool
		want  string
	}{
		{nil, all, "1|x, 2|y, 3|z"},
		{nil, func(keys *Batch, row int) bool { return keys.Cols[0].At(row).S != "2" }, "1|x, 3|z"},
		{nil, func(*Batch, int) bool { return false }, ""},
		{[]Condition{{"session", []Value{StringOf("nobody")}}}, all, ""},
		{[]Condition{{"tool", []Value{StringOf("none"), StringOf("neither")}}}, all, ""},
	} {
		l := New(Options{Tables: tables, Operators: []Operator{op(c.where, c.keep)}})
		results, err := l.Compile(t.Context(), "look", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for b, err := range results[0].Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range b.N {
				got = append(got, fmt.Sprintf("%d|%s", b.Cols[0].At(row).N, b.Cols[1].At(row).S))
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("where %v: %s, want %s", c.where, got, c.want)
		}
	}
}

package query

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "lookup", Usage: "lookup [kind=leftouter or inner] (QUERY) on NAME, ... or $left.NAME == $right.NAME", Doc: "adds the columns of a table of facts, without its keys",
		Example: `datatable(k:long)[1, 2] | lookup (datatable(k:long, name:string)[2, "two"]) on k`, Parse: parseLookup})
}

// lookupStage is a join that keeps the left rows and leaves the keys of the right out.
type lookupStage struct{ joinStage }

func parseLookup(lex *lexer.PeekingLexer) (Stage, error) {
	st := &lookupStage{}
	return st, st.parse(lex, []string{"leftouter", "inner"})
}

func (st *lookupStage) Bind(b *binder, in *relation) (*relation, error) {
	j, err := st.bind(b, in)
	if err != nil {
		return nil, err
	}
	j.operator, j.lastFirst = "lookup", true // as Kusto orders them
	j.leftOuter = st.kind != "inner"
	for c := range j.right.fields {
		if !slices.Contains(j.rightKeys, c) {
			j.columns = append(j.columns, c)
		}
	}
	return j.relation(), nil
}

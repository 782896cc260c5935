package query

import (
	"strconv"
	"strings"
)

// A node is a part of an expression as it was written.
type node interface {
	spanned
	String() string // the expression again, in one spelling
}

// place is where a node stands.
type place struct{ from, to int }

func (p place) span() (int, int) { return p.from, p.to }

type (
	// nameNode is a column or a name that let gave.
	nameNode struct {
		place
		name string
	}
	// literalNode is a value.
	literalNode struct {
		place
		value Value
		text  string
		wrong error // it is none, as datetime(x)
	}
	// callNode is a function with its arguments.
	callNode struct {
		place
		name string
		args []argNode
	}
	// argNode is an argument, perhaps with its name.
	argNode struct {
		name string
		node
	}
	// unaryNode is + or - before an operand.
	unaryNode struct {
		place
		op string
		x  node
	}
	// binaryNode is two operands and what stands between them.
	binaryNode struct {
		place
		op   string
		l, r node
	}
	// memberNode is x.name, elementNode x[i].
	memberNode struct {
		place
		x    node
		name string
	}
	elementNode struct {
		place
		x, i node
	}
	// listNode is x in (a, b), x has_any (a, b) and the like.
	listNode struct {
		place
		op   string
		x    node
		list []node
	}
	// betweenNode is x between (lo .. hi).
	betweenNode struct {
		place
		op        string
		x, lo, hi node
	}
	// starNode is all columns.
	starNode struct{ place }
	// tableNode is a query in the place of a value.
	tableNode struct {
		place
		query *pipeline
	}
)

func (n *nameNode) String() string {
	if isPlainName(n.name) {
		return n.name
	}
	return "['" + strings.ReplaceAll(n.name, "'", "\\'") + "']"
}

func isPlainName(name string) bool {
	if name == "" || isDigit(name[0]) {
		return false
	}
	for i := range len(name) {
		if !isWord(name[i]) {
			return false
		}
	}
	return true
}

func (n *literalNode) String() string {
	if strings.HasSuffix(n.text, ".") { // of 1. a bracket behind it would take the point
		return n.text + "0"
	}
	return n.text
}

func (n *callNode) String() string {
	var b strings.Builder
	b.WriteString(n.name + "(")
	for i, a := range n.args {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.name != "" {
			b.WriteString(a.name + "=")
		}
		b.WriteString(a.String())
	}
	return b.String() + ")"
}

func (n *unaryNode) String() string  { return n.op + wrapped(n.x) }
func (n *binaryNode) String() string { return wrapped(n.l) + " " + n.op + " " + wrapped(n.r) }
func (n *memberNode) String() string {
	if isPlainName(n.name) {
		return wrapped(n.x) + "." + n.name
	}
	return wrapped(n.x) + "[" + Quote(n.name) + "]"
}
func (n *elementNode) String() string { return wrapped(n.x) + "[" + n.i.String() + "]" }
func (n *listNode) String() string {
	var list []string
	for _, x := range n.list {
		list = append(list, x.String())
	}
	return wrapped(n.x) + " " + n.op + " (" + strings.Join(list, ", ") + ")"
}
func (n *betweenNode) String() string {
	return wrapped(n.x) + " " + n.op + " (" + n.lo.String() + " .. " + n.hi.String() + ")"
}
func (n *starNode) String() string  { return "*" }
func (n *tableNode) String() string { return "(" + n.query.String() + ")" }

// wrapped puts what binds weaker than any operator into parentheses.
func wrapped(n node) string {
	switch n.(type) {
	case *unaryNode, *binaryNode, *listNode, *betweenNode:
		return "(" + n.String() + ")"
	}
	return n.String()
}

// numberText shows a long as a literal.
func numberText(n int64) string { return strconv.FormatInt(n, 10) }

package audit

import (
	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
)

// cedarUses are what policies look at of a call.
type cedarUses struct {
	reads
	contextArgs bool // in the context, not in the resource
}

// policy adds what a policy looks at.
func (u *cedarUses) policy(p *cedar.Policy) {
	if u.args == nil {
		u.args = map[string]bool{}
	}
	for _, c := range (*ast.Policy)(p.AST()).Conditions {
		ast.Inspect(ast.NewNode(c.Body), u.node)
	}
}

// node adds what an expression looks at, and tells whether to look inside of it.
func (u *cedarUses) node(n ast.IsNode) bool {
	switch n := n.(type) {
	case ast.NodeTypeAccess:
		return u.attribute(n.StrOpNode, false)
	case ast.NodeTypeHas:
		return u.attribute(n.StrOpNode, true)
	case ast.NodeTypeVariable:
		if n.Name == "context" { // all of it
			u.allArgs, u.contextArgs, u.environment, u.action, u.time = true, true, true, true, true
		}
	}
	return true
}

// attribute adds what x.y or x has y looks at. Of a variable the path is known; what is made
// by an expression may be anything.
func (u *cedarUses) attribute(n ast.StrOpNode, has bool) (inside bool) {
	path := []string{string(n.Value)}
	for {
		switch arg := n.Arg.(type) {
		case ast.NodeTypeAccess:
			n = arg.StrOpNode
			path = append(path, string(n.Value))
			continue
		case ast.NodeTypeVariable:
			u.path(string(arg.Name), path, has)
			return false
		}
		u.allArgs = true
		return true
	}
}

// path adds what a path looks at, whose names stand from its end to the variable.
func (u *cedarUses) path(variable string, path []string, has bool) {
	first := path[len(path)-1]
	switch {
	case variable == "resource":
		u.args[first] = true
	case variable != "context":
	case first == "args":
		u.contextArgs = true
		if len(path) > 1 {
			u.args[path[len(path)-2]] = true
		} else if !has {
			u.allArgs = true
		}
	case first == "environment":
		u.environment = true
	case first == "action":
		u.action = true
	case first == "time":
		u.time = true
	}
}

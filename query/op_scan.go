package query

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "scan", Usage: "scan [with_match_id=NAME] [declare (NAME:TYPE [= VALUE], ...)] with (step NAME [output=all|last|none]: CONDITION [=> NAME = EXPRESSION, ...]; ...)",
		Doc:     "finds sequences of rows: a row that meets the condition of a step takes the sequence there; STEP.COLUMN is of the last row of a step",
		Example: "range x from 1 to 4 step 1 | scan declare (sum:long = 0) with (step s: true => sum = s.sum + x;)", Parse: parseScan})
}

// scanStage: scan, as it was written.
type scanStage struct {
	place    // of the operator's name
	matchID  scanName
	declared []scanColumn
	steps    []scanStep
}

// A scanName is a name and where it stands.
type scanName struct {
	place
	name string
}

// A scanColumn is a column that declare gives.
type scanColumn struct {
	scanName
	kind     Kind
	fallback node // nil: null
}

// A scanStep is "step NAME output=all: CONDITION => NAME = EXPRESSION, ...;".
type scanStep struct {
	scanName
	output string
	cond   node
	assign []scanAssignment
}

type scanAssignment struct {
	scanName
	x node
}

func parseScan(lex *lexer.PeekingLexer) (Stage, error) {
	p, st := &exprParser{lex: lex}, &scanStage{}
	st.place = place{p.end() - len("scan"), p.end()}
	if err := st.options(p); err != nil {
		return nil, err
	}
	if p.accept("declare") {
		if err := st.declare(p); err != nil {
			return nil, err
		}
	}
	if err := p.expect("with", "and the steps, as with (step s: true;)"); err != nil {
		return nil, err
	}
	if err := p.expect("(", "and the steps, as with (step s: true;)"); err != nil {
		return nil, err
	}
	for {
		step, err := parseScanStep(p)
		if err != nil {
			return nil, err
		}
		st.steps = append(st.steps, step)
		if p.accept(")") {
			return st, nil
		}
	}
}

// options reads what stands before declare.
func (st *scanStage) options(p *exprParser) (err error) {
	for {
		switch t := p.peek(); {
		case p.is("with_match_id") && st.matchID.name == "":
			p.lex.Next()
			if err = p.expect("=", "after with_match_id"); err != nil {
				return err
			}
			if st.matchID, err = p.placedName("the name of a column"); err != nil {
				return err
			}
		case p.is("with_step_name"):
			return unsupported(t, "with_step_name")
		case p.is("order") || p.is("partition"):
			return unsupported(t, t.Value+" by in scan")
		default:
			return nil
		}
	}
}

// placedName reads a name. The words that output takes are names in brackets only.
func (p *exprParser) placedName(what string) (n scanName, err error) {
	t := p.peek()
	if t.Type == tokenIdent && slices.Contains(scanOutputs, t.Value) {
		return n, unexpected(t, "expected "+what+", as ['"+t.Value+"'] for a word that output takes")
	}
	n.name, err = p.name(what)
	n.place = place{t.Pos.Offset, p.end()}
	return n, err
}

// declare reads "(NAME:TYPE [= VALUE], ...)".
func (st *scanStage) declare(p *exprParser) error {
	if err := p.expect("(", "and columns, as (a:long = 0, b:string)"); err != nil {
		return err
	}
	for {
		name, err := p.placedName("the name of a column")
		if err != nil {
			return err
		}
		c := scanColumn{scanName: name}
		if err = p.expect(":", "and a type, as "+name.name+":long"); err != nil {
			return err
		}
		if c.kind, err = parseKind(p); err != nil {
			return err
		}
		if p.accept("=") {
			if c.fallback, err = p.expr(0); err != nil {
				return err
			}
		}
		st.declared = append(st.declared, c)
		if !p.accept(",") {
			return p.expect(")", "after the columns that declare gives")
		}
	}
}

// scanOutputs are which rows of a step come out.
var scanOutputs = []string{"all", "last", "none"}

func parseScanStep(p *exprParser) (step scanStep, err error) {
	if err = p.expect("step", "and a name, as step s: true;"); err != nil {
		return step, err
	}
	if step.scanName, err = p.placedName("the name of a step"); err != nil {
		return step, err
	}
	if t := p.peek(); p.is("optional") {
		return step, unsupported(t, "optional")
	}
	step.output = "all"
	if p.accept("output") {
		if err = p.expect("=", "and all, last or none"); err != nil {
			return step, err
		}
		t := p.lex.Next()
		if step.output = t.Value; !slices.Contains(scanOutputs, step.output) {
			return step, unexpected(t, "expected all, last or none")
		}
	}
	if err = p.expect(":", "and the condition of the step"); err != nil {
		return step, err
	}
	if step.cond, err = p.expr(0); err != nil {
		return step, err
	}
	if p.accept("=>") {
		if err = step.assignments(p); err != nil {
			return step, err
		}
	}
	return step, p.expect(";", "at the end of a step")
}

// assignments reads "NAME = EXPRESSION, ...".
func (step *scanStep) assignments(p *exprParser) (err error) {
	for {
		var a scanAssignment
		if a.scanName, err = p.placedName("the name of a column"); err != nil {
			return err
		}
		if err = p.expect("=", "and what "+a.name+" becomes"); err != nil {
			return err
		}
		if a.x, err = p.expr(0); err != nil {
			return err
		}
		if step.assign = append(step.assign, a); !p.accept(",") {
			return nil
		}
	}
}

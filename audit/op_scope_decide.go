package audit

import (
	"runtime"
	"sync"

	"toolledger/chain"
	"toolledger/query"
)

// A finding of a call, and what else its decision leads to.
type judged struct {
	kind, rule, detail string
	fault              string // of a rule that could not be asked
	unknown            bool   // it depends on what was removed
	idle               bool   // refused, but nothing became of it
}

// decide asks a policy about all calls, on all cores, and puts out the findings in the order
// of the calls' first entries.
func (f *scopeFold) decide(p Policy, out func(...query.Value) error) error {
	f.last, f.names.number, f.ends = nil, nil, nil
	var unknown, idle, faults int
	var fault string
	results := make([]judged, callChunk)
	for _, calls := range f.calls {
		if err := f.run.Context().Err(); err != nil {
			return err
		}
		f.judgeAll(p, calls, results)
		for i := range calls {
			j := &results[i]
			if j.kind != "" {
				if err := out(f.row(&calls[i], j)...); err != nil {
					return err
				}
			}
			if j.fault != "" {
				if faults++; fault == "" {
					fault = j.fault
				}
			}
			unknown += count(j.unknown)
			idle += count(j.idle)
		}
	}
	f.run.Release(f.held)
	if idle > 0 {
		f.run.Hint("%d attempts that the policy refuses have neither a verdict nor an outcome: they are no findings", idle)
	}
	if unknown > 0 {
		f.run.Hint("of %d calls the policy is unknown: it depends on arguments that were removed", unknown)
	}
	if faults > 0 {
		f.run.Hint("of %d calls a policy could not be evaluated and was left out, first: %s", faults, fault)
	}
	return nil
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// judgeAll judges calls on all cores.
func (f *scopeFold) judgeAll(p Policy, calls []scopeCall, results []judged) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var a Access
			for i := w * len(calls) / workers; i < (w+1)*len(calls)/workers; i++ {
				results[i] = f.judge(p, &a, &calls[i])
			}
		}()
	}
	wg.Wait()
}

// judge judges one call, which it puts into a.
func (f *scopeFold) judge(p Policy, a *Access, c *scopeCall) judged {
	texts := f.names.texts
	*a = Access{Session: texts[c.session], Index: c.index, Agent: texts[c.agent], Role: texts[c.role], Tool: texts[c.tool], Action: texts[c.action],
		Environment: texts[c.environment], Args: c.args, Removed: a.Removed[:0]}
	if c.timed {
		a.Millis = &c.millis
	}
	for _, pointer := range chain.Elements([]byte(c.removed)) {
		if pointer[0] == '"' {
			a.Removed = append(a.Removed, chain.Unquote(pointer))
		}
	}
	o := c.outcome(texts)
	d := p.Decide(a)
	j := judged{rule: d.Rule, fault: d.Fault, unknown: d.Verdict == Undecided}
	j.kind, j.detail = judge(a, d, o)
	j.idle = d.Verdict == Refused && j.kind == "" && !o.denied
	return j
}

// outcome is what became of a call. An error is that of a call which ran, unless it was
// denied: then it is how the denial was told.
func (c *scopeCall) outcome(texts []string) outcome {
	verdict := texts[c.authorization]
	o := outcome{allowed: verdict == "ALLOWED", denied: verdict == "DENIED", by: texts[c.policy]}
	o.plain = c.phases == phaseNone && verdict == ""
	o.ran = c.phases&(phaseStart|phaseComplete) != 0 || !o.denied && (c.phases&phaseError != 0 || c.phases == phaseNone)
	return o
}

// row is the row of a finding.
func (f *scopeFold) row(c *scopeCall, j *judged) []query.Value {
	texts := f.names.texts
	return []query.Value{
		query.StringOf(texts[c.session]), query.LongOf(c.index), query.StringOf(j.kind), query.StringOf(texts[c.tool]), query.StringOf(texts[c.agent]),
		query.StringOf(texts[c.role]), query.StringOf(c.request), query.StringOf(j.rule), query.StringOf(j.detail),
	}
}

// keepArgs returns a batch that has of the arguments only those of the given names, which are
// in quotes, so that a call keeps no more than a policy looks at.
func keepArgs(b *query.Batch, col int, names map[string]bool) *query.Batch {
	values := make([]query.Value, b.N)
	last, kept := query.NullOf(query.Dynamic), query.NullOf(query.Dynamic)
	var text []byte
	for row := range values {
		v := b.Cols[col].At(row)
		if v.S != last.S || v.Null != last.Null {
			last, kept = v, v
			if !v.Null {
				text = append(text[:0], '{')
				for name, value := range chain.Members([]byte(v.S)) {
					if names[string(name)] {
						text = append(append(append(append(text, name...), ':'), value...), ',')
					}
				}
				kept.S = string(append(text[:max(1, len(text)-1)], '}'))
			}
		}
		values[row] = kept
	}
	out := &query.Batch{N: b.N, Cols: append([]*query.Vector(nil), b.Cols...)}
	out.Cols[col] = query.VectorOf(query.Dynamic, values)
	return out
}

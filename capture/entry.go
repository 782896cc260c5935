package capture

import (
	"slices"
	"strings"

	"toolledger/chain"
)

// An entry is one that is being made. What it points to is its own.
type entry struct {
	members  chain.Entry
	metadata []Field

	session, request, phase string
	place                   int // among the entries of the request and phase
}

func (e *entry) set(m chain.Member, v Value) {
	if v != nil {
		e.members[m] = v
	}
}

// note adds to metadata. The values are copied: the entry may wait longer than the record is there.
func (e *entry) note(fields []Field) {
	for _, f := range fields {
		e.metadata = append(e.metadata, Field{f.Name, f.Value.clone()})
	}
}

// trace sets the trace, or keeps one that a ledger does not take in metadata.
func (e *entry) trace(id string) {
	if len(id) <= chain.MaxTrace && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0 {
		e.set(chain.Trace, TextValue(id))
		return
	}
	e.metadata = append(e.metadata, Field{"source_trace", TextValue(id)})
}

// at sets the time. Where there is none the ledger sets its own, which metadata.time_source tells.
func (e *entry) at(t Time) {
	if t.IsZero() {
		e.metadata = append(e.metadata, Field{"time_source", Value(`"import"`)})
		return
	}
	e.set(chain.At, quotedTime(t))
	if t.Source != "" {
		e.metadata = append(e.metadata, Field{"time_source", TextValue(t.Source)})
	}
}

func quotedTime(t Time) Value {
	return append(chain.TimeOf(t.Time).Append(Value{'"'}), '"')
}

// text returns the canonical form.
func (e *entry) text() []byte {
	m := e.members
	if len(e.metadata) > 0 {
		m[chain.Metadata] = object(e.metadata)
	}
	return m.Append(nil)
}

// object returns fields as an object in canonical form. Of two of one name, the last counts.
func object(fields []Field) []byte {
	sorted := slices.Clone(fields)
	slices.SortStableFunc(sorted, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	text := []byte{'{'}
	for i, f := range sorted {
		if f.Value == nil || i+1 < len(sorted) && sorted[i+1].Name == f.Name && sorted[i+1].Value != nil {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(chain.AppendQuote(text, []byte(f.Name)), ':')
		text = append(text, f.Value...)
	}
	return append(text, '}')
}

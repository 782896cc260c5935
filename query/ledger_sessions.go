package query

import (
	"encoding/hex"
	"iter"

	"toolledger/chain"
	"toolledger/db"
)

// sessionsTable has a row for each session, in the order of their names, without the
// ledger's own.
func sessionsTable(src Source) Table {
	fields := []Field{{"session", String}, {"entries", Long}, {"first", Datetime}, {"last", Datetime}, {"agents", Dynamic}, {"digest", String}}
	return Table{Name: "sessions", Doc: "one row a session: how many entries it has, when, by whom, and where its chain ends", Fields: fields, scan: func() *scan {
		return &scan{name: "sessions", fields: fields, source: &sessionScan{src, fields}}
	}}
}

type sessionScan struct {
	src    Source
	fields []Field
}

// open reads the heads. Who acted in a session stands in the entries alone: they are read
// if the column is asked for.
func (s *sessionScan) parts(r *run, filters []filter) iter.Seq[part] {
	return partsOf(s.open(r, filters))
}

func (s *sessionScan) open(r *run, _ []filter) Batches {
	var rows [][]Value
	for h, err := range s.src.Sessions() {
		if err == nil {
			err = r.ctx.Err()
		}
		if err != nil {
			return failed(err)
		}
		if h.Session == db.OwnSession {
			continue
		}
		row := []Value{StringOf(h.Session), LongOf(int64(h.Count)), DatetimeOf(h.First.Ticks, h.First.Rest), DatetimeOf(h.Last.Ticks, h.Last.Rest),
			NullOf(Dynamic), StringOf(hex.EncodeToString(h.Digest[:]))}
		if err := r.hold("sessions", rowSize(row)); err != nil {
			return failed(err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return batchesOf(s.fields, nil)
	}
	b := batchOf(s.fields, rows)
	names := b.Cols[0]
	b.Cols[4] = Lazy(Dynamic, func(v *Vector) error {
		agents, err := s.agents(r)
		if err != nil {
			return err
		}
		values := make([]Value, len(rows))
		for i := range values {
			values[i] = arrayOf(agents[names.At(i).S])
		}
		*v = *VectorOf(Dynamic, values)
		return nil
	}, nil)
	return func(yield func(*Batch, error) bool) { yield(b, nil) }
}

// agents returns the agents of each session, in the order in which they came.
func (s *sessionScan) agents(r *run) (map[string][]Value, error) {
	of := map[string][]Value{}
	type pair struct{ session, agent string }
	seen := map[pair]bool{}
	for b, err := range s.src.Scan(r.ctx, db.Range{}) {
		if err != nil {
			return nil, err
		}
		sessions, agents := columnOf(b, chain.Session, String), columnOf(b, chain.Agent, String)
		if err := sessions.Fill(); err != nil {
			return nil, err
		}
		if err := agents.Fill(); err != nil {
			return nil, err
		}
		for row := range b.Rows() {
			p := pair{sessions.At(row).S, agents.At(row).S}
			if p.agent != "" && !seen[p] {
				seen[p] = true
				of[p.session] = append(of[p.session], StringOf(p.agent))
			}
		}
	}
	return of, nil
}

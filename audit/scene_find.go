package audit

import (
	"slices"

	"toolledger/query"
)

// scenes is the run of the operator. It takes the rows some at a time: of these it finds the
// calls, and around them what belongs to their scenes. So what it holds depends on how many
// rows it takes, not on how many there are, but for 48 bytes a call that was shown.
type scenes struct {
	sceneOptions
	run  *query.Run
	out  func(row ...query.Value) error
	seen map[sceneID]struct{}
	held int // bytes, until the rows that were taken are done
}

// What rows it takes at a time: few first, so that the first scene is there soon.
const (
	fewScenes  = 256
	manyScenes = 16384
	sceneBytes = 32 << 20
	seenSize   = 48
)

func (s *scenes) hold(bytes int) error {
	s.held += bytes
	return s.run.Hold(bytes)
}

// read reads the rows that are selected. Those that are not of the ledger are kept until the
// end: they are one another's neighbours.
func (s *scenes) read(in query.Batches) error {
	var rows, other []*sceneEntry
	size, most := 0, fewScenes
	ledger := s.run.HasTable("entries")
	show := func() error {
		foreign, err := s.show(ledgerEntries{s}, rows)
		s.run.Release(s.held)
		s.held = 0
		for _, e := range foreign {
			if err == nil {
				err = s.run.Hold(e.size())
			}
		}
		other = append(other, foreign...)
		rows, size, most = nil, 0, min(2*most, manyScenes)
		return err
	}
	err := s.run.Each(in, func(b *query.Batch) error {
		for row := range b.N {
			e := entryOf(b, row)
			if err := s.run.Context().Err(); err != nil {
				return err
			}
			n := e.size()
			if !ledger {
				other = append(other, e)
				if err := s.run.Hold(n); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, e)
			size += n
			if err := s.hold(n); err != nil {
				return err
			}
			if len(rows) < most && size < sceneBytes {
				continue
			}
			if err := show(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(rows) > 0 {
		err = show()
	}
	if err == nil && len(other) > 0 {
		_, err = s.show(holdEntries(other), other)
	}
	return err
}

// show gives out the scenes of the calls of some rows, in the order in which the rows have
// them, and returns the rows that the source does not have.
func (s *scenes) show(from sceneSource, rows []*sceneEntry) (other []*sceneEntry, err error) {
	calls, other, err := s.selected(from, rows)
	if err != nil || len(calls) == 0 {
		return other, err
	}
	children, err := s.childrenOf(from, calls)
	if err != nil {
		return nil, err
	}
	parents, err := s.parentsOf(from, slices.DeleteFunc(slices.Clone(calls), func(c *sceneCall) bool { return c.parent() == "" }))
	if err != nil {
		return nil, err
	}
	near, err := s.near(from, calls)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		d := s.document(c, near[c], parents[c], children[c.id()])
		if err := s.out(c.first().v[sceneSession], c.first().v[sceneIndex], c.first().v[sceneRequest], c.last(sceneAgent), c.last(sceneTool), query.DynamicOf(d)); err != nil {
			return nil, err
		}
	}
	return other, nil
}

// selected returns the calls of some rows that were not shown yet, and the rows that the
// source does not have: which it has with the same session, index, request and time.
func (s *scenes) selected(from sceneSource, rows []*sceneEntry) (calls []*sceneCall, other []*sceneEntry, err error) {
	w := newWant()
	places, alone := map[scenePlace]bool{}, false
	for _, e := range rows {
		w.pair(e.text(sceneSession), e.text(sceneRequest))
		places[e.place()] = true
		alone = alone || e.text(sceneRequest) == ""
	}
	if alone {
		delete(w.want.columns, "request")
	}
	pairs := w.want.keep
	w.want.keep = func(session string, at int64, request string) bool {
		return pairs(session, at, request) || places[scenePlace{session, at}]
	}
	entries, err := from.find(&w.want, false)
	if err != nil {
		return nil, nil, err
	}
	of := map[*sceneEntry]*sceneCall{}
	at := map[scenePlace]*sceneEntry{}
	for _, c := range foldCalls(entries) {
		for _, e := range c.entries {
			of[e], at[e.place()] = c, e
		}
	}
	for _, e := range rows {
		c := of[e] // where the rows are the source
		if have := at[e.place()]; c == nil && have != nil && e.same(have) {
			c = of[have]
		}
		if c == nil {
			other = append(other, e)
			continue
		}
		if _, seen := s.seen[c.id()]; seen {
			continue
		}
		s.seen[c.id()] = struct{}{}
		if err := s.run.Hold(seenSize); err != nil {
			return nil, nil, err
		}
		calls = append(calls, c)
	}
	return calls, other, nil
}

// same tells whether a row is an entry of a source.
func (e *sceneEntry) same(have *sceneEntry) bool {
	row, at := e.v[sceneTime], have.v[sceneTime]
	return e.text(sceneRequest) == have.text(sceneRequest) && (row.Null || row == at)
}

// A wantBuilder makes a want of calls: pairs of session and request.
type wantBuilder struct {
	want  sceneWant
	pairs map[[2]string]bool
}

func newWant() *wantBuilder {
	w := &wantBuilder{pairs: map[[2]string]bool{}}
	w.want.columns = map[string]map[string]bool{"session": {}, "request": {}}
	w.want.keep = func(session string, _ int64, request string) bool { return w.pairs[[2]string{session, request}] }
	return w
}

func (w *wantBuilder) pair(session, request string) {
	w.want.columns["session"][session] = true
	if request != "" {
		w.pairs[[2]string{session, request}] = true
		w.want.columns["request"][request] = true
	}
}

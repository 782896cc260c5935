package audit

import "slices"

// childrenOf finds the calls that name the request of some calls as their parent, and whose
// parent is one of these.
func (s *scenes) childrenOf(from sceneSource, calls []*sceneCall) (map[sceneID][]*sceneCall, error) {
	names := map[string]bool{}
	for _, c := range calls {
		if r := c.request(); r != "" {
			names[r] = true
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	entries, err := from.find(&sceneWant{columns: map[string]map[string]bool{"parent": names}, parents: names}, false)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	w := newWant() // their other entries
	var alone []*sceneEntry
	for _, e := range entries {
		if e.text(sceneRequest) == "" {
			alone = append(alone, e)
		}
		w.pair(e.text(sceneSession), e.text(sceneRequest))
	}
	rest, err := from.find(&w.want, false)
	if err != nil {
		return nil, err
	}
	young := foldCalls(append(alone, rest...))
	young = slices.DeleteFunc(young, func(c *sceneCall) bool { return !names[c.parent()] })
	parents, err := s.parentsOf(from, young)
	if err != nil {
		return nil, err
	}
	children := map[sceneID][]*sceneCall{}
	for _, c := range young {
		if up := parents[c]; up != nil && up != c {
			children[up.id()] = append(children[up.id()], c)
		}
	}
	return children, nil
}

// parentsOf finds the parents of calls that name one. It looks in their sessions first: only
// where there is none before a call are others looked at. A call that names its own request,
// which no other has, is its own parent.
func (s *scenes) parentsOf(from sceneSource, calls []*sceneCall) (map[*sceneCall]*sceneCall, error) {
	parents := map[*sceneCall]*sceneCall{}
	w := newWant()
	for _, c := range calls {
		w.pair(c.session(), c.parent())
	}
	if len(calls) == 0 {
		return parents, nil
	}
	entries, err := from.find(&w.want, false)
	if err != nil {
		return nil, err
	}
	own := map[[2]string][]*sceneCall{}
	for _, c := range foldCalls(entries) {
		key := [2]string{c.session(), c.request()}
		own[key] = append(own[key], c)
	}
	var left []*sceneCall
	names := map[string]bool{}
	for _, c := range calls {
		list := own[[2]string{c.session(), c.parent()}]
		if len(list) > 0 && list[0].compare(c) < 0 {
			parents[c], _ = nearest(c, list, nil, (*sceneCall).compare)
			continue
		}
		left = append(left, c)
		names[c.parent()] = true
	}
	if len(left) == 0 {
		return parents, nil
	}
	entries, err = from.find(&sceneWant{columns: map[string]map[string]bool{"request": names}, keep: func(_ string, _ int64, request string) bool { return names[request] }}, false)
	if err != nil {
		return nil, err
	}
	all := map[string][]*sceneCall{}
	for _, c := range foldCalls(entries) {
		all[c.request()] = append(all[c.request()], c)
	}
	for _, c := range left {
		if up, ok := nearest(c, own[[2]string{c.session(), c.parent()}], all[c.parent()], (*sceneCall).compare); ok {
			parents[c] = up
		} else if len(all[c.parent()]) > 0 {
			parents[c] = c
		}
	}
	return parents, nil
}

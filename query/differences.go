package query

import (
	"slices"
	"strings"
)

// differences are where a query that is accepted means something else than in Kusto.
var differences = []struct{ here, kusto string }{
	{"rows have the order of the ledger, which every operator but sort, top, summarize and join keeps", "no order without sort"},
	{"sort is stable, top too", "not promised"},
	{"summarize has groups in the order of their first rows; join gives left rows in order, and with each its right rows in order; union goes table by table", "no order"},
	{"a bag keeps the order of its members", "does not"},
	{"numbers in dynamics keep their digits", "become long or real"},
	{"datetimes have nanoseconds; two digits more are shown where they are not 0", "ticks of 100 ns"},
	{"dcount is exact, so are percentiles", "estimates"},
	{"arg_max and take_any take the first of several", "any"},
	{"take N gives the first N", "any N"},
	{"of left rows with the same key join takes the first; with a where on left columns right behind it, the first for which that is true", "any; with such a where one for which it is true"},
	{"explain before a query shows its plan", "translates SQL"},
}

// lacks are what of Kusto is missing beside operators, functions and aggregations.
const lacks = "plugins of evaluate; other clusters and databases; set and management commands"

// families are prefixes of functions that the list of those that are missing has once.
var families = []string{"convert_", "current_", "cursor_", "geo_", "node_", "series_"}

// lacked returns those of Kusto's names of one kind that we have not.
func lacked(kind string, names map[string]bool) (list []string) {
	has := map[string]bool{}
	for _, t := range Topics() {
		for _, n := range t.names() {
			has[n] = has[n] || t.Kind == kind
		}
	}
	for _, name := range inOrder(names) {
		if has[name] {
			continue
		}
		for _, f := range families {
			if strings.HasPrefix(name, f) {
				name = f + "*"
			}
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func inOrder(set map[string]bool) (names []string) {
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

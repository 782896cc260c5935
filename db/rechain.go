package db

import (
	"fmt"
	"maps"
	"slices"

	"toolledger/chain"
)

// The members of metadata that say of an entry what it was in the ledger that it was in
// before: its digest, and the pointers that were removed.
const (
	sourceDigest  = `"source_digest"`
	sourceRemoved = `"source_removed"`
)

// A source is where an entry was before: its index there, and its digest.
type source struct {
	index  uint64
	digest chain.Hash
}

// Rechain returns an entry of another ledger as one that can be chained here: without
// what the other ledger set, and with its digest there in metadata.source_digest. What
// was removed from it is named in metadata.source_removed.
func Rechain(e *chain.Evidence) Input {
	m := e.Entry
	m[chain.Recorded], m[chain.Index] = nil, nil
	fields := []field{{[]byte(sourceDigest), fmt.Appendf(nil, `"%x"`, e.Digest[:])}}
	if len(e.Removed) > 0 {
		list := []byte{'['}
		for i, pointer := range slices.Sorted(maps.Keys(e.Removed)) {
			if i > 0 {
				list = append(list, ',')
			}
			list = chain.AppendQuote(list, []byte(pointer))
		}
		fields = append(fields, field{[]byte(sourceRemoved), append(list, ']')})
	}
	for name, value := range chain.Members(m[chain.Metadata]) {
		if string(name) != sourceDigest && (string(name) != sourceRemoved || len(e.Removed) == 0) {
			fields = append(fields, field{name, value})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return chain.CompareNames(a.name, b.name) })
	m[chain.Metadata] = new(restorer).object(fields, nil)
	in, err := ParseInput(chain.TextOf(m.Append(nil)))
	if err != nil { // too large with what was added: it may still be known
		in = Input{m: m, session: e.Entry.SessionName(), refused: err}
	}
	in.source = &source{e.Entry.IndexNumber(), e.Digest}
	return in
}

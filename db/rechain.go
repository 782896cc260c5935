package db

import (
	"fmt"
	"slices"

	"toolledger/chain"
)

// sourceDigest is the member of metadata that has the digest of an entry in the ledger
// that it was first in.
const sourceDigest = `"source_digest"`

// A source is where an entry was before: its index there, and its digest.
type source struct {
	index  uint64
	digest chain.Hash
}

// Rechain returns an entry of another ledger as one that can be chained here: without
// what the other ledger set, and with its digest there in metadata.source_digest.
func Rechain(e *chain.Evidence) (Input, error) {
	m := e.Entry
	m[chain.Recorded], m[chain.Index] = nil, nil
	fields := []field{{[]byte(sourceDigest), fmt.Appendf(nil, `"%x"`, e.Digest[:])}}
	for name, value := range chain.Members(m[chain.Metadata]) {
		if string(name) != sourceDigest {
			fields = append(fields, field{name, value})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return chain.CompareNames(a.name, b.name) })
	m[chain.Metadata] = new(restorer).object(fields, nil)
	in, err := ParseInput(chain.TextOf(m.Append(nil)))
	in.source = &source{e.Entry.IndexNumber(), e.Digest}
	return in, err
}

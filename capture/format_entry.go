package capture

import "toolledger/chain"

var entryFormat = Format{
	Name:  "entry",
	Short: "toolledger's own: entries, and the lines of an export",
	Maps: `
an entry's member           the same member
{"entry":…} of an export    the entry, checked; its digest in metadata.source_digest`,
	Sniff: func(v Value) bool {
		if chain.IsEvidence(chain.TextOf(v)) {
			return true
		}
		if !v.Get("session").IsText() {
			return false
		}
		known := 0 // less those that are not: one may be misspelled
		for name := range v.Members() {
			if _, ok := chain.MemberOf(name); ok {
				known++
			} else {
				known--
			}
		}
		return known > 0
	},
}

var toolreplayFormat = Format{
	Name:  "toolreplay",
	Short: "a transcript of ToolReplay, sealed or not",
	Maps: `
index, tool, args, response the same members
digest, prev of a sealed one checked; the digest in metadata.source_digest
the file's name             session`,
	Sniff: func(v Value) bool {
		return v.Get("index").IsNumber() && v.Get("tool").IsText() && v.Get("args") != nil && v.Get("response") != nil && v.Get("session") == nil
	},
}

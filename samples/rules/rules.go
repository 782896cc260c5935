// Package rules is the pack of rules that 'toolledger rules' runs by itself: each file is a
// query in KQL that finds calls somebody should look at, with a name, a severity and what it
// does not take for such a call. They are read with audit.LoadRules.
package rules

import "embed"

// Files has the rules.
//
//go:embed *.yaml
var Files embed.FS

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"toolledger/capture"
	"toolledger/query"
)

// account returns what became of the lines of a file, as people read it: "" if each line is an
// entry, as the summary says already.
func account(r *capture.Report) string {
	var b strings.Builder
	if r.Source == r.Lines && r.Calls == 0 {
		return ""
	}
	fmt.Fprintf(&b, "%s: format %s, %s: %d source, %d context, %d repeated, %d skipped, %d refused\n",
		query.Visible(r.File), r.Format, things(uint64(r.Lines), "line"), r.Source, r.Context, r.Repeated, r.Skipped, r.Refused)
	if r.Calls > 0 {
		fmt.Fprintf(&b, "  %s in %s: %d unanswered, %d denied, %s\n", things(r.Calls, "call"), things(uint64(r.Sessions), "session"), r.Unanswered, r.Denied, things(r.Errors, "error"))
	}
	for _, k := range r.SkippedKinds {
		fmt.Fprintf(&b, "  skipped %s: %s", k.Kind, things(uint64(k.Lines), "line"))
		if k.First > 0 {
			fmt.Fprintf(&b, ", first %d", k.First)
		}
		if k.Text != "" {
			fmt.Fprintf(&b, ": %s", query.Visible(k.Text))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// things returns a number of things.
func things(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// writeReport writes reports to a file as JSON: their sums, and each in "files".
func writeReport(name string, reports []*capture.Report) error {
	var all struct {
		capture.Report
		Files []*capture.Report `json:"files"`
	}
	all.Files = reports
	for _, r := range reports {
		all.Add(r)
	}
	text, err := json.MarshalIndent(&all, "", "  ")
	if err == nil {
		err = os.WriteFile(name, append(text, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("cannot write the report %s: %w", name, cause(err))
	}
	return nil
}

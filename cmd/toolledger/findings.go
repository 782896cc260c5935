package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"toolledger/audit"
)

// writeFindings writes the head, which is known once all findings are, their
// number, and the findings.
func writeFindings(w io.Writer, findings iter.Seq2[audit.Finding, error], head func() string) error {
	var lines spill
	defer lines.close()
	n := 0
	for f, err := range findings {
		if err == nil {
			_, err = fmt.Fprintln(&lines, f)
		}
		if err != nil {
			return err
		}
		n++
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%sfindings: %d\n", head(), n)
	if err := lines.copyTo(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if n > 0 {
		return errFound
	}
	return nil
}

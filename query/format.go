package query

import "io"

// A Writer writes a result: Begin once, Rows for each batch, End once. What is written
// may be held back until End, but not more than its format needs.
type Writer interface {
	Begin(fields []Field) error
	Rows(b *Batch) error
	End() error
}

// A Format is a row of the table of formats.
type Format struct {
	Name string
	Doc  string
	Text bool // for people: a blank line stands between results
	New  func(w io.Writer, opt FormatOptions) Writer
}

// FormatOptions are what formats can be told.
type FormatOptions struct {
	Width   int    // of the terminal, in columns; 0: none, nothing is cut
	Color   bool   // ANSI colours
	CSVSafe bool   // text that a spreadsheet would take for a formula gets a quote in front
	NoHead  bool   // no names of columns in csv, tsv, table and markdown
	Null    string // what stands for null in csv, tsv, table, line and markdown; "": what the format has
	Exact   bool   // json and jsonl escape only what JSON must: not for a terminal
}

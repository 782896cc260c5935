package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"toolledger/query"
)

// maxScript is how many bytes a script may have, maxReading how deep scripts read others.
const (
	maxScript  = 16 << 20
	maxReading = 16
)

// A piece of a script is a dot command, or queries.
type piece struct {
	line    int // of its first line
	text    string
	command bool
}

// pieces cuts a script. A line that begins with a dot command is one where nothing is open. An
// empty line ends a statement, unless the next one goes on with |.
func pieces(text string) (list []piece) {
	lines := strings.SplitAfter(text, "\n")
	var block strings.Builder // queries
	start := 0                // of the block
	flush := func(next int) {
		if strings.Trim(query.OneLine(block.String()), "; ") != "" {
			list = append(list, piece{start + 1, block.String(), false})
		}
		block.Reset()
		start = next
	}
	from := 0 // of the statement in the block
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if !blank && !isDot(line) {
			block.WriteString(line)
			continue
		}
		ended, open := query.Ended(block.String()[from:])
		switch {
		case open != "":
			block.WriteString(line)
		case !blank:
			flush(i + 1)
			list = append(list, piece{i + 1, line, true})
			from = 0
		case ended || goesOn(lines[i+1:]) || query.OneLine(block.String()[from:]) == "":
			block.WriteString(line)
		default:
			block.WriteString(";" + line)
			from = block.Len()
		}
	}
	flush(0)
	return list
}

// goesOn tells whether the next line that is not empty begins with |.
func goesOn(lines []string) bool {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			return line[0] == '|'
		}
	}
	return true
}

// A PlaceError is what went wrong in a script, with the place: of what is wrong with a query,
// the place in it is the error's own.
type PlaceError struct {
	Name string
	Line int // 0: the error has it
	Err  error
}

func (e *PlaceError) Error() string {
	if e.Line == 0 {
		return e.Name + ":" + e.Err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err)
}

func (e *PlaceError) Unwrap() error { return e.Err }

// A ToldError is one that was told already.
type ToldError struct{ Err error }

func (e *ToldError) Error() string { return e.Err.Error() }
func (e *ToldError) Unwrap() error { return e.Err }

func readScript(in io.Reader, name string) ([]piece, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxScript+1))
	if err == nil && len(b) > maxScript {
		err = fmt.Errorf("a script may have %d bytes, this has more", maxScript)
	}
	if err != nil {
		return nil, placed(name, 1, err)
	}
	return pieces(string(b)), nil
}

// Check returns all that is wrong with the queries of a script, and runs nothing.
func Check(lang *query.Language, in io.Reader, name string, params map[string]string) error {
	list, err := readScript(in, name)
	if err != nil {
		return err
	}
	var text strings.Builder // the queries, each on its line; a ; stands in place of a command
	line := 1
	for _, p := range list {
		if !p.command {
			block := strings.TrimSuffix(p.text, "\n") + "\n;"
			text.WriteString(strings.Repeat("\n", p.line-line) + block)
			line = p.line + strings.Count(block, "\n")
		}
	}
	if err := lang.Check(text.String(), params); err != nil {
		return placed(name, 1, err)
	}
	return nil
}

// Script reads statements and commands and runs them. name is that of the file, "" for none.
// Its error is the first one, or a *QuitError.
func (s *Shell) Script(ctx context.Context, in io.Reader, name string) error {
	list, err := readScript(in, name)
	if err != nil {
		return err
	}
	var first error
	for _, p := range list {
		if p.command {
			err = s.command(ctx, p.text)
		} else {
			err = s.Ask(ctx, p.text, p.line)
		}
		var quit *QuitError
		switch {
		case err == nil:
			continue
		case errors.As(err, &quit), ctx.Err() != nil:
			return err
		}
		if err = placed(name, p.line, err); !s.Continue {
			return err
		}
		s.report(err)
		if first == nil {
			first = &ToldError{err}
		}
	}
	return first
}

// placed says where an error of a script is.
func placed(name string, line int, err error) error {
	var place *PlaceError
	if name == "" || errors.As(err, &place) {
		return err
	}
	var list []error
	for _, e := range OneByOne(err) {
		p := &PlaceError{query.Visible(name), line, e}
		if fault := (*query.Error)(nil); errors.As(e, &fault) {
			p.Line = 0
		}
		list = append(list, p)
	}
	if len(list) == 1 {
		return list[0]
	}
	return errors.Join(list...)
}

// ReadFile runs a script.
func (s *Shell) ReadFile(ctx context.Context, name string) error {
	if len(s.reading) == maxReading {
		return fmt.Errorf("scripts may read others %d deep", maxReading)
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("cannot read the script: %w", err)
	}
	defer f.Close()
	s.reading = append(s.reading, name)
	defer func() { s.reading = s.reading[:len(s.reading)-1] }()
	return s.Script(ctx, f, name)
}

package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolledger/query"
)

// complete returns how the line that is typed may go on.
func (s *Shell) complete(before string) (from int, list []string) {
	if s.pending == "" && isDot(before) || strings.TrimSpace(before) == "." {
		return s.completeCommand(before)
	}
	lang, release, err := s.language()
	if err != nil {
		return len(before), nil
	}
	defer release()
	text := s.pending
	if text != "" {
		text += "\n"
	}
	start := len(text)
	text += before
	c := lang.Complete(text, len(text))
	if c.From < start { // it began on a line before
		return len(before), nil
	}
	for _, x := range c.Candidates {
		list = append(list, x.Text)
	}
	if c.Column != "" {
		list = append(s.columnValues(c.Column, text[c.From:], c.Quoted), list...)
	}
	return c.From - start, list
}

// completeCommand completes a dot command and what stands behind its name.
func (s *Shell) completeCommand(before string) (from int, list []string) {
	indent := len(before) - len(strings.TrimLeft(before, " \t"))
	name, rest, behind := strings.Cut(before[indent+1:], " ")
	if !behind {
		for _, c := range s.commands() {
			if strings.HasPrefix(c.Name, name) && !(c.Unsafe && s.Safe) {
				list = append(list, c.Name)
			}
		}
		slices.Sort(list)
		return indent + 1, list
	}
	c, err := s.commandNamed(name)
	if err != nil {
		return len(before), nil
	}
	word := rest[strings.LastIndexByte(rest, ' ')+1:]
	from = len(before) - len(word)
	switch {
	case c.Files && !s.Safe:
		return from, files(word)
	case c.Name == "help":
		for _, c := range s.commands() {
			list = append(list, c.Name)
		}
		if lang, release, err := s.language(); err == nil {
			defer release()
			for _, t := range lang.Topics() {
				list = append(list, t.Name)
			}
		}
	case c.Name == "schema":
		if lang, release, err := s.language(); err == nil {
			defer release()
			for _, t := range lang.Tables() {
				list = append(list, t.Name)
			}
		}
	case c.Name == "explain":
		if lang, release, err := s.language(); err == nil {
			defer release()
			at := lang.Complete(rest, len(rest))
			for _, x := range at.Candidates {
				list = append(list, x.Text)
			}
			return len(before) - len(rest) + at.From, list
		}
	default:
		list = slices.Clone(c.Values)
	}
	list = slices.DeleteFunc(list, func(v string) bool { return !strings.HasPrefix(v, word) })
	slices.Sort(list)
	return from, slices.Compact(list)
}

// files returns the names of files that begin so. Folders end with a separator.
func files(word string) (list []string) {
	matches, err := filepath.Glob(globQuote(word) + "*")
	if err != nil {
		return nil
	}
	for _, m := range matches {
		if strings.ContainsAny(m, "'\" \t") || query.Visible(m) != m {
			continue // it would need quotes
		}
		if info, err := os.Stat(m); err == nil && info.IsDir() {
			m += string(filepath.Separator)
		}
		list = append(list, m)
	}
	return list
}

var globs = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

func globQuote(word string) string { return globs.Replace(word) }

// values are those of columns that have few: found once, when first asked for.
type values struct{ of map[string][]string }

// lowColumns are the columns whose values are offered, and how many at most.
var lowColumns = []string{"agent", "role", "tool", "action", "phase", "authorization", "policy", "environment", "session"}

const (
	mostValues = 200
	valuesTime = 200 * time.Millisecond
)

// columnValues returns the values of a column that begin with a prefix, as they stand in a
// query: in quotes, of which the first may be there already.
func (s *Shell) columnValues(column, prefix string, quoted bool) (list []string) {
	if !slices.Contains(lowColumns, column) {
		return nil
	}
	all, ok := s.values.of[column]
	if !ok {
		all = s.readValues(column)
		if s.values.of == nil {
			s.values.of = map[string][]string{}
		}
		s.values.of[column] = all
	}
	for _, v := range all {
		text := query.Quote(v)
		if quoted {
			text = text[1:]
		}
		if strings.HasPrefix(text, prefix) {
			list = append(list, text)
		}
	}
	return list
}

// readValues reads the values of a column, as many as there is time for.
func (s *Shell) readValues(column string) (list []string) {
	lang, release, err := s.language()
	if err != nil {
		return nil
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), valuesTime)
	defer cancel()
	from := "entries"
	if column == "session" {
		from = "sessions"
	}
	results, err := lang.Compile(ctx, from+" | distinct "+column+fmt.Sprint(" | take ", mostValues), nil)
	if err != nil {
		return nil
	}
	for b, err := range results[0].Batches(ctx) {
		if err != nil || b.Fill() != nil {
			break
		}
		for row := range b.N {
			if v := b.Cols[0].At(row); v.S != "" {
				list = append(list, v.S)
			}
		}
	}
	slices.Sort(list)
	return list
}

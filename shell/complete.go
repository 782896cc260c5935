package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	return c.From - start, s.offers(lang, c, text[c.From:])
}

// offers are the texts that stand for what is typed. Where nothing is, they are what there is
// most likely to be: values or members alone, else columns and words without the functions,
// and, in the brackets of a function, what its arguments are, to be read.
func (s *Shell) offers(lang *query.Language, c query.Completion, typed string) (list []string) {
	if c.Path != "" {
		return members(lang, c.Path, typed)
	}
	if c.Column != "" {
		list = s.columnValues(c.Column, typed, c.Quoted)
	}
	if typed == "" && len(list) > 0 {
		return list
	}
	few := typed == "" && slices.ContainsFunc(c.Candidates, func(x query.Candidate) bool { return !x.Call })
	for _, x := range c.Candidates {
		if !few || !x.Call {
			list = append(list, x.Text)
		}
	}
	if typed == "" && c.Call != "" {
		list = append(list, c.Call, "") // the empty one keeps an only one from being typed
	}
	return list
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

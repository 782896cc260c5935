package shell

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolledger/query"
)

// The history is a file of statements, one a line: a backslash is written \\, and the end of a
// line in a statement \n. It belongs to its user alone. Several shells append to it at once,
// each entry in one write.

// historySize is how many statements are kept where HISTSIZE says nothing; longest is how long
// one may be.
const (
	historySize = 1000
	longest     = 64 << 10
)

func historyLimit() int {
	if n, err := strconv.Atoi(os.Getenv("HISTSIZE")); err == nil && n >= 0 {
		return n
	}
	return historySize
}

// loadHistory reads the file, and cuts it once it has twice as many statements as are kept.
func (s *Shell) loadHistory() {
	if s.History == "" {
		return
	}
	list, err := readHistory(s.History)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.say("warning: no history: " + err.Error())
			s.History = ""
		}
		return
	}
	limit := historyLimit()
	if most := max(0, len(list)-limit); most > 0 {
		if len(list) > 2*limit {
			if err := writeHistory(s.History, list[most:]); err != nil {
				s.say("warning: the history was not cut: " + err.Error())
			}
		}
		list = list[most:]
	}
	for _, text := range list {
		s.input.Remember(text)
	}
}

// readHistory returns the statements of a file. What no shell has written is left out.
func readHistory(path string) (list []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, longest+2)
	for {
		line, err := in.ReadSlice('\n')
		for too := err; too == bufio.ErrBufferFull; line = nil {
			_, too = in.ReadSlice('\n')
			err = too
		}
		if text := unescapeHistory(strings.TrimSuffix(string(line), "\n")); text != "" && utf8.ValidString(text) {
			list = append(list, text)
		}
		if err == io.EOF {
			return list, nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			return list, err
		}
	}
}

func writeHistory(path string, list []string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".history-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var b strings.Builder
	for _, text := range list {
		b.WriteString(escapeHistory(text) + "\n")
	}
	_, err = f.WriteString(b.String())
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// remember makes a statement one that can be called back, now and later. What begins with a
// space is not kept, nor what has the ledger's key in it.
func (s *Shell) remember(text string) {
	if text[0] == ' ' || text[0] == '\t' || len(text) > longest {
		return
	}
	if key := strings.TrimSpace(os.Getenv("TOOLLEDGER_KEY")); key != "" && strings.Contains(text, key) {
		return
	}
	if !isDot(text) {
		text = query.OneLine(text)
	}
	if s.input == nil {
		return
	}
	s.input.Remember(text)
	if s.History == "" || historyLimit() == 0 {
		return
	}
	err := appendHistory(s.History, text)
	if err != nil {
		s.say("warning: no history: " + err.Error())
		s.History = ""
	}
}

func appendHistory(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(escapeHistory(text) + "\n")
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

var historyEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

func escapeHistory(text string) string { return historyEscapes.Replace(text) }

func unescapeHistory(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' || i+1 == len(line) {
			b.WriteByte(line[i])
			continue
		}
		switch i++; line[i] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte(line[i])
		}
	}
	return b.String()
}

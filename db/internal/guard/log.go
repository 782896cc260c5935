package guard

import (
	"fmt"
	"strings"
	"sync"
)

// A Log is a badger.Logger. An ERROR line fails it for good: some errors Badger
// only logs, a failed sync of its value log among them, and the commit succeeds.
// The last lines of every level are kept for a diagnosis; nothing is printed.
//
// The zero Log is ready for use.
type Log struct {
	mu     sync.Mutex
	failed error
	lines  [50]string
	count  int // of lines ever added
}

// Failed returns the first ERROR line as an error, nil if there was none.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Lines returns the last 50 lines, oldest first.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for i := max(0, l.count-len(l.lines)); i < l.count; i++ {
		lines = append(lines, l.lines[i%len(l.lines)])
	}
	return lines
}

func (l *Log) Errorf(format string, args ...any)   { l.add("ERROR", format, args) }
func (l *Log) Warningf(format string, args ...any) { l.add("WARNING", format, args) }
func (l *Log) Infof(format string, args ...any)    { l.add("INFO", format, args) }
func (l *Log) Debugf(format string, args ...any)   { l.add("DEBUG", format, args) }

func (l *Log) add(level, format string, args []any) {
	text := format
	if len(args) > 0 { // Badger passes ready text as a format, too
		text = fmt.Sprintf(format, args...)
	}
	text = strings.TrimSpace(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[l.count%len(l.lines)] = level + " " + text
	l.count++
	if level == "ERROR" && l.failed == nil {
		l.failed = fmt.Errorf("badger: %s", text)
	}
}

package shell

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolledger/query"
)

// values are what stands in the ledger and may be typed: the values of columns that have few.
// They are read beside the typing, from when there is a prompt, so that no key waits for a scan.
type values struct {
	lists map[string]*valueList // by column
	stop  func()                // ends the reading
}

// A valueList is the values of a column, once done is closed.
type valueList struct {
	done  chan struct{}
	texts []string
}

// lowColumns are the columns whose values are offered, in the order in which they are read, and
// mostValues how many at most.
var lowColumns = []string{"tool", "agent", "phase", "authorization", "policy", "session", "role", "action", "environment"}

const mostValues = 200

// valuesTime is how long a list may be read: what is not found by then is not offered.
const valuesTime = 200 * time.Millisecond

// readAhead begins to read the values of the ledger that is open.
func (s *Shell) readAhead() {
	s.stopReading()
	lang, release, err := s.language()
	if err != nil {
		return
	}
	v := values{lists: map[string]*valueList{}}
	for _, column := range lowColumns {
		v.lists[column] = &valueList{done: make(chan struct{})}
	}
	ctx, cancel := context.WithCancel(context.Background())
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer release()
		for _, column := range lowColumns {
			from := "entries"
			if column == "session" {
				from = "sessions"
			}
			l := v.lists[column]
			l.texts = readTexts(ctx, lang, fmt.Sprintf("%s | distinct %s | take %d", from, column, mostValues))
			close(l.done)
		}
	}()
	v.stop = func() {
		cancel()
		<-finished
	}
	s.values = v
}

// stopReading forgets the values, and leaves the ledger alone.
func (s *Shell) stopReading() {
	if s.values.stop != nil {
		s.values.stop()
	}
	s.values = values{}
}

// columnValues returns the values of a column that begin with a prefix, as they stand in a
// query: in quotes, of which the first may be there already.
func (s *Shell) columnValues(column, prefix string, quoted bool) (list []string) {
	l := s.values.lists[column]
	if l == nil {
		return nil
	}
	<-l.done
	for _, v := range l.texts {
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

// memberRows is how many entries are looked at for the names of members: few, for a key waits.
const memberRows = 1000

// members returns the names of the members that a dynamic value has, as they stand behind a
// dot, if they begin with a prefix: those of the first entries that have the value. One that
// would stand in ['...'] is not among them.
func members(lang *query.Language, path, prefix string) (list []string) {
	text := fmt.Sprintf("entries | where isnotempty(%s) | take %d | mv-expand name = bag_keys(%[1]s) to typeof(string) | distinct name | where name matches regex '^[A-Za-z_][A-Za-z0-9_]*$' | take %[3]d", path, memberRows, mostValues)
	for _, name := range readTexts(context.Background(), lang, text) {
		if strings.HasPrefix(name, prefix) {
			list = append(list, name)
		}
	}
	return list
}

// readTexts returns the texts in the only column of a query's result, in order: those that
// there is time for.
func readTexts(ctx context.Context, lang *query.Language, text string) (list []string) {
	ctx, cancel := context.WithTimeout(ctx, valuesTime)
	defer cancel()
	results, err := lang.Compile(ctx, text, nil)
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

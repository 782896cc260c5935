package query

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestManual holds the lists in the package's documentation against the tables. With
// -rewrite it writes them.
func TestManual(t *testing.T) {
	lists := manualLists()
	var out strings.Builder
	heading, inList := "", false
	for line := range strings.Lines(packageDoc) {
		if h, ok := strings.CutPrefix(line, "// # "); ok {
			heading, inList = strings.TrimSpace(h), false
		}
		if want, ok := lists[heading]; ok && strings.HasPrefix(line, "//\t") {
			if !inList {
				out.WriteString("//\t" + strings.Join(want, "\n//\t") + "\n")
			}
			inList = true
			continue
		}
		if inList { // nothing else of the heading may be a list
			delete(lists, heading)
		}
		out.WriteString(line)
	}
	for name := range lists {
		t.Errorf("the manual has no list under %s", name)
	}
	if out.String() == packageDoc {
		return
	}
	if !*rewrite {
		t.Errorf("doc.go is not what the tables say; go test ./query -rewrite writes\n%s", out.String())
	} else if err := os.WriteFile("doc.go", []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestTopics holds the topics of what has no table of its own against what is bound, and
// runs their examples.
func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	named := func(topics []Topic) (names []string) {
		for _, topic := range topics {
			names = append(names, topic.names()...)
		}
		slices.Sort(names)
		return names
	}
	var special []string
	for name := range specialFuncs {
		special = append(special, name)
	}
	slices.Sort(special)
	if got := named(specialTopics); !slices.Equal(got, special) {
		t.Errorf("there are topics for %v, special functions are %v", got, special)
	}
	if got, want := named(multiTopics), inOrder(multiAggs); !slices.Equal(got, want) {
		t.Errorf("there are topics for %v, aggregations with several results are %v", got, want)
	}
	var comparisons []string
	for _, level := range levels {
		for name := range level {
			_, _, err := rowsOf(Options{}, `print r = ("a" `+name+` "b")`)
			if word := strings.TrimPrefix(name, "!"); word[0] >= 'a' && word[0] <= 'z' && (err == nil || !strings.Contains(err.Error(), "not supported here")) {
				comparisons = append(comparisons, name)
			}
		}
	}
	slices.Sort(comparisons)
	if got := named(comparisonTopics); !slices.Equal(got, comparisons) {
		t.Errorf("there are topics for %v, operators between values are %v", got, comparisons)
	}
	for _, topic := range Topics() {
		for _, name := range topic.names() {
			if key := topic.Kind + " " + name; seen[key] {
				t.Errorf("%s comes twice", key)
			} else {
				seen[key] = true
			}
		}
		if topic.Doc == "" || !strings.Contains(topic.Usage, topic.Name) || !strings.Contains(topic.Example, topic.Name) {
			t.Errorf("the topic %s is not complete: %+v", topic.Name, topic)
		}
		text, err := Help(topic.Name)
		if err != nil || !strings.Contains(text, topic.Usage) {
			t.Errorf("help of %s is %q, %v", topic.Name, text, err)
		}
	}
	for _, topic := range slices.Concat(specialTopics, comparisonTopics) {
		_, rows, err := rowsOf(Options{}, "print r = ("+topic.Example+")")
		if err != nil || !rows[0][0].Bool() {
			t.Errorf("%s: %s is %v, %v", topic.Name, topic.Example, rows, err)
		}
	}
	for _, topic := range slices.Concat(statementTopics, tableTopics, multiTopics) {
		if _, rows, err := rowsOf(Options{}, topic.Example); err != nil || len(rows) == 0 || len(rows) == 1 && !rows[0][0].Bool() {
			t.Errorf("%s: %s gives %v, %v", topic.Name, topic.Example, rows, err)
		}
	}
}

func TestHelpUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"wher":        "KQL has nothing named 'wher' here, did you mean 'where'?",
		"evaluate":    "'evaluate' is KQL but not supported here",
		"series_fir":  "'series_fir' is KQL but not supported here",
		"strlenn":     "KQL has nothing named 'strlenn' here, did you mean 'strlen'?",
		"database":    "'database' is KQL but not supported here",
		"xyzzyplughs": "KQL has nothing named 'xyzzyplughs' here",
	} {
		if _, err := Help(name); err == nil || err.Error() != want {
			t.Errorf("help of %s: %v", name, err)
		}
	}
	// What the manual says is missing is refused.
	missing := slices.Concat(lacked("operator", kqlOperators()), lacked("function", kqlFunctions()), lacked("aggregation", kqlAggregations()))
	for _, name := range missing {
		if text, err := Help(name); !strings.HasSuffix(name, "*") && (err == nil || !strings.Contains(err.Error(), "not supported here")) && !isOther(name) {
			t.Errorf("%s is missing, help says %q, %v", name, text, err)
		}
	}
	if len(missing) < 50 {
		t.Errorf("%d names are missing", len(missing))
	}
}

// isOther tells whether we have a name, if not as what Kusto has it as too.
func isOther(name string) bool {
	return slices.ContainsFunc(Topics(), func(t Topic) bool { return slices.Contains(t.names(), name) })
}

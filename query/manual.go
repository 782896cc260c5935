package query

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The manual is the package's documentation up to where it turns to the source. Its lists
// are made of the tables, as a test sees to.

//go:embed doc.go
var packageDoc string

// Manual returns the manual of the language as text, with a list of the operators besides
// those of the core.
func Manual(besides ...Operator) string {
	var out strings.Builder
	for line := range strings.Lines(packageDoc) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "//")
		if !ok || strings.HasPrefix(text, " # Reading the source") {
			break
		}
		text = strings.TrimPrefix(text, " ")
		if list, ok := strings.CutPrefix(text, "\t"); ok {
			text = "    " + list
		}
		if heading, ok := strings.CutPrefix(text, "# "); ok {
			text = strings.ToUpper(heading)
		}
		out.WriteString(strings.NewReplacer("[LedgerTables]", "A ledger").Replace(text) + "\n")
	}
	text := strings.TrimRight(out.String(), "\n") + "\n"
	if len(besides) > 0 {
		text += "\nFURTHER OPERATORS\n\n"
	}
	for _, op := range besides {
		text += "    " + strings.Join(beside(op.Usage, op.Doc, 40), "\n    ") + "\n"
	}
	return text
}

// Help says what there is to say of a name of the language. The error of a name that is
// none, or that Kusto has and we have not, says so.
func Help(name string, besides ...Operator) (string, error) {
	var out strings.Builder
	var all []string
	for _, t := range Topics(besides...) {
		all = append(all, t.names()...)
		if slices.Contains(t.names(), name) {
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			out.WriteString(t.text())
		}
	}
	switch {
	case out.Len() > 0:
		return out.String(), nil
	case isKQL(name) || kqlStatements[name]:
		return "", fmt.Errorf("'%s' is KQL but not supported here", name)
	}
	return "", fmt.Errorf("KQL has nothing named '%s' here%s", name, DidYouMean(name, all))
}

func (t *Topic) text() string {
	text := fmt.Sprintf("%s %s\n\n    %s\n    %s\n", t.Kind, t.Name, t.Usage, t.Doc)
	if len(t.Aliases) > 0 {
		text += "    Also: " + joined(t.Aliases) + "\n"
	}
	return text + "\nExample:\n    " + t.Example + "\n"
}

// manualLists are the lists of the manual that tables make, by the headings that they stand
// under.
func manualLists() map[string][]string {
	lists := map[string][]string{"Differences from Kusto": differenceLines(), "What is missing": missingLines()}
	for _, op := range sortedOperators() {
		if op.Source {
			lists["Sources"] = append(lists["Sources"], beside(op.Usage, op.Doc, 40)...)
			continue
		}
		name := op.Name
		if len(op.Aliases) > 0 {
			name += " (" + joined(op.Aliases) + ")"
		}
		lists["Operators"] = append(lists["Operators"], beside(name, op.Doc, 21)...)
	}
	names := map[string][]string{}
	for _, t := range Topics() {
		names[t.Kind] = append(names[t.Kind], t.Name)
	}
	lists["Functions"] = Wrap(joined(names["function"]), manualWidth, "")
	lists["Aggregations"] = Wrap(joined(names["aggregation"]), manualWidth, "")
	return lists
}

func sortedOperators() []*Op {
	return slices.SortedFunc(slices.Values(operators), func(a, b *Op) int { return strings.Compare(a.Name, b.Name) })
}

// manualWidth is how wide lists in the manual are.
const manualWidth = 88

func differenceLines() (lines []string) {
	lines = beside("here", "in Kusto", 52)
	for _, d := range differences {
		left := Wrap(d.here, 50, "  ")
		left[0] += strings.Repeat(" ", 52-utf8.RuneCountInString(left[0])) + d.kusto
		lines = append(lines, left...)
	}
	return lines
}

func missingLines() (lines []string) {
	for _, text := range []string{
		"operators: " + joined(lacked("operator", kqlOperators())), "functions: " + joined(lacked("function", kqlFunctions())),
		"aggregations: " + joined(lacked("aggregation", kqlAggregations())), "further: " + lacks,
	} {
		lines = append(lines, Wrap(text, manualWidth, "  ")...)
	}
	return lines
}

// beside puts a text beside a name, in a column of its own.
func beside(name, text string, column int) []string {
	lines := Wrap(text, manualWidth-column, "")
	for i := range lines {
		lines[i] = strings.Repeat(" ", column) + lines[i]
	}
	if len(name) >= column {
		return append([]string{name}, lines...)
	}
	lines[0] = name + lines[0][len(name):]
	return lines
}

// Wrap breaks a text into lines of some width, all but the first of them indented.
func Wrap(text string, width int, indent string) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = indent + word
			continue
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

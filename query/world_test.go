package query

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"toolledger/chain"
)

// Random ledgers, and random conditions on their entries.

// awkwardTexts are values that code which looks for texts is likely to get wrong.
var awkwardTexts = []string{
	"", "x", "bash", "Bash", "read_file", "read file", "READ-FILE", "agent 1", "agent 2", "Agent_2", "1", "01", "1.0", "2.0", "-1", "+1", "1e3", "9007199254740993", "true", "True", "false", "null", "nan",
	"a_b", "a.b", "_a", "a_", "a b c", " x ", "x\ty", "two\nlines", `say "no"`, `back\slash`, `["a b","c"]`, `{"deep":"x"}`, `{}`, `[]`, `"`, `""`, "Größe", "GRÖSSE", "straße", "STRASSE", "Kelvin \u212a", "ba\u017fh",
	"Ελλάδα ΟΔΟΣ", "οδος", "删除文件", "请删除文件 now", "ファイル", "ไฟล์ลบ", "한국어 삭제", "😀 ok", "e\u0301", "é", "İstanbul", "ı", "ǅ", "/etc/passwd", "/etc/shadow.bak", "docs/Intro.md", "https://example.com/a?b=c&d=1.2.3",
	"00000000-0000-0000-0000-000000000001", "6F9619FF-8B86-D011-B42D-00C04FC964FF", "2026-01-02", "2026-01-02T03:04:05Z", "1.00:00:00", "req_0001", "req_0002", "deadbeef01", "ALLOWED", "x1y2z3", "1x", "1_000",
}

var awkwardWords = strings.Fields("the user asked Ignore ignored previous instructions delete file Delete a_b x-y 1.2.3 v1 12 Größe größe 删除 文件 ไฟล์ ok OK user's don't \u212aelvin ba\u017fh naïve _ __ . , ; 😀")

// A world is random, and the same for a seed.
type world struct {
	*rand.Rand
	texts []string // that entries have
	loads int      // so far: entries of one are near in time
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

func pick[T any](w *world, list ...T) T { return list[w.IntN(len(list))] }

func (w *world) text() string {
	switch w.IntN(5) {
	case 0:
		return w.sentence()
	case 1:
		return pick(w, "req_", "id-", "/srv/", "agent ") + fmt.Sprint(w.IntN(30)) + pick(w, "", "", ".txt", " "+pick(w, awkwardWords...))
	}
	return pick(w, awkwardTexts...)
}

func (w *world) sentence() string {
	var words []string
	for range 1 + w.IntN(20) {
		words = append(words, pick(w, awkwardWords...))
	}
	return strings.Join(words, pick(w, " ", " ", "  ", ", ", "\n"))
}

func (w *world) json(depth int) string {
	switch n := w.IntN(12); {
	case n < 5:
		return string(chain.Quote(w.text()))
	case n < 8:
		return pick(w, "0", "1", "-1", "2.0", "1e3", "0.1", "9007199254740993", "123456789012345678901234567890", "1.50")
	case n == 8:
		return pick(w, "true", "false", "null")
	case n == 9 && depth > 0:
		return "[" + w.json(depth-1) + "," + w.json(depth-1) + "]"
	case n == 10 && depth > 0:
		return w.object(depth - 1)
	}
	return pick(w, `""`, "{}", "[]")
}

var someNames = []string{"path", "n", "q", "a b", `a"b`, "é", "0", "path2"}

func (w *world) object(depth int) string {
	var members []string
	for _, name := range someNames {
		if w.IntN(3) == 0 {
			members = append(members, string(chain.Quote(name))+":"+w.json(depth))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// entry makes an entry. What few gives, the entries of a block have in common, so that
// some blocks have what others have not.
func (w *world) entry(few func() string) string {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	members := []string{
		`"session":` + string(chain.Quote(pick(w, "s1", "s2", "S1", "session 3", "üb", "会话", fmt.Sprint("many", w.IntN(20)), fmt.Sprint("load", w.loads)))),
		`"time":"` + begin.Add(time.Duration(6*w.loads+w.IntN(12))*time.Hour+time.Duration(w.IntN(3))*100+time.Duration(w.IntN(3))).Format(time.RFC3339Nano) + `"`,
	}
	add := func(name, value string) {
		if w.IntN(3) > 0 {
			members = append(members, `"`+name+`":`+value)
		}
	}
	for _, name := range []string{"id", "agent", "role", "tool", "action", "policy", "request", "parent", "prompt", "environment"} {
		add(name, string(chain.Quote(few())))
	}
	add("authorization", pick(w, `"ALLOWED"`, `"DENIED"`))
	add("phase", pick(w, `"ATTEMPT"`, `"START"`, `"COMPLETE"`, `"ERROR"`))
	add("reasoning", string(chain.Quote(w.sentence())))
	add("args", w.object(2))
	add("metadata", w.object(2))
	add("response", pick(w, w.json(2), w.object(2)))
	add("context", `[`+string(chain.Quote(w.text()))+`,`+string(chain.Quote(w.text()))+`]`)
	add("duration_ms", pick(w, "0", "1", "2.5", "-3", "1e3", "99.50"))
	return "{" + strings.Join(members, ",") + "}"
}

// ledger makes a ledger of some blocks, each of a load, and a tail.
func (w *world) ledger(t *testing.T) []Table {
	t.Helper()
	led := newLedger(t)
	entries := func(n int) (list [][]byte) {
		w.loads++
		pool := make([]string, 1+w.IntN(8)) // few distinct values, other ones in each block
		for i := range pool {
			pool[i] = w.text()
		}
		few := func() string { return pick(w, pool...) }
		for range n {
			list = append(list, []byte(w.entry(few)))
		}
		return list
	}
	blocks := 3 + w.IntN(2)
	for i := range blocks + 2 { // the last two are too short for a block of their own
		n := 1 + w.IntN(60)
		if i < blocks {
			n += 1024
		}
		loadEntries(t, led, entries(n))
	}
	for _, e := range entries(w.IntN(60)) {
		if _, err := led.AppendJSON(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := led.Stats(); err != nil || st.Blocks < uint64(blocks) || st.Tail == 0 {
		t.Fatalf("the ledger has %d blocks, expected %d or more, and %d entries behind them, %v", st.Blocks, blocks, st.Tail, err)
	}
	return tablesOf(t, led)
}

var (
	textColumns    = strings.Fields("session id agent role tool action authorization policy phase request parent trace reasoning prompt environment digest")
	dynamicColumns = []string{"args", "response", "metadata", "context"}
	textOperators  = strings.Fields("== != =~ !~ < > <= >= has !has has_cs !has_cs contains !contains contains_cs !contains_cs startswith !startswith startswith_cs !startswith_cs " +
		"endswith !endswith endswith_cs !endswith_cs hasprefix !hasprefix hasprefix_cs hassuffix !hassuffix hassuffix_cs")
	listOperators   = strings.Fields("in !in in~ !in~ has_any has_all")
	numberOperators = strings.Fields("== != < > <= >= in !in between !between")
)

// needle is what a condition looks for: often a part of a text that some entry has.
func (w *world) needle() string {
	s := w.text()
	if len(w.texts) > 0 && w.IntN(3) > 0 {
		s = pick(w, w.texts...)
	}
	runes := []rune(s)
	switch n := len(runes); w.IntN(8) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	case 2:
		if n > 1 {
			from := w.IntN(n)
			return string(runes[from : from+1+w.IntN(n-from)])
		}
	case 3:
		if f := strings.FieldsFunc(s, func(r rune) bool { return !isTermRune(r) }); len(f) > 0 {
			return pick(w, f...)
		}
	case 4:
		if n > 0 {
			return string(runes[:1+w.IntN(n)])
		}
	}
	return s
}

func (w *world) literal(s string) string {
	if w.IntN(6) == 0 && !strings.ContainsAny(s, "\n\t\"") {
		return `@"` + s + `"`
	}
	return Quote(s)
}

func (w *world) list(item func() string) string {
	var list []string
	for range 1 + w.IntN(4) {
		list = append(list, item())
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// array is a list as a dynamic.
func (w *world) array() string {
	var list []string
	for range 1 + w.IntN(3) {
		if w.IntN(4) == 0 {
			list = append(list, w.json(1))
		} else {
			list = append(list, string(chain.Quote(w.needle())))
		}
	}
	return "(dynamic([" + strings.Join(list, ",") + "]))"
}

func (w *world) dynamic() string {
	base := pick(w, "args", "args", "response", "metadata")
	switch w.IntN(5) {
	case 0:
		return pick(w, dynamicColumns...)
	case 1:
		return base + "[" + Quote(pick(w, someNames...)) + "]"
	case 2:
		return base + pick(w, ".path", ".n", "[\"path\"]") + pick(w, ".q", "[0]", "[-1]", `["a b"]`)
	}
	return base + "." + pick(w, "path", "n", "q", "nothing")
}

// atom is a condition without and, or and not around it.
func (w *world) atom() string {
	text := func() string { return w.literal(w.needle()) }
	switch w.IntN(14) {
	case 0, 1, 2, 3:
		return w.textual(pick(w, textColumns...), text)
	case 4, 5, 6:
		x := w.dynamic()
		if w.IntN(3) == 0 {
			x = "tostring(" + x + ")"
		}
		return w.textual(x, text)
	case 7:
		return w.numeric(w.dynamic(), func() string { return pick(w, "0", "1", "-1", "2.0", "1000", "0.1", "9007199254740993", "true") })
	case 8:
		return w.numeric("duration_ms", func() string { return pick(w, "0", "1", "2.5", "-3", "1000", "99.5", "real(nan)", "real(null)") })
	case 9:
		return w.numeric(pick(w, "seq", "index"), func() string { return fmt.Sprint(w.IntN(pick(w, 3, 40, 400))) })
	case 10, 11:
		return w.numeric(pick(w, "time", "time", "time", "recorded"), w.moment)
	case 12:
		x := pick(w, pick(w, textColumns...), w.dynamic(), "tostring("+w.dynamic()+")", "duration_ms", "time")
		return pick(w, "isempty", "isnotempty", "isnull", "isnotnull") + "(" + x + ")"
	}
	if w.IntN(3) == 0 { // of texts stored word by word
		return "reasoning " + pick(w, "has", "has", "has_cs", "!has", "has_any", "has_all", "contains") + " (" + w.literal(strings.Join([]string{pick(w, awkwardWords...), pick(w, awkwardWords...)}[:1+w.IntN(2)], " ")) + ")"
	}
	x := pick(w, textColumns...)
	return pick(w,
		"has_response", "has_response == false", "* has "+text(), text()+" == "+x, "tolower("+x+") == tolower("+text()+")", x+" == strcat("+text()+", "+text()+")",
		x+" == "+pick(w, textColumns...), "strlen("+x+") > 3", x+" matches regex "+Quote(pick(w, "^$", "a.*b", "(?i)bash", "[0-9]+")), "iff("+x+" has "+text()+", true, false)",
		"coalesce("+x+", \"x\") == "+text(), "session == "+text()+" and session == "+text())
}

// selective is a condition that is likely to be true in some blocks alone.
func (w *world) selective() string {
	x, value := pick(w, "id", "agent", "tool", "request", "policy", "args.path", "tostring(args.q)"), func() string { return w.literal(pick(w, w.texts...)) }
	switch w.IntN(4) {
	case 0:
		return x + " " + pick(w, listOperators[0], listOperators[2], "has_any") + " " + w.list(value)
	case 1:
		return "time between (" + w.moment() + " .. " + pick(w, "1h", "12h", "1d") + ")"
	}
	return x + " " + pick(w, "==", "=~", "has", "has_cs", "startswith", "startswith_cs", "hasprefix", "contains_cs") + " " + value()
}

func (w *world) textual(x string, text func() string) string {
	switch w.IntN(5) {
	case 0:
		return x + " " + pick(w, listOperators...) + " " + w.list(text)
	case 1:
		return x + " " + pick(w, listOperators...) + " " + w.array()
	case 2:
		if w.IntN(3) == 0 && x[0] != 'd' {
			return x + pick(w, " between (", " !between (") + text() + " .. " + text() + ")"
		}
	}
	return x + " " + pick(w, textOperators...) + " " + text()
}

func (w *world) numeric(x string, value func() string) string {
	switch op := pick(w, numberOperators...); op {
	case "in", "!in":
		return x + " " + op + " " + w.list(value)
	case "between", "!between":
		return x + " " + op + " (" + value() + " .. " + value() + ")"
	default:
		return x + " " + op + " " + value()
	}
}

func (w *world) moment() string {
	at := time.Date(2026, 1, 1, w.IntN(40), 0, 0, 0, time.UTC)
	return fmt.Sprintf("datetime(%s%s)", at.Format("2006-01-02 15:04:05"), pick(w, "", "", ".0000001", ".0000002"))
}

// condition is atoms with and, or and not between and around them.
func (w *world) condition(depth int) string {
	if depth > 0 {
		switch w.IntN(7) {
		case 0, 1, 2:
			return "(" + w.condition(depth-1) + ") and (" + w.condition(depth-1) + ")"
		case 3:
			return "(" + w.condition(depth-1) + ") or (" + w.condition(depth-1) + ")"
		case 4:
			return "not(" + w.condition(depth-1) + ")"
		}
	}
	return w.atom()
}

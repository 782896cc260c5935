package query

import (
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

func TestLex(t *testing.T) {
	names := map[lexer.TokenType]string{}
	for name, kind := range tokenSymbols {
		names[kind] = name
	}
	for text, want := range map[string]string{
		"":                             "EOF:",
		"T | where a-b >= 1":           "Ident:T Punct:| Ident:where Ident:a Punct:- Ident:b Punct:>= Number:1 EOF:",
		"project-away a, mv-expand-b":  "Ident:project-away Ident:a Punct:, Ident:mv-expand Punct:- Ident:b EOF:",
		"x !in~ (1) !has y !~ z != w":  "Ident:x Punct:!in~ Punct:( Number:1 Punct:) Punct:!has Ident:y Punct:!~ Ident:z Punct:!= Ident:w EOF:",
		"in~ in ~":                     "Ident:in~ Ident:in Punct:~ EOF:",
		"1d 1.5h 10ms 1day 3tick 1abc": "Timespan:1d Timespan:1.5h Timespan:10ms Timespan:1day Timespan:3tick Ident:1abc EOF:",
		"0x1F 12 1.5 1e3 1E-3 2..3":    "Number:0x1F Number:12 Number:1.5 Number:1e3 Number:1E-3 Number:2 Punct:.. Number:3 EOF:",
		"a.b[0].c":                     "Ident:a Punct:. Ident:b Punct:[ Number:0 Punct:] Punct:. Ident:c EOF:",
		`"a\"b" 'c' @"d\" h'e' h@"f"`:  `String:"a\"b" String:'c' String:@"d\" String:h'e' String:h@"f" EOF:`,
		"```a\nb``` ~~~'~~~":           "String:```a\nb``` String:~~~'~~~ EOF:",
		"a // b | c\n/ d":              "Ident:a Punct:/ Ident:d EOF:",
		"datetime(2026-01-02 03:04)":   "Literal:datetime(2026-01-02 03:04) EOF:",
		"dynamic({\"a\": [\")\"]}) x":  "Literal:dynamic({\"a\": [\")\"]}) Ident:x EOF:",
		"datetime, long":               "Ident:datetime Punct:, Ident:long EOF:",
		"\ufeffa\u00a0b\r\n\tc":        "Ident:a Ident:b Ident:c EOF:",
		"$left.a == $right.b":          "Ident:$left Punct:. Ident:a Punct:== Ident:$right Punct:. Ident:b EOF:",
	} {
		list, err := lex(text)
		var got []string
		for _, tok := range list {
			got = append(got, names[tok.Type]+":"+tok.Value)
		}
		if s := strings.Join(got, " "); err != nil || s != want {
			t.Errorf("%q: %s, %v, expected %s", text, s, err, want)
		}
	}
}

func TestLexPlaces(t *testing.T) {
	list, err := lex("é\u00a0")
	if err == nil {
		t.Errorf("é is %v", list)
	}
	list, err = lex("a 'é' b\n  // c\n```\n\n``` d")
	if err != nil {
		t.Fatal(err)
	}
	want := []lexer.Position{{Offset: 0, Line: 1, Column: 1}, {Offset: 2, Line: 1, Column: 3}, {Offset: 7, Line: 1, Column: 7}, {Offset: 16, Line: 3, Column: 1}, {Offset: 25, Line: 5, Column: 5}, {Offset: 26, Line: 5, Column: 6}}
	for i, tok := range list {
		if tok.Pos != want[i] {
			t.Errorf("%q stands at %+v, expected %+v", tok.Value, tok.Pos, want[i])
		}
	}
}

// FuzzLex checks that tokens are parts of the text, in order, between which nothing but
// white space and comments is.
func FuzzLex(f *testing.F) {
	for _, op := range operators {
		f.Add(op.Example)
	}
	for _, text := range []string{"'", `"\`, "@'a''b'", "```", "~~~a~~~", "h", "h@", "0x", "1e", "1e+", "1.", "1..2", "1.5d", "datetime(", "dynamic(')')", "mv-", "in~~", "!", "!in~", "a//b", "\ufeff\u00a0", "\xff", "é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := lex(text)
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Offset < 0 || e.Offset > len(text) || e.End < e.Offset || e.End > len(text) {
				t.Fatalf("%#v of %d bytes", err, len(text))
			}
			return
		}
		end := 0
		for _, tok := range list {
			from := tok.Pos.Offset
			if from < end || text[from:from+len(tok.Value)] != tok.Value || tok.Value == "" && !tok.EOF() {
				t.Fatalf("%q at %d, behind %d", tok.Value, from, end)
			}
			if more, err := lex(text[end:from]); err != nil || len(more) != 1 {
				t.Fatalf("%q is left out", text[end:from])
			}
			if line := 1 + strings.Count(text[:from], "\n"); tok.Pos.Line != line {
				t.Fatalf("%q is on line %d, not %d", tok.Value, line, tok.Pos.Line)
			}
			end = from + len(tok.Value)
		}
		if end != len(text) || !list[len(list)-1].EOF() {
			t.Fatalf("tokens end at %d of %d", end, len(text))
		}
	})
}

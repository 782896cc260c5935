package query

import (
	"context"
	"strings"
	"testing"
)

func TestParseKeyValues(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`print s = "ThreadId:458745723, Machine:Node001, Text: The service is up, Level: Info" | parse-kv s as (Text:string, ThreadId:long, Machine:string) with (pair_delimiter=",", kv_delimiter=":") | project-away s`,
			"Text ThreadId Machine: The service is up,458745723,Node001"},
		// Of several values the first, of none a null; white space does not count.
		{`print s = "k1=1;k2=2;k1=3" | parse-kv s as (k1:int, k2:int, k3:int, k4:string) with (pair_delimiter=";", kv_delimiter="=") | project-away s`, "k1 k2 k3 k4: 1,2,-,"},
		{`print s = "  key  =  value  " | parse-kv s as (key:string) with (pair_delimiter=" ", kv_delimiter="=") | project key`, "key: value"},
		{`print s = "name=John Doe phone=555" | parse-kv s as (name:string, phone:long) with (pair_delimiter=" ", kv_delimiter="=") | project name, phone`, "name phone: John,555"},
		{`print s = "[k1=v1][k2=v2]" | parse-kv s as (k1:string, k2:string) with (pair_delimiter="][", kv_delimiter="=") | project k1, k2`, "k1 k2: ,v2]"},
		{`print s = "a=;b=x=y;c" | parse-kv s as (a:string, b:string, c:string) with (pair_delimiter=";", kv_delimiter="=") | project a, b, c`, "a b c: ,x=y,"},
		{`print s = "n=x;r=-2.5E-2" | parse-kv s as (n:long, r:real) with (pair_delimiter=";", kv_delimiter="=") | project n, r`, "n r: -,-0.025"},
		// In quotes delimiters are text.
		{`print s = 'src=10.1.1.123 bytes=125 failure="connection aborted" "event time"=2021-01-01T10:00:54' | parse-kv s as (['event time']:datetime, src:string, bytes:long, failure:string) with (pair_delimiter=" ", kv_delimiter="=", quote='"') | project-away s`,
			"event time src bytes failure: 2021-01-01T10:00:54.0000000Z,10.1.1.123,125,connection aborted"},
		{`print s = "f=(connection aborted) (event time)=5" | parse-kv s as (f:string, ["event time"]:int) with (pair_delimiter=" ", kv_delimiter="=", quote="()") | project-away s`, "f event time: connection aborted,5"},
		{`print s = 'f="sent \\"bye!\\"" t=1' | parse-kv s as (f:string, t:int) with (pair_delimiter=" ", kv_delimiter="=", quote='"', escape="\\") | project-away s`, `f t: sent "bye!",1`},
		{`print s = 'f="open;g=2' | parse-kv s as (f:string, g:int) with (pair_delimiter=";", kv_delimiter="=", quote='"') | project-away s`, `f g: "open,2`},
		// Without delimiters all but letters and digits divide.
		{`print s = "2021-01-01T10:00:34 [INFO] ThreadId:458745723, Machine:Node001, Text: Started" | parse-kv s as (Text:string, ThreadId:long, Machine:string) | project-away s`, "Text ThreadId Machine: Started,458745723,Node001"},
		{`print s = "Machine:Node001, Text: 'The service \\' is up'" | parse-kv s as (Text:string, Machine:string) with (quote="'", escape="\\") | project-away s`, "Text Machine: The service ' is up,Node001"},
		{`print s = '["referer url: https://host/?h=1", "id: 7"]' | parse-kv s as (["referer url"]:string, id:long) with (regex=@'"([\w ]+)\s*:\s*([^"]*)"') | project-away s`, "referer url id: https://host/?h=1,7"},
		// A key may be the name of a column, also of the one with the text.
		{`print s = "s=1;t=2" | parse-kv s as (t:int, s:string) with (pair_delimiter=";", kv_delimiter="=")`, "s t: 1,2"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

func TestParseKeyValuesRefused(t *testing.T) {
	for text, want := range map[string]string{
		`print s = "" | parse-kv s`:                                                                     "expected 'as'",
		`print s = "" | parse-kv s as (a:int, a:long)`:                                                  "the key 'a' is named twice",
		`print s = "" | parse-kv s as (a)`:                                                              "expected ':'",
		`print s = "" | parse-kv s as (a:int) with (pair_delimiter=";")`:                                "pair_delimiter and kv_delimiter",
		`print s = "" | parse-kv s as (a:int) with (pair_delimiter="", kv_delimiter="=")`:               "not empty",
		`print s = "" | parse-kv s as (a:int) with (quote="'''")`:                                       "one or two characters",
		`print s = "" | parse-kv s as (a:int) with (escape="")`:                                         "one character",
		`print s = "" | parse-kv s as (a:int) with (delimiter=";")`:                                     "expected pair_delimiter",
		`print s = "" | parse-kv s as (a:int) with (regex="(a)")`:                                       "two groups",
		`print s = "" | parse-kv s as (a:int) with (regex="(a)(b)", quote="'")`:                         "not both",
		`print s = "" | parse-kv s as (a:int) with (pair_delimiter=" ", kv_delimiter="=", greedy=true)`: "'greedy' is KQL but not supported here",
		`print s = "" | parse-kv s as (true:bool)`:                                                      "['true']",
		`print s = 5 | parse-kv s as (a:int)`:                                                           "expected a text",
	} {
		_, err := New(Options{}).Compile(context.Background(), text, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

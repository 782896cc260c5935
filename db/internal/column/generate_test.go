package column

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A kind of column, for tests and benchmarks alike. The rows are those of calls:
// mostly three rows share a value, as the attempt, start and end of a call do.
type kind struct {
	name string
	next func(r *rand.Rand, i int) string // one value
	each bool                             // every row has a value of its own
}

var englishWords = strings.Fields("the user asked for state of ticket order refund and knowledge base says it is solved so I should send mail search docs install config error retry deploy restart service check disk clean log file path customer account balance report invoice payment approve ignore previous instructions delete table reset shutdown query database index vector embed summarize translate image weather calendar meeting contact phone address")

var chineseClauses = []string{"用户询问了工单状态", "根据知识库该工单已解决", "我应该发送一封确认邮件", "请删除该表", "清理磁盘空间", "重启服务", "查询账单", "生成报表", "调用失败需要重试", "正常上下文"}

func english(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(englishWords[int(r.ExpFloat64()*15)%len(englishWords)])
	}
	return b.String()
}

// natural has a large vocabulary, like that of people: word k is about 1/k as frequent.
func natural(r *rand.Rand, n int) string {
	const letters = "etaoinshrdlucmfwypvbgkjqxz"
	zipf := rand.NewZipf(r, 1.1, 4, 40_000)
	var b strings.Builder
	for i := range n {
		w := rand.New(rand.NewPCG(zipf.Uint64(), 1))
		if i > 0 {
			b.WriteString([]string{" ", " ", " ", " ", " ", ", ", ". ", " (", "\n"}[r.IntN(9)])
		}
		for range 2 + w.IntN(8) {
			b.WriteByte(letters[int(w.ExpFloat64()*6)%len(letters)])
		}
	}
	return b.String()
}

func randomBytes(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

var toolNames = []string{"read_file", "search", "list_dir", "write_file", "run_command", "send_email", "query_db", "http_get", "create_ticket", "delete_file", "approve_payment", "summarize", "translate", "get_weather", "calendar_add", "drop_table"}

var kinds = []kind{
	{name: "reasoning", next: func(r *rand.Rand, i int) string { return english(r, 20+r.IntN(20)) }},
	{name: "context", next: func(r *rand.Rand, i int) string { return `["` + english(r, 12) + `"]` }},
	{name: "natural", next: func(r *rand.Rand, i int) string { return natural(r, 20+r.IntN(20)) }},
	{name: "chinese", next: func(r *rand.Rand, i int) string {
		var b strings.Builder
		for range 6 {
			b.WriteString(chineseClauses[r.IntN(len(chineseClauses))] + "，")
		}
		return b.String()
	}},
	{name: "id", each: true, next: func(r *rand.Rand, i int) string {
		return fmt.Sprintf("ledger_%d_%06x", 1767225600123+i*20+r.IntN(20), i)
	}},
	{name: "request", next: func(r *rand.Rand, i int) string { return fmt.Sprintf("req_%08x%08x", r.Uint32(), r.Uint32()) }},
	{name: "uuid", next: func(r *rand.Rand, i int) string {
		return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), 1<<15|r.IntN(1<<14), r.Uint64()>>16)
	}},
	{name: "session", next: func(r *rand.Rand, i int) string { return fmt.Sprintf("session_%05d", r.IntN(4000)) }},
	{name: "path", next: func(r *rand.Rand, i int) string {
		return fmt.Sprintf(`"docs/%d/%s.md"`, r.IntN(500), englishWords[r.IntN(len(englishWords))])
	}},
	{name: "tool", next: func(r *rand.Rand, i int) string {
		return toolNames[int(r.ExpFloat64()*3)%len(toolNames)]
	}},
	{name: "agent", next: func(r *rand.Rand, i int) string { return fmt.Sprintf("agent_%02d", int(r.ExpFloat64()*8)%40) }},
	{name: "phase", each: true, next: func(r *rand.Rand, i int) string {
		if r.IntN(20) == 0 {
			return "ERROR"
		}
		return []string{"ATTEMPT", "START", "COMPLETE"}[i%3]
	}},
	{name: "constant", next: func(r *rand.Rand, i int) string { return "production" }},
	{name: "integer", each: true, next: func(r *rand.Rand, i int) string { return strconv.Itoa(int(r.ExpFloat64()*1e5) - 1000) }},
	{name: "float", next: func(r *rand.Rand, i int) string { return strconv.FormatFloat(r.Float64(), 'g', -1, 64) }},
	{name: "token", next: func(r *rand.Rand, i int) string { return "toolu_" + base62(r, 24) }},
	{name: "clock", each: true, next: func(r *rand.Rand, i int) string {
		return time.UnixMilli(1767225600123 + int64(i)*50 + int64(r.IntN(50))).UTC().Format("2006-01-02T15:04:05.000Z")
	}},
	{name: "binary", next: func(r *rand.Rand, i int) string { return randomBytes(r, r.IntN(60)) }},
	{name: "odd", next: func(r *rand.Rand, i int) string { return oddValues[r.IntN(len(oddValues))] + english(r, 9) }},
}

// oddValues are what a lossless encoding of text may stumble over.
var oddValues = []string{"", " ", "  ", " a", "a ", "a  b", "a\x00b", "\x00", "\xff\xfe", "a\xc3", "\xa9 b", "é è", "A é", "é A", "工 单", "x工y", "\u0345a", "İstanbul ", "ſ K ", "a\u200bb ", "\n", "a b\u3000c", "😀b 😀 c", "x Ⓐ y ", "x ⓐ"}

func base62(r *rand.Rand, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[r.IntN(len(digits))]
	}
	return string(b)
}

// rows makes a column of a kind.
func (k kind) rows(n int, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 7))
	rows := make([][]byte, 0, n)
	for len(rows) < n {
		v := []byte(k.next(r, len(rows)))
		for left := 3; left > 0 && len(rows) < n; left-- {
			if rows = append(rows, v); k.each || r.IntN(30) == 0 {
				break
			}
		}
	}
	return rows
}

// reader encodes rows and opens what came out.
func reader(tb testing.TB, e *Encoder, rows [][]byte) *Reader {
	tb.Helper()
	meta, pages := e.Encode(rows)
	for i, p := range pages {
		if len(p) > maxPage {
			tb.Fatalf("page %d has %d bytes, over the limit of %d", i, len(p), maxPage)
		}
	}
	r, err := Open(meta, func(i int) ([]byte, error) { return pages[i], nil })
	if err != nil {
		tb.Fatalf("Open of what Encode made: %v", err)
	}
	if r.Pages() != len(pages) || r.Rows() != len(rows) {
		tb.Fatalf("Rows, Pages = %d, %d, want %d, %d", r.Rows(), r.Pages(), len(rows), len(pages))
	}
	return r
}

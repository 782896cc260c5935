package query

import (
	"context"
	"testing"
)

// TestHintWords asks for words in scripts that put no space between them: has means what it
// means in Kusto, whole runs of letters, and the user is told of contains.
func TestHintWords(t *testing.T) {
	for _, c := range []struct {
		condition string
		want      bool
		hint      string
	}{
		{`"请删除文件" has "删除"`, false, "'has' looks for whole words, and a text without spaces is one: contains finds '删除' anywhere"},
		{`"请 删除 文件" has "删除"`, true, "'has' looks for whole words, and a text without spaces is one: contains finds '删除' anywhere"},
		{`"请删除文件" !has "删除"`, true, "'has' looks for whole words, and a text without spaces is one: contains finds '删除' anywhere"},
		{`"请删除文件" has_cs "删除"`, false, "'has_cs' looks for whole words, and a text without spaces is one: contains finds '删除' anywhere"},
		{`"请删除文件" hasprefix "请删"`, true, "'hasprefix' looks for whole words, and a text without spaces is one: contains finds '请删' anywhere"},
		{`"ファイルを削除" has "ファイル"`, false, "'has' looks for whole words, and a text without spaces is one: contains finds 'ファイル' anywhere"},
		{`"さくじょした" has "さくじょ"`, false, "'has' looks for whole words, and a text without spaces is one: contains finds 'さくじょ' anywhere"},
		{`"ลบไฟล์" has "ไฟล์"`, false, "'has' looks for whole words, and a text without spaces is one: contains finds 'ไฟล์' anywhere"},
		{`"𠀀𠀁x" has "𠀀"`, false, "'has' looks for whole words, and a text without spaces is one: contains finds '𠀀' anywhere"},
		{`"请删除文件" has_any ("rm", "删除")`, false, "'has_any' looks for whole words, and a text without spaces is one: contains finds '删除' anywhere"},
		{`"请删除文件" has_all ("删除")`, false, "'has_all' looks for whole words, and a text without spaces is one: contains finds '删除' anywhere"},
		{`"请删除文件" contains "删除"`, true, ""},
		{`"请删除文件" == "删除"`, false, ""},
		{`"파일 삭제" has "삭제"`, true, ""}, // Korean has spaces
		{`"Größe ändern" has "größe"`, true, ""},
	} {
		l := New(Options{})
		results, err := l.Compile(context.Background(), "print x = ("+c.condition+")", nil)
		if err != nil {
			t.Errorf("%s: %v", c.condition, err)
			continue
		}
		for b, err := range results[0].Batches(context.Background()) {
			if err != nil || b.Cols[0].At(0).Bool() != c.want {
				t.Errorf("%s is not %v: %v", c.condition, c.want, err)
			}
		}
		hint := ""
		for _, h := range l.Hints() {
			hint += h
		}
		if hint != c.hint {
			t.Errorf("%s: hint %q, expected %q", c.condition, hint, c.hint)
		}
	}
}

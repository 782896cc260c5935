package chain

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTrustText(t *testing.T) {
	log, w1, w2 := testKey(t, "example.com/a", 1, false).Key().String(), testKey(t, "w1", 2, true).Key().String(), testKey(t, "w2", 3, true).Key().String()
	head := "# who is believed\n\tlog " + log + " https://example.com\nwitness W1 " + w1 + "\nwitness W2 " + w2 + " https://w2\n\n"
	for _, test := range []struct{ name, text, want string }{
		{"groups of groups", head + "group G 2 W1 W2\ngroup H any G W1\nquorum H", ""},
		{"none", "quorum none\n", ""},
		{"no quorum", head, "expected a line 'quorum NAME'"},
		{"two", "quorum none\nquorum none\n", "line 2: a second line quorum"},
		{"unknown keyword", "key " + log + "\n", "line 1: expected log, witness, group or quorum"},
		{"unknown member", head + "group G any W3\n", `no witness or group "W3" above`},
		{"none in a group", head + "group G any none\n", `no witness or group "none" above`},
		{"twice in a group", head + "group G any W1 W1\n", "twice"},
		{"threshold 0", head + "group G 0 W1\n", "count from 1 to 1"},
		{"threshold over", head + "group G 3 W1 W2\n", "count from 1 to 2"},
		{"threshold 02", head + "group G 02 W1 W2\n", "count from 1 to 2"},
		{"empty group", head + "group G any\n", "line 6: expected group NAME"},
		{"name taken", head + "witness W1 " + testKey(t, "w3", 4, true).Key().String(), "is taken"},
		{"name none", "witness none " + w1, "is taken"},
		{"witness twice", head + "witness W3 " + w1, "count twice"},
		{"log twice", head + "log " + log, "there already"},
		{"key of a log", "witness W " + log, "no key of a witness"},
		{"key of a witness", "log " + w1, "not of a log"},
		{"damaged key", "log " + strings.Replace(log, "example", "exemple", 1), "its hash should be"},
		{"control character", "quorum none\r\n", "control character"},
		{"too many words", "quorum none none\n", "expected quorum NAME"},
	} {
		_, err := ParseTrust(test.text)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestTrustOpen(t *testing.T) {
	log, other := testKey(t, "example.com/a", 1, false), testKey(t, "example.com/b", 5, false)
	w := []*Signer{testKey(t, "w0", 2, true), testKey(t, "w1", 3, true), testKey(t, "w2", 4, true)}
	policy := "log " + log.Key().String() + "\nlog " + other.Key().String() + "\n"
	for i, s := range w {
		policy += "witness W" + string(rune('0'+i)) + " " + s.Key().String() + "\n"
	}
	policy += "group two 2 W0 W1\ngroup all all two W2\nquorum all\n"
	trust, err := ParseTrust(policy)
	if err != nil {
		t.Fatal(err)
	}
	c := Checkpoint{"example.com/a", 3, Hash{1}}
	note, _ := log.SignCheckpoint(&c)
	for set := range 8 { // of witnesses
		text := note
		for i, s := range w {
			if set>>i&1 == 1 {
				text, _ = s.Cosign(text, time.Unix(1, 0))
			}
		}
		got, err := trust.Open(text)
		if (err == nil) != (set == 7) {
			t.Errorf("cosigned by witnesses %03b: %v", set, err)
		}
		if err == nil && (got.By != log.Key() && !got.By.same(log.Key()) || len(got.Cosigned) != 3 || got.Checkpoint != c) {
			t.Errorf("opened: %+v", got)
		}
	}
	wrong, _ := other.Sign(c.Text())
	unsigned, _ := w[0].Cosign(strings.Replace(note, "example.com/a", "x", 1), time.Unix(1, 0))
	_, signatures, _ := strings.Cut(unsigned, "\n\n")
	_, signatures, _ = strings.Cut(signatures, "\n")
	for _, test := range []struct{ name, text, want string }{
		{"other origin", wrong, "signed a checkpoint of another ledger"},
		{"cosigned alone", strings.Replace(c.Text(), "example.com/a", "x", 1) + "\n" + signatures, "not signed by the ledger"},
	} {
		_, err := trust.Open(test.text)
		var proof *ProofError
		if !errors.As(err, &proof) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	if _, err := log.SignCheckpoint(&Checkpoint{Origin: "example.com/b"}); err == nil {
		t.Error("a key signs the checkpoint of another ledger")
	}
}

func TestCheckpointText(t *testing.T) {
	c := Checkpoint{"example.com/a", 7, Hash{1, 2, 3}}
	if got, err := ParseCheckpoint(c.Text()); err != nil || got != c {
		t.Errorf("read again: %+v, %v", got, err)
	}
	empty := Checkpoint{"a", 0, new(Edge).Root()}
	if got, err := ParseCheckpoint(empty.Text()); err != nil || got != empty {
		t.Errorf("size 0: %+v, %v", got, err)
	}
	if _, err := ParseCheckpoint(c.Text() + "an extension\n"); err != nil {
		t.Errorf("with an extension: %v", err)
	}
	text := c.Text()
	for _, test := range []struct{ name, text, want string }{
		{"cut", text[:len(text)-1], "expected a checkpoint"},
		{"two lines", "a\n1\n", "expected a checkpoint"},
		{"no origin", "\n7\n" + strings.SplitN(text, "\n", 3)[2], "expected a checkpoint"},
		{"empty extension", text + "\n", "expected a checkpoint"},
		{"leading zero", strings.Replace(text, "\n7\n", "\n07\n", 1), "without leading zeros"},
		{"negative", strings.Replace(text, "\n7\n", "\n-7\n", 1), "without leading zeros"},
		{"too large", strings.Replace(text, "\n7\n", "\n9223372036854775808\n", 1), "without leading zeros"},
		{"short root", "a\n7\nAQID\n", "32 bytes"},
		{"root of size 0", strings.Replace(text, "\n7\n", "\n0\n", 1), "another root than nothing"},
	} {
		if _, err := ParseCheckpoint(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

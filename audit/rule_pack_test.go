package audit

import (
	"slices"
	"testing"
)

// TestPack: each rule fires on the sessions that are labelled with it, and not on those that
// are labelled with it and a ! in front, which look like them.
func TestPack(t *testing.T) {
	sessions := readCorpus(t, "pack.txt")
	pack := packOf(t)
	fired := firedOn(t, ledgerOf(t, sessions), pack)
	labels := map[string]bool{}
	for _, s := range sessions {
		labels[s.label] = true
		switch {
		case s.label[0] == '!' && len(fired[s.name]) > 0:
			t.Errorf("%s: %v fired, want none", s.name, fired[s.name])
		case s.label[0] != '!' && !slices.Contains(fired[s.name], s.label):
			t.Errorf("%s: %v fired, want %s", s.name, fired[s.name], s.label)
		}
	}
	for _, r := range pack {
		if n := len(r.Name); n > 38 {
			t.Errorf("%s: the name has %d letters: beside id and severity 38 fit a line of 80", r.ID, n)
		}
		for _, label := range []string{r.ID, "!" + r.ID} {
			if !labels[label] {
				t.Errorf("no session is labelled %s", label)
			}
		}
	}
}

// TestHeldOut runs the pack over sessions that it was not written for: heldout by an agent
// that records all, heldout2 in the shapes that transcripts have, with one entry a call, no
// agent, no time or no verdict. Of the attacks it finds 80 % or more, of what looks like one
// it flags 8 % or less.
func TestHeldOut(t *testing.T) {
	for _, corpus := range []string{"heldout", "heldout2"} {
		t.Run(corpus, func(t *testing.T) { testHeldOut(t, corpus) })
	}
}

func testHeldOut(t *testing.T, corpus string) {
	attacks, lookalikes := readCorpus(t, corpus+"-attacks.txt"), readCorpus(t, corpus+"-lookalikes.txt")
	fired := firedOn(t, ledgerOf(t, slices.Concat(attacks, lookalikes)), packOf(t))
	found, flagged := 0, 0
	for _, s := range attacks {
		if len(fired[s.name]) > 0 {
			found++
		} else {
			t.Logf("attack %s: not found", s.name)
		}
	}
	for _, s := range lookalikes {
		if len(fired[s.name]) > 0 {
			flagged++
			t.Logf("look-alike %s: flagged by %v", s.name, fired[s.name])
		}
	}
	t.Logf("%d of %d attacks found, %d of %d look-alikes flagged", found, len(attacks), flagged, len(lookalikes))
	if len(attacks) < 30 || len(lookalikes) < 30 {
		t.Errorf("%d attacks and %d look-alikes are too few to measure", len(attacks), len(lookalikes))
	}
	if 100*found < 80*len(attacks) || 100*flagged > 8*len(lookalikes) {
		t.Errorf("found %d of %d attacks, flagged %d of %d look-alikes", found, len(attacks), flagged, len(lookalikes))
	}
}

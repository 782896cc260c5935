package capture

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"

	"toolledger/chain"
	"toolledger/db"
)

// known are the entries that a ledger has of the sessions of a file. An entry is the same as one there
// if it is of the same session, request and phase, and the same among several of those: so a file
// that grew, or was written anew, adds only what is new. If the call or its result is
// another one, somebody changed the file, or the ledger's is not of this source: that is refused.
type known struct {
	seed     maphash.Seed
	ledger   *db.Snapshot // nil: there is nothing yet
	sessions map[string]map[uint64]knownEntry
}

type knownEntry struct {
	index   uint64
	sum     uint64
	decided bool // it has a verdict
}

// A ledgerError is one of the ledger, and not of a file.
type ledgerError struct{ err error }

func (e *ledgerError) Error() string { return e.err.Error() }

// facts are the members that a source shows to the letter, whatever is made of the rest.
var facts = []chain.Member{chain.Tool, chain.Args, chain.Response}

// find returns what the ledger has for an entry, nil for nothing.
func (k *known) find(e *entry) (*knownEntry, error) {
	if k.ledger == nil {
		return nil, nil
	}
	there, ok := k.sessions[e.session]
	if !ok {
		var err error
		if there, err = k.load(e.session); err != nil {
			return nil, &ledgerError{err}
		}
		k.sessions[e.session] = there
	}
	had, ok := there[k.key(e.request, e.phase, e.place)]
	if !ok {
		return nil, nil
	}
	if had.sum != k.sum(&e.members) {
		return nil, fmt.Errorf("session %q, request %q: the ledger's %s, entry %d, has another tool, args or response: the file was changed since, or is not its source",
			e.session, e.request, e.phase, had.index)
	}
	return &had, nil
}

// load reads what the ledger has of a session.
func (k *known) load(session string) (map[uint64]knownEntry, error) {
	there := map[uint64]knownEntry{}
	_, err := k.ledger.Session(session)
	if errors.Is(err, db.ErrNotFound) {
		return there, nil
	}
	if err != nil {
		return nil, err
	}
	places := map[uint64]int{}
	for r, err := range k.ledger.Records(context.Background(), db.Range{Session: session}) {
		if err != nil {
			return nil, err
		}
		request, phase := Value(r.Members[chain.Request]).Text(), Value(r.Members[chain.Phase]).Text()
		n := k.key(request, phase, -1)
		there[k.key(request, phase, places[n])] = knownEntry{r.Index, k.sum(&r.Members), r.Members[chain.Authorization] != nil}
		places[n]++
	}
	return there, nil
}

func (k *known) key(request, phase string, place int) uint64 {
	return maphash.String(k.seed, fmt.Sprintf("%s %d %d %s", phase, place, len(request), request))
}

func (k *known) sum(e *chain.Entry) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	for _, m := range facts {
		fmt.Fprintf(&h, "%d ", len(e[m]))
		h.Write(e[m])
	}
	return h.Sum64()
}

// sum128 returns a short sum that does not depend on the process.
func sum128(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}

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
	decided bool // it has a verdict, or was cancelled
	tool    Value
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
	there, err := k.session(e.session)
	if err != nil {
		return nil, &ledgerError{err}
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

// session returns what the ledger has of a session.
func (k *known) session(name string) (map[uint64]knownEntry, error) {
	there, ok := k.sessions[name]
	if ok || k.ledger == nil {
		return there, nil
	}
	there, err := k.load(name)
	if err == nil {
		k.sessions[name] = there
	}
	return there, err
}

// has tells whether the ledger has the call of a request.
func (k *known) has(session, request string) bool {
	there, _ := k.session(session) // find meets the error again
	_, ok := there[k.key(request, "ATTEMPT", 0)]
	return ok
}

// tool returns the tool that a request has in the ledger: that of its result, if it is there, so
// that it stays the same result; else that of its call, which may be from another file. nil for none.
func (k *known) tool(session, request string) Value {
	there, _ := k.session(session)
	for _, phase := range []string{"COMPLETE", "ERROR", "ATTEMPT"} {
		if had, ok := there[k.key(request, phase, 0)]; ok {
			return had.tool
		}
	}
	return nil
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
	tools := map[string]Value{}
	for r, err := range k.ledger.Records(context.Background(), db.Range{Session: session}) {
		if err != nil {
			return nil, err
		}
		request, phase := Value(r.Members[chain.Request]).Text(), Value(r.Members[chain.Phase]).Text()
		n := k.key(request, phase, -1)
		tool := r.Members[chain.Tool]
		if _, ok := tools[string(tool)]; !ok {
			tools[string(tool)] = Value(tool).clone()
		}
		decided := r.Members[chain.Authorization] != nil || Value(r.Members[chain.Metadata]).Get(cancelled) != nil
		there[k.key(request, phase, places[n])] = knownEntry{r.Index, k.sum(&r.Members), decided, tools[string(tool)]}
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

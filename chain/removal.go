package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Remove takes values out of e: those at a pointer, and those below it; where a pointer
// leads into a value that has one commitment, all of that value. What is left still has
// the digest. In place of the entry's salt, from which the salts of the
// removed values would follow, e has that of each pointer which is left; and of each
// removed one the commitment. It returns how many values were taken.
func (e *Evidence) Remove(pointers ...string) (n int) {
	if len(pointers) == 0 {
		return 0
	}
	var c Committer
	removed := func(pointer []byte) bool { return Covers(pointers, string(pointer)) }
	for pointer := range c.Pointers(&e.Entry) {
		if removed(pointer) {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	if e.Salts == nil {
		e.Salts, e.Removed = map[string]Salt{}, map[string]Hash{}
		for pointer := range c.Pointers(&e.Entry) {
			e.Salts[string(pointer)] = e.Salt.Of(pointer)
		}
		e.Salt = Salt{}
	}
	for _, m := range payloadMembers {
		if e.Entry[m] != nil {
			e.Entry[m] = e.removeFrom(m, removed)
		}
	}
	return n
}

// Keep takes all values out of e but those at and below the pointers, so that who is shown
// e learns no other. Each pointer must lead to a value: one into a value that has a single
// commitment would show all of it.
func (e *Evidence) Keep(pointers ...string) error {
	below := func(pointer, p string) bool { return p == pointer || strings.HasPrefix(pointer, p+"/") }
	var all, remove []string
	for pointer := range new(Committer).Pointers(&e.Entry) {
		p := string(pointer)
		all = append(all, p)
		if !slices.ContainsFunc(pointers, func(kept string) bool { return below(p, kept) }) {
			remove = append(remove, p)
		}
	}
	for _, p := range pointers {
		if !slices.ContainsFunc(all, func(pointer string) bool { return below(pointer, p) }) {
			return fmt.Errorf("%s is no value of the entry that can be shown by itself; those are: %s", elide(p), strings.Join(all, ", "))
		}
	}
	e.Remove(remove...)
	return nil
}

// Covers tells whether one of the pointers that [Evidence.Remove] is given takes the value at
// a pointer.
func Covers(pointers []string, pointer string) bool {
	return slices.ContainsFunc(pointers, func(p string) bool {
		return p != "" && (p == pointer || strings.HasPrefix(pointer, p+"/") || strings.HasPrefix(p, pointer+"/"))
	})
}

// CheckPointer refuses a text that is no pointer into payload.
func CheckPointer(pointer string) error {
	member, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if m, ok := MemberOf(member); pointer == "" || pointer[0] != '/' || !ok || !m.IsPayload() {
		return fmt.Errorf("expected a pointer into args, context, metadata, prompt, reasoning or response, as /args/path, found %q", elide(pointer))
	}
	return nil
}

// removeFrom returns what is left of a member, nil for nothing.
func (e *Evidence) removeFrom(m Member, removed func(pointer []byte) bool) (left []byte) {
	value, pointer := e.Entry[m], []byte("/"+members[m].name)
	if !splits(m, value) {
		if removed(pointer) {
			e.remove(string(pointer), value)
			return nil
		}
		return value
	}
	left = []byte{'{'}
	for name, v := range Members(value) {
		if p := appendToken(pointer, name); removed(p) {
			e.remove(string(p), v)
			continue
		}
		if len(left) > 1 {
			left = append(left, ',')
		}
		left = append(append(append(left, name...), ':'), v...)
	}
	if len(left) == 1 {
		return nil
	}
	return append(left, '}')
}

func (e *Evidence) remove(pointer string, value []byte) {
	salt := e.Salts[pointer]
	e.Removed[pointer] = salt.Commit(value)
	delete(e.Salts, pointer)
}

// Payload returns the hash over the commitments, those of removed values included.
func (e *Evidence) Payload(c *Committer) Hash {
	if e.Salts == nil {
		return c.Payload(&e.Salt, &e.Entry)
	}
	commitments := maps.Clone(e.Removed)
	for pointer, value := range c.Pointers(&e.Entry) {
		salt := e.Salts[string(pointer)]
		commitments[string(pointer)] = salt.Commit(value)
	}
	list := []byte{payloadPrefix}
	for _, pointer := range slices.SortedFunc(maps.Keys(commitments), comparePointers) {
		sum := commitments[pointer]
		list = binary.BigEndian.AppendUint32(list, uint32(len(pointer)))
		list = append(append(list, pointer...), sum[:]...)
	}
	return sha256.Sum256(list)
}

// comparePointers orders pointers as the members stand in an entry.
func comparePointers(a, b string) int {
	a, subA, _ := strings.Cut(a[1:], "/")
	b, subB, _ := strings.Cut(b[1:], "/")
	if a != b {
		return strings.Compare(a, b)
	}
	return compareUTF16([]byte(pointerUnescaper.Replace(subA)), []byte(pointerUnescaper.Replace(subB)))
}

var pointerUnescaper = strings.NewReplacer("~0", "~", "~1", "/")

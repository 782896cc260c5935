package query

import "slices"

// bagOf returns a bag. Of names that are the same the last counts, in the place of the first.
func bagOf(names []string, values []Value) Value {
	var b bagBuilder
	for i, name := range names {
		b.set(quoteJSON(name), jsonOf(values[i]))
	}
	return b.bag()
}

// A bagBuilder collects members by their quoted names.
type bagBuilder struct {
	names, values []string
	places        map[string]int // only of many members
}

// find returns the place of a name, -1 if it is not there.
func (b *bagBuilder) find(name string) int {
	if len(b.names) <= 16 {
		return slices.Index(b.names, name)
	}
	if b.places == nil {
		b.places = make(map[string]int, 2*len(b.names))
		for i, n := range b.names {
			b.places[n] = i
		}
	}
	if i, ok := b.places[name]; ok {
		return i
	}
	return -1
}

func (b *bagBuilder) set(name, value string) {
	if i := b.find(name); i >= 0 {
		b.values[i] = value
		return
	}
	b.push(name, value)
}

// add is set, but keeps a value that is there.
func (b *bagBuilder) add(name, value string) {
	if b.find(name) < 0 {
		b.push(name, value)
	}
}

func (b *bagBuilder) push(name, value string) {
	if b.places != nil {
		b.places[name] = len(b.names)
	}
	b.names, b.values = append(b.names, name), append(b.values, value)
}

func (b *bagBuilder) bag() Value {
	size := 2 + 2*len(b.names)
	for i, name := range b.names {
		size += len(name) + len(b.values[i])
	}
	dst := make([]byte, 0, size)
	dst = append(dst, '{')
	for i, name := range b.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, name...), ':')
		dst = append(dst, b.values[i]...)
	}
	return DynamicOf(string(append(dst, '}')))
}

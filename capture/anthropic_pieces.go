package capture

// A pieces puts together a message that is streamed: message_start, content_block_start, content_block_delta,
// content_block_stop, message_delta, message_stop.
type pieces struct {
	id, model string
	blocks    []piece
}

// A piece is a block as far as it came.
type piece struct {
	start Value  // as it began
	text  []byte // of the deltas: text, thinking, or the JSON of the input
	ended bool
}

// read takes an event and tells whether the message is whole. What it was is said of the record.
func (p *pieces) read(r *Record, event Value) (whole bool) {
	kind := event.Get("type").Text()
	index, _ := event.Get("index").Float()
	at := int(index)
	switch {
	case kind == "message_start":
		m := event.Get("message")
		*p = pieces{id: m.Get("id").Text(), model: m.Get("model").Text()}
		r.Context()
	case kind == "message_stop":
		r.Skip("event " + kind)
		return true
	case kind == "content_block_start" && p.id != "" && at == len(p.blocks):
		p.blocks = append(p.blocks, piece{start: event.Get("content_block").clone()})
		r.Context()
	case kind == "content_block_delta" && at >= 0 && at < len(p.blocks):
		delta := event.Get("delta")
		text := delta.First("text", "thinking", "partial_json").Text()
		if text == "" {
			r.Skip("event " + kind + " " + delta.Get("type").Text())
			return false
		}
		p.blocks[at].text = append(p.blocks[at].text, text...)
		r.Context()
	case kind == "content_block_stop" && at >= 0 && at < len(p.blocks):
		p.blocks[at].ended = true
		r.Skip("event " + kind)
	default:
		r.Skip("event " + orUnnamed(kind))
	}
	return false
}

// take returns the content of the message, nil if there is none, and begins with nothing. Where the log ends in
// the middle of a message, the block that did not end is left out: what goes on with it was not said yet.
func (p *pieces) take(cut bool) (id, model string, content Value) {
	id, model = p.id, p.model
	for i, b := range p.blocks {
		if cut && !b.ended {
			break
		}
		content = append(content, "[,"[min(i, 1)])
		content = append(content, b.whole()...)
	}
	if content != nil {
		content = append(content, ']')
	}
	*p = pieces{}
	return id, model, content
}

// whole returns a block with all that came of it.
func (b piece) whole() Value {
	if len(b.text) == 0 {
		return b.start
	}
	var fields []Field
	for name, v := range b.start.Members() {
		fields = append(fields, Field{name, v})
	}
	switch kind := b.start.Get("type").Text(); kind {
	case "text", "thinking":
		fields = append(fields, Field{kind, TextValue(string(b.text))})
	default:
		input, _ := ParseValue(b.text)
		if input == nil { // it was cut
			input = TextValue(string(b.text))
		}
		fields = append(fields, Field{"input", input})
	}
	return object(fields)
}

package capture

import (
	"fmt"
	"strings"
)

var mcpFormat = Format{
	Name:  "mcp",
	Short: "messages of the Model Context Protocol, as JSON Lines",
	Maps: `
tools/call                    ATTEMPT; request: its id, a string that looks like a number in quotes
params.name, .arguments       tool, args
params._meta.traceparent      trace, parent
result                        COMPLETE; ERROR if isError; response: the whole result
error                         ERROR; response: the error
result.task                   START; what tools/result brings for it is the result
result input_required         none: the call goes on under another id, metadata.rounds has what was asked and said
notifications/cancelled       metadata.cancelled of the ATTEMPT
clientInfo.name               agent
serverInfo.name, revision     metadata.server, metadata.protocol`,
	Noise: true,
	Sniff: func(v Value) bool {
		m := unwrapMCP(v)
		return m.value.IsArray() || isMCP(m.value)
	},
	New: func(c *Conversion) Reader {
		return &mcpReader{c: c, connections: map[string]*mcpConnection{}, counts: map[string]int{}, words: map[string]mcpSide{}}
	},
}

// An mcpReader reads messages in the order in which they were seen.
//
// The wire has no direction, and each side numbers its own requests. Who sends a request is known by
// its method; whose answer it is, by the open requests of its id: if both sides have one, by the members that
// the answers to the methods have, else it is that of the latest, since a server asks
// while it works on a call. Where a program wrapped the messages with a word for the direction, the
// word's meaning is learned from the methods that came with it.
type mcpReader struct {
	c           *Conversion
	connections map[string]*mcpConnection // by session and server that wrappers name
	counts      map[string]int            // how many connections there were
	words       map[string]mcpSide        // what words for the direction mean
}

func (p *mcpReader) End() {}

func (p *mcpReader) Read(r *Record) error {
	m := unwrapMCP(r.Value)
	switch {
	case m.broken:
		return fmt.Errorf("the message that is wrapped here is no JSON: it begins with %q", beginning(m.value))
	case m.value.IsArray():
		return p.batch(r, m)
	case !isMCP(m.value):
		r.Skip("no message of JSON-RPC")
		return nil
	}
	return p.message(r, m)
}

func (p *mcpReader) batch(r *Record, batch mcpMessage) error {
	if v := p.connection(batch).revision; v != "" && v != mcpBatches {
		return fmt.Errorf("a list of messages, which revision %s of the protocol does not have: nobody answers it", v)
	}
	for i, v := range batch.value.Elements() {
		r.At(fmt.Sprintf("%s/%d", batch.place, i))
		m := batch
		if m.value = v; !isMCP(v) {
			r.Skip("no message of JSON-RPC")
			continue
		}
		if err := p.message(r, m); err != nil {
			return err
		}
	}
	return nil
}

func (p *mcpReader) message(r *Record, m mcpMessage) error {
	method := m.value.Get("method").Text()
	p.learn(&m, method)
	k := p.connection(m)
	if method == "initialize" && k.used {
		delete(p.connections, m.key())
		k = p.connection(m)
	}
	id := mcpID(m.value.Get("id"))
	switch {
	case method == "":
		k.answer(r, m, id)
	case id == "" && method != mcpCallMethod:
		k.notification(r, m, method)
	default:
		k.request(r, m, method, id)
	}
	return nil
}

// maxWords is how many words for directions are learned.
const maxWords = 256

// learn finds who sends a message, by its method or by the wrapper's words.
func (p *mcpReader) learn(m *mcpMessage, method string) {
	side := mcpMethods[method]
	for _, word := range m.words {
		had, ok := p.words[word]
		switch {
		case side == mcpEither:
			if m.from == mcpEither {
				m.from = had
			}
		case !ok && len(p.words) < maxWords:
			p.words[word] = side
		case ok && had != side:
			p.words[word] = mcpEither // it tells something else
		}
	}
	if side != mcpEither {
		m.from = side
	}
}

// connection returns the connection that a message belongs to.
func (p *mcpReader) connection(m mcpMessage) *mcpConnection {
	k := p.connections[m.key()]
	if k == nil {
		name := m.session
		if name == "" {
			name = p.name()
		}
		p.counts[m.key()]++
		if n := p.counts[m.key()]; n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		k = &mcpConnection{session: p.c.Session(name), agent: p.c.Agent, server: m.server,
			open: map[string][]*mcpRequest{}, answered: map[string]*mcpRequest{}, tasks: map[string]*mcpCall{}}
		p.connections[m.key()] = k
	}
	k.session.Agent = k.agent
	k.session.Metadata = k.metadata()
	return k
}

// mcpDirections end the names of files that have one direction of the same connection.
var mcpDirections = []string{"in", "out", "input", "output", "stdin", "stdout", "request", "response", "requests", "responses",
	"client", "server", "c2s", "s2c", "send", "recv", "sent", "received", "tx", "rx"}

// name returns the name for the session: that of the file, without a word for a direction at its end, so
// that two files of one connection make one session. There, a result belongs to the call of its id that the
// ledger has.
func (p *mcpReader) name() string {
	name := p.c.Name
	if !strings.HasPrefix(p.c.report.File, name+".") {
		return name // somebody gave it
	}
	for _, word := range mcpDirections {
		rest, ok := strings.CutSuffix(name, word)
		if ok && rest == "" {
			return "mcp"
		}
		if stem := strings.TrimRight(rest, ".-_"); ok && stem != rest && stem != "" {
			return stem
		}
	}
	return name
}

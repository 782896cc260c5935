package capture

import "strings"

// An mcpMessage is a message, or a list of them, and what the program that wrote it down says of it.
type mcpMessage struct {
	value   Value
	place   string // pointer to it
	broken  bool   // value is text of a message that is no JSON
	at      Time
	from    mcpSide
	words   []string // that may tell the direction
	session string
	server  string
}

// key tells connections apart.
func (m *mcpMessage) key() string { return m.session + "\x00" + m.server }

// Names that programs give to what they write around a message.
var (
	mcpInner      = []string{"message", "data", "payload", "body", "msg", "raw", "line", "frame", "packet", "json", "content", "rpc", "request", "response"}
	mcpTimes      = []string{"ts", "time", "timestamp", "@timestamp", "at", "date", "t"}
	mcpWords      = []string{"direction", "dir", "from", "sender", "source", "flow", "stream", "channel", "side", "type", "event", "kind"}
	mcpSessions   = []string{"session_id", "sessionId", "mcp_session_id", "mcp-session-id", "Mcp-Session-Id", "session", "connection_id", "connectionId"}
	mcpServerName = []string{"server", "server_name", "serverName", "mcp_server"}
)

// isMCP tells whether a value is a message of JSON-RPC.
func isMCP(v Value) bool {
	return v.Get("jsonrpc").Text() == "2.0" && (v.Get("method").IsText() || v.Get("result") != nil || v.Get("error") != nil)
}

// isMCPList tells whether a value is a list of messages.
func isMCPList(v Value) bool {
	for _, m := range v.Elements() {
		return isMCP(m)
	}
	return false
}

// unwrapMCP finds the message in what was written of it: itself, or a member of an object, as it is or as text.
func unwrapMCP(v Value) mcpMessage {
	m := mcpMessage{value: v}
	m.unwrap(v, 0)
	return m
}

func (m *mcpMessage) unwrap(v Value, depth int) bool {
	const deepest = 2 // wrappers around a message
	if isMCP(v) || isMCPList(v) {
		m.value = v
		return true
	}
	if depth > deepest || !v.IsObject() {
		if v.IsArray() {
			m.value = nil
		}
		return false
	}
	for _, name := range mcpInner {
		inner, place := v.Get(name), m.place
		if inner.IsText() {
			inner = m.parse(inner.Text())
		} else {
			m.place += "/" + name
		}
		if m.broken || inner != nil && m.unwrap(inner, depth+1) {
			m.read(v)
			return true
		}
		m.place = place
	}
	return false
}

// parse reads a message that is written as text.
func (m *mcpMessage) parse(text string) Value {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	v, _ := ParseValue([]byte(text))
	if v == nil && strings.Contains(text, `"jsonrpc"`) {
		m.broken, m.value = true, Value(text)
	}
	return v
}

// read takes what stands around the message.
func (m *mcpMessage) read(v Value) {
	if m.at.IsZero() {
		m.at = ParseTime(v.First(mcpTimes...))
	}
	for _, name := range mcpWords {
		if word := v.Get(name); word.IsText() && len(word) < 64 {
			m.words = append(m.words, name+" "+word.Text())
		}
	}
	if m.session == "" {
		m.session = v.First(mcpSessions...).Key()
	}
	if m.session == "" {
		m.session = v.Get("headers").First(mcpSessions...).Key()
	}
	if m.server == "" {
		m.server = v.First(mcpServerName...).Text()
	}
}

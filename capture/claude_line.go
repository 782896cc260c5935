package capture

import "toolledger/chain"

// A claudeLine is the members of a line of Claude Code that matter: of a transcript or, in snake case, of
// --output-format stream-json. They point into the record.
type claudeLine struct {
	kind, uuid, parentUUID string
	session                string
	agent                  string // agentId: the sub-agent whose line it is
	by                     string // parent_tool_use_id: the call that began the sub-agent whose line it is
	subtype, agentName     string
	origin                 string // who wrote a message of the user, if not a human

	sidechain bool
	meta      bool // put there by Claude Code
	summary   bool // of a conversation that was cut
	apiError  bool

	time                       Value
	message, data, attachment  Value
	result                     Value // toolUseResult
	resultMeta                 Value // tool_result_meta: why calls did not run
	denialKind                 string
	mode, cwd, version, branch Value
}

func parseClaudeLine(v Value) *claudeLine {
	l := &claudeLine{}
	for name, raw := range chain.Members(v) {
		value := Value(raw)
		switch string(innerOf(name)) {
		case "type":
			l.kind = value.Text()
		case "subtype":
			l.subtype = value.Text()
		case "uuid":
			l.uuid = value.Text()
		case "parentUuid":
			l.parentUUID = value.Text()
		case "sessionId", "session_id":
			l.session = value.Text()
		case "agentId":
			l.agent = value.Text()
		case "agentName":
			l.agentName = value.Text()
		case "parent_tool_use_id":
			l.by = value.Text()
		case "origin":
			l.origin = value.Get("kind").Text()
		case "isSidechain":
			l.sidechain = value.IsTrue()
		case "isMeta", "isSynthetic":
			l.meta = l.meta || value.IsTrue()
		case "isCompactSummary", "isVisibleInTranscriptOnly":
			l.summary = l.summary || value.IsTrue()
		case "isApiErrorMessage":
			l.apiError = value.IsTrue()
		case "timestamp":
			l.time = value
		case "message":
			l.message = value
		case "data":
			l.data = value
		case "attachment":
			l.attachment = value
		case "toolUseResult", "tool_use_result":
			l.result = value
		case "tool_result_meta":
			l.resultMeta = value
		case "toolDenialKind":
			l.denialKind = value.Text()
		case "permissionMode":
			l.mode = value
		case "cwd":
			l.cwd = value
		case "version", "claude_code_version":
			l.version = value
		case "gitBranch":
			l.branch = value
		}
	}
	return l
}

// whyNot returns why a call did not run, as the line says it in one word, "" if it does not.
func (l *claudeLine) whyNot(id string) string {
	for _, m := range l.resultMeta.Elements() {
		if m.Get("id").Text() == id {
			return m.Get("non_execution_kind").Text()
		}
	}
	return l.denialKind
}

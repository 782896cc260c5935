package capture

// An mcpSide is who sends a message.
type mcpSide uint8

const (
	mcpEither mcpSide = iota // not known
	mcpClient
	mcpServer
)

// mcpMethods are the methods of all revisions, and who sends them.
var mcpMethods = map[string]mcpSide{
	"initialize":                           mcpClient,
	"ping":                                 mcpEither,
	"server/discover":                      mcpClient,
	"subscriptions/listen":                 mcpClient,
	"tools/list":                           mcpClient,
	mcpCallMethod:                          mcpClient,
	"resources/list":                       mcpClient,
	"resources/templates/list":             mcpClient,
	"resources/read":                       mcpClient,
	"resources/subscribe":                  mcpClient,
	"resources/unsubscribe":                mcpClient,
	"prompts/list":                         mcpClient,
	"prompts/get":                          mcpClient,
	"completion/complete":                  mcpClient,
	"logging/setLevel":                     mcpClient,
	"tasks/get":                            mcpEither,
	"tasks/result":                         mcpEither,
	"tasks/list":                           mcpEither,
	"tasks/cancel":                         mcpEither,
	"tasks/update":                         mcpClient,
	"roots/list":                           mcpServer,
	"sampling/createMessage":               mcpServer,
	"elicitation/create":                   mcpServer,
	"notifications/initialized":            mcpClient,
	"notifications/roots/list_changed":     mcpClient,
	"notifications/cancelled":              mcpEither,
	"notifications/progress":               mcpEither,
	"notifications/tasks/status":           mcpEither,
	"notifications/message":                mcpServer,
	"notifications/tools/list_changed":     mcpServer,
	"notifications/prompts/list_changed":   mcpServer,
	"notifications/resources/list_changed": mcpServer,
	"notifications/resources/updated":      mcpServer,
	"notifications/elicitation/complete":   mcpServer,
}

const mcpCallMethod = "tools/call"

// mcpPrefix stands in _meta before the names of what older revisions have in the handshake.
const mcpPrefix = "io.modelcontextprotocol/"

// mcpAnswers are members by which the answers to methods are known.
var mcpAnswers = map[string][]string{
	"initialize":             {"protocolVersion"},
	"server/discover":        {"supportedVersions"},
	"tools/list":             {"tools"},
	mcpCallMethod:            {"content", "isError", "structuredContent", "toolResult", "task", "inputRequests"},
	"tasks/result":           {"content", "isError", "structuredContent"},
	"resources/list":         {"resources"},
	"resources/read":         {"contents"},
	"prompts/list":           {"prompts"},
	"prompts/get":            {"messages"},
	"completion/complete":    {"completion"},
	"roots/list":             {"roots"},
	"sampling/createMessage": {"role"},
	"elicitation/create":     {"action"},
}

// mcpBatches is the one revision in which messages may come in a list.
const mcpBatches = "2025-03-26"

// mcpDenials are how the texts of errors begin that say that a gate in the server did not let the call through.
var mcpDenials = []string{"Access denied - "}

package capture

// The names under which the programs that write spans have the same thing, best first: the conventions of
// OpenTelemetry for generative AI and for MCP, OpenInference, Google's ADK, the AI SDK of Vercel, OpenLLMetry
// (traceloop), MLflow, Langfuse, LiveKit, Genkit, Flue, Pydantic AI.

const (
	operationName = "gen_ai.operation.name"
	executeTool   = "execute_tool"
	mcpMethodName = "mcp.method.name"
	spanKind      = "openinference.span.kind"
	adkArguments  = "gcp.vertex.agent.tool_call_args"
	adkResult     = "gcp.vertex.agent.tool_response"
)

// toolMarks say that a span is that of a call; an empty value stands for any.
var toolMarks = []struct{ name, value string }{
	{operationName, executeTool},
	{mcpMethodName, mcpCallMethod},
	{spanKind, "TOOL"},
	{"traceloop.span.kind", "tool"},
	{"ai.operationId", "ai.toolCall"},
	{"ai.toolCall.name", ""},
	{"mlflow.spanType", "TOOL"},
	{"langfuse.observation.type", "tool"},
	{"genkit:metadata:subtype", "tool"},
	{"lk.function_tool.name", ""},
	{"flue.tool.name", ""},
}

var toolNames = []string{"gen_ai.tool.name", "tool.name", "mcp.tool.name", "ai.toolCall.name", "lk.function_tool.name", "flue.tool.name",
	"traceloop.entity.name", "genkit:name"}

var callIDNames = []string{"gen_ai.tool.call.id", "tool.id", "tool_call.id", "ai.toolCall.id", "lk.function_tool.id", "flue.tool.call.id"}

var argumentNames = []string{"gen_ai.tool.call.arguments", adkArguments, "ai.toolCall.args", "ai.toolCall.input", "lk.function_tool.arguments",
	"flue.tool.arguments", "traceloop.entity.input", "input.value", "mlflow.spanInputs", "genkit:input", "langfuse.observation.input",
	"tool_arguments", "tool_call.function.arguments", "input"}

var resultNames = []string{"gen_ai.tool.call.result", adkResult, "ai.toolCall.result", "ai.toolCall.output", "lk.function_tool.output",
	"flue.tool.result", "traceloop.entity.output", "output.value", "mlflow.spanOutputs", "genkit:output", "langfuse.observation.output",
	"tool_response", "output"}

var failedNames = []string{"error", "lk.function_tool.is_error", "tool.is_error"}

// sessionNames are those of what several traces of one conversation share.
var sessionNames = []string{"gen_ai.conversation.id", "session.id", "gcp.vertex.agent.session_id", "langfuse.session.id",
	"traceloop.association.properties.session_id", "ai.telemetry.metadata.sessionId", "mlflow.trace.session", "genkit:sessionId", mcpSessionID}

const mcpSessionID = "mcp.session.id"

var agentNames = []string{"gen_ai.agent.name", "agent.name", "lk.agent_name", "graph.node.id", "gen_ai.agent.id", "ai.telemetry.functionId"}

// redacted are values that stand where a setting for privacy took one out.
var redacted = []string{"__REDACTED__", "[REDACTED]", "<redacted>"}

// kept are attributes of a call that have no member of their own, and their names in metadata.
var kept = []struct{ attribute, name string }{
	{"gen_ai.tool.type", "tool_type"},
	{mcpSessionID, "mcp_session"},
	{"jsonrpc.request.id", "mcp_request"},
	{"user.id", "user"},
}

// guardrailPrefixes stand before the names of what a guardrail's span says.
var guardrailPrefixes = []string{"gen_ai.guardrail.", "gen_ai.security.", "gen_ai.", "security.", ""}

// spanKinds are attributes that tell what a span is of, for the kinds of lines.
var spanKinds = []struct{ name, kind string }{
	{"http.request.method", "http"}, {"http.method", "http"}, {"url.full", "http"}, {"asgi.event.type", "http"},
	{"db.system", "database"}, {"db.system.name", "database"}, {"messaging.system", "messaging"}, {mcpMethodName, "mcp"}, {"rpc.system", "rpc"},
}

// knownOperations are the values of the attributes that name an operation.
var knownOperations = []string{"chat", "text_completion", "generate_content", "embeddings", "create_agent", "invoke_agent", "invoke_workflow",
	"llm", "chain", "agent", "retriever", "embedding", "reranker", "guardrail", "evaluator", "prompt", "workflow", "task"}

package capture

import "strings"

// A phrase is words by which a text tells what became of a call, where a source has no member
// for it. Only the beginning of a text counts: a tool's output may quote any words.
type phrase struct {
	begins string
	has    string // further words that must follow, "" for none
}

// find returns the words of the first phrase that a text begins with, "" if it begins with none.
func find(phrases []phrase, text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, p := range phrases {
		if len(text) < len(p.begins) || !strings.EqualFold(text[:len(p.begins)], p.begins) {
			continue
		}
		switch at := strings.Index(text, p.has); {
		case p.has == "":
			return text[:len(p.begins)]
		case at >= 0:
			return p.begins + "…" + p.has
		}
	}
	return ""
}

// errorPhrases are how frameworks begin the result of a call that failed.
var errorPhrases = []phrase{
	{begins: "Error:"},                            // tau-bench, LangGraph's ToolNode, Cline
	{begins: "Error executing tool"},              // MCP's Python SDK, CrewAI
	{begins: "Error invoking tool"},               // LangGraph
	{begins: "Error calling tool"},                // FastMCP
	{begins: "An error occurred while running"},   // openai-agents: "… the tool. Please try again."
	{begins: "Tool error:"},                       //
	{begins: "Traceback (most recent call last)"}, // Python
}

// denialPhrases are how frameworks begin the result of a call that was not allowed to run.
var denialPhrases = []phrase{
	{begins: "Tool execution was not approved"}, // openai-agents
	{begins: "Tool call request rejected by user"},
	{begins: "User rejected the tool call for"}, // LangChain's human in the loop
}

// Package audit asks the questions an auditor asks of tool calls.
//
//   - [Replay]: which calls were repeated for nothing, and which gave another
//     response the second time?
//   - [Scope]: which calls used a tool that the agent was not given?
//
// Both read a stream of calls in order and keep nothing of their texts, so that
// a stream of any length can be audited: Scope keeps one call, Replay 40 bytes
// for each distinct one and what a map of them takes on top. The meaning and the words of their findings are those
// of ToolReplay 0.6.0.
package audit

// Package audit asks the questions an auditor asks of tool calls.
//
//   - [Replay]: which calls were repeated for nothing, and which gave another
//     response the second time?
//   - [Scope]: which calls used a tool that the agent was not given?
//
// The two read a stream of calls in order and keep nothing of their texts, so that
// a stream of any length can be audited: Scope keeps one call, Replay 40 bytes
// for each distinct one and what a map of them takes on top. The meaning and the words of their findings are those
// of ToolReplay 0.6.0.
//
// A [Rule] is a question that is asked again and again: a query in a file, with a severity and
// a number of rows from which on it fires. [LoadRules] reads files in the YAML shape of
// Microsoft Sentinel's analytic rules (rule_file.go, rule_member.go) and says all that is
// wrong with them before a row is read; [Rule.Run] asks (rule_run.go). The package
// samples/rules has a pack of them.
package audit

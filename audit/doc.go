// Package audit asks the questions an auditor asks of tool calls.
//
//   - [Replay]: which calls were repeated for nothing, and which gave another
//     response the second time?
//   - [Scope]: which calls used a tool that the agent was not given?
//
// Both, the commands on a file, read a stream of calls in order and keep nothing of their texts, so that
// a stream of any length can be audited: Scope keeps one call, Replay 40 bytes
// for each distinct one and what a map of them takes on top. The meaning and the words of their findings are those
// of ToolReplay 0.6.0.
//
// # Operators
//
// [Operators] are the questions in the language of package query, over any selection of
// entries: rows in, rows out. They need the columns session, index, tool, args and response,
// and look at agent, request, ordinal, phase, authorization and removed if they are there, so
// that a table of other origin can be asked too.
//
// What a call is: the entries of a session with one request are put together as in the table
// calls, where each member is that of the last entry that has it, and an entry without request
// is a call of its own. A call has an answer if an entry of it is COMPLETE or ERROR, or of no
// phase and has a response, which may be null; its place in the session, its index, is that of
// its last answer. Calls without an answer are left out, and so are those that were denied and
// have neither a START nor a COMPLETE; their number is told beside the rows. Entries are taken
// by session and index, in whatever order they come, each once. So an operator keeps its whole
// input, replay 72 bytes an entry and seal the texts, which count against --memory.
//
// replay: which calls were repeated for nothing, which gave another response the second time,
// and where does an agent go round in circles?
//
//	entries | where agent == "bot" | replay | summarize count() by session, kind
//
// Its rows are the findings of [Replay] for each session, by index, then kind, with the index
// that was compared with in the column other. Beside its two kinds there is loop: calls that
// are the same and have the same response, loop= times or more (5), with no state-changing call
// between them, whatever else is. One loop is one finding, at its last call, with the number in
// its detail and its first call in other. A state-changing call ends all loops and is in none,
// as it is never redundant.
//
// mutating=dynamic(["TOOL"]) are the tools that change state, in place of [DefaultMutating];
// mutating_also= are tools beside them. ignore=dynamic(["args.timestamp", "response.took"])
// leaves out what makes calls different that are the same, or responses: a path begins with
// args or response, .NAME or ["NAME"] goes to a member, [0] to an element, .* and [*] to all.
//
// A value that was removed is never taken for one that is absent. Where it would have to be
// compared, there is a row of kind "unknown (removed)" in place of a finding, so that nobody
// takes silence for an answer; a finding that follows from what is left still stands.
// | where kind !startswith "unknown" leaves the findings.
//
// seal: the chain that ToolReplay makes of a transcript, here of a session's calls.
//
//	entries | where session == "s1" | seal
//
// The columns are the members of a sealed line. As the last operator, in the format jsonl and
// not on a terminal, it writes byte for byte what the command seal writes of the transcript.
// The calls count from 0, as verify demands; what a call lacks of args and response is an empty
// object. Of several sessions the chains stand one behind the other; keep=dynamic(["session"])
// puts the session beside each link, and agent or request. A session of which a value was
// removed has no seal, and no row is given before that is known: a part of a seal would verify.
//
//	entries | seal keep=dynamic(["session"]) | summarize arg_max(index, digest) by session
//
// # Rules
//
// A [Rule] is a question that is asked again and again: a query in a file, with a severity and
// a number of rows from which on it fires. [LoadRules] reads files in the YAML shape of
// Microsoft Sentinel's analytic rules (rule_file.go, rule_member.go) and says all that is
// wrong with them before a row is read; [Rule.Run] asks (rule_run.go). The package
// samples/rules has a pack of them.
package audit

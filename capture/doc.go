// Package capture is how calls get in: it reads the files in which other
// programs leave what their agents did.
//
// # Lines
//
// A file of JSON Lines is read once, in blocks of whole lines. All cores parse
// blocks while one goroutine, the caller's, reads ahead and takes the results
// in the order of the lines. So a file of any size needs the memory of a few
// blocks, and one long line no more than a few times its own length.
//
// # Formats
//
// [Formats] is the table of what is read; [Detect] finds a file's format by its
// content. The lines of some are entries, and go to the ledger as they are; those of a sealed
// transcript are checked first, each against the one before it. Those of
// other programs are converted: a [Reader] for the format takes one [Record] after the
// other, a line or an element of a document, and tells a [Session] what it sees: what the
// user said, a call, a verdict, a result. The session makes the entries:
//
//	a call                       ATTEMPT, with reasoning, context and prompt of what came before it
//	a verdict on it              authorization and policy of the ATTEMPT, as long as no result came
//	that it began to run         START, where the source shows it
//	a result, an error           COMPLETE, ERROR
//
// A call without result stays an ATTEMPT: nothing is made up. What a source does not show is
// absent; an entry without a time gets the ledger's, and metadata.time_source says so.
//
// A result belongs to the call of its id that waits in the latest turn, the first of several: ids
// recur. The request of a call is its id, or where the file had that, in whatever session,
// session:ordinal:id with the id in metadata.source_id.
//
// Errors and denials that a source shows only as text are known by how the text begins, never by
// words within: a tool may quote anything. metadata.error_rule and metadata.denial have the words. So
// openai-chat's results are errors that begin with "Error:"; the tables are in phrase.go,
// codex_output.go and the files of the formats of SWE-agent.
//
// Of records that each have all messages so far, one goes on with a conversation if it begins with all of
// that; one that shares only a beginning is a session of its own, unless the source names them alike.
//
// An ATTEMPT waits, with all entries behind it, for its result or verdict, so that it has the
// verdict itself. At most 4,096 entries or 8 MiB wait; then the first goes as it is, and a verdict
// that comes later is an entry more, without a phase.
//
// The file of a sub-agent does not say by whose call it was begun: import it behind the file of the agent that
// called. [IsBegun] tells which files are such.
//
// # Messages and traces
//
// Messages of MCP have no direction, and each side numbers its requests: see the reader of mcp. A
// result in a file of its own belongs to the call of its id that the ledger has in that session: import the
// client's file first, and the results have their tools.
//
// Spans of a trace come in any order. Those that tell of calls wait for the end of the file, at most 65,536 or 64 MiB
// of them; where a file is followed, for the root of their trace. In whose session and name a call was made is known only
// from the spans above it: a file that is cut within a trace may give it another session than the
// whole one, so import traces that are whole.
//
// # Importing again
//
// An entry of another program's log is the same as one that the ledger has if session, request,
// phase and its place among those are the same. So a file that grew, or was written anew with
// more in it, adds only what is new. If tool, args or response differ then, the line is
// refused: one of the two is not what the program wrote.
//
// # Lines accounted for
//
// Each line of a file is one of: source of an entry, context of entries, repeated, skipped for a
// reason that has a name, refused. A [Report] has the five counts. A line of a document
// has the class of the part that it belongs to.
package capture

// Package shell is the prompt at which an auditor asks a ledger, and what runs scripts of
// queries.
//
// # Statements
//
// What is typed is a query, a statement that gives a name (let), or a dot command. A statement
// may take several lines: it ends with a ; that stands in no string, comment or bracket, with
// an empty line, or with the end of the input. A dot command is one line that begins with a
// dot. Names that let gave stay, for the statements behind it.
//
// # Where what goes
//
// Results go to standard output, everything else to standard error. On a terminal a result is
// a table, and goes through a pager if it is taller than the screen; .output and .once send
// results to a file, in the format of its ending, or to a command. In a pipe a result is JSON
// Lines, nothing is cut, and there is neither prompt, history nor pager.
//
// # Interrupts
//
// ^C on a line clears it and what was typed before it. While a query runs it ends the query
// and nothing else: one that is in the middle of something long is left to end by itself, and
// the prompt is there. Twice within a second it ends the shell. The terminal has its own mode
// back whenever something else than the prompt has it: a query, a pager, an editor, and on
// every way out.
//
// # Completion
//
// Tab reads no ledger but for the members of a dynamic value, of its first entries: the values
// of columns that have few are read ahead, from when there is a prompt. Where nothing is typed,
// it offers values, else columns and words, not the hundreds of functions.
//
// # Scripts
//
// A script is read whole. Between two dot commands stand queries, which are checked together
// before one of them runs. The first fault ends a script, unless Config.Continue; the first
// fault decides the exit status.
package shell

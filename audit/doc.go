// Package audit asks the questions an auditor asks of tool calls.
//
//   - [Replay]: which calls were repeated for nothing, and which gave another
//     response the second time?
//   - scope: which calls ran or were allowed that a policy refuses, and which were denied
//     that it permits? So a policy can be tried on last month's calls before it is in force.
//
// The two commands on a file read a stream of calls in order and keep nothing of their texts, so that
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
// Which calls would a policy have judged otherwise? scope holds one against them:
//
//	entries | where time > ago(30d) | scope "new.json" | summarize count() by kind, rule
//	entries | scope allow=dynamic(["read_*", "search"])
//
// It has a row for each call that a policy and the ledger do not agree about, at its first entry:
// session, index, kind, tool, agent, role, request, rule (the id of what decided; default if
// nothing did, which refuses) and detail. What its entries say is put together as in the table
// calls, so they have to come in the order of their session. Kinds:
//
//   - permission-overreach: the policy refuses the call, and it ran (START, COMPLETE, ERROR
//     that tells no denial, or no phase at all) or was ALLOWED;
//   - over-denial: the policy permits the call, and it was DENIED.
//
// An attempt that is neither allowed nor denied and that nothing became of is no finding; nor
// is a call whose decision depends on an argument that was removed. How many there are of
// both is said beside the rows.
//
// The file has one of three policies, which its content tells; it may have 16 MiB. A [Scope]
// names one agent and its tools; it is about the calls of that agent, and those of nobody.
// [Rules] are for many:
//
//	{"description": "who may read what",
//	 "rules": [
//	  {"id": "read-docs", "agents": ["docs-*"], "roles": ["reader", "editor"],
//	   "allow": ["read_file", "list_*"],
//	   "args": {"path": {"inside": ["docs", "/srv/docs"]}, "options.limit": {"min": 1, "max": 500}}},
//	  {"id": "deploy-from-main", "environments": ["staging"],
//	   "allow": ["deploy"], "args": {"branch": {"one_of": ["main", "release"]}}},
//	  {"id": "no-secrets", "description": "wherever they are",
//	   "deny": ["*"], "args": {"path": {"glob": "*.env"}}},
//	  {"id": "no-force",
//	   "deny": ["bash"], "args": {"command": {"regex": "\\brm\\s+-rf\\b"}}}]}
//
// A rule has an id of its own and allows or denies tools. It is about the calls whose agent,
// role and environment are among those that it names, if it names any, and whose arguments are
// as args wants. A deny beats every allow, and what no rule allows is refused. Tools, agents,
// roles and environments are patterns: * stands for any characters, ? for one.
//
// The names in args are paths into the arguments, as in options.limit or ['a.b'].c; an array
// on the way, or at the end, is gone through. Of an allow every value there has to be as
// wanted, and there has to be one; of a deny one value suffices. What is wanted of a value,
// all of it at once:
//
//	prefix, glob, regex   a string that is so; an array of texts: like one of them. A regex is
//	                      looked for anywhere (RE2); a glob describes the whole
//	one_of                a string, number, true, false or null among these
//	min, max              a number, or a string that is one, within both; compared to the last digit
//	inside                a path that is in the folder, or in one of them, once . and .. and // are
//	                      cleaned away; \ and C: make a folder one of Windows. No file is looked at:
//	                      a symbolic link is what it is called, and %2e is no dot: a tool that
//	                      decodes URLs needs a rule of its own. What is unclear is outside
//
// A file whose name ends in .cedar has policies of Cedar, [Cedar] says with which entities:
//
//	@id("read-docs")
//	permit(principal in Role::"reader", action == Tool::"read_file", resource)
//	when { resource has path && resource.path like "docs/*" };
//
//	@id("office-hours")
//	forbid(principal, action, resource in Environment::"production")
//	unless { context.time.toTime() >= duration("8h") && context.time.toTime() < duration("18h") };
//
// Cedar leaves out a policy that it cannot evaluate, one that forbids too, as where it looks at
// an argument that a call has not: ask with has first. Such policies are told beside the rows.
// It compares texts: resource.path like "docs/*" is true of docs/../../etc/passwd.
//
// Did anybody change what is stored? verify recomputes the digests from the stored bytes:
//
//	verify | where status != "intact"
//	entries | where tool == "write_file" | verify
//
// First in a query it verifies all that the command verify does, and gives a row for each
// session (kind session), one for the Merkle tree (kind tree: expected is the root that the
// entries make, found the one that is stored), and one for each fault that is of neither (kind
// fault). Behind rows it verifies the sessions that they belong to, each whole: a chain has no
// middle. There the tree has no row, for it is of the whole ledger, and it alone tells that a
// session lost its end or is missing altogether: to know that, ask verify by itself. A session is
// intact, broken, or missing where the ledger does not have it. index is the first entry that
// does not hold, expected the digest of the entry as it stands, found the one that is stored;
// where something cannot be read at all, both are "" and detail says what. The command that asks
// ends with status 3 if something is broken, whatever a query makes of the rows.
//
// Where did two runs go different ways? diff aligns the calls of two sessions:
//
//	diff "monday" "tuesday"
//	entries | where tool != "log" | diff "monday" "tuesday"
//
// First in a query it reads the table entries; of the rows before it, it looks at those of the two
// sessions alone, in the order of their indexes. Entries are put together as calls as in the table
// calls, whose rows it takes too. Calls with the same tool and args are paired such that the
// fewest are left over, so that a call more or less shifts nothing; between two pairs, calls of the
// same tool are paired next. A pair is same, different-args or different-response (the response,
// the verdict or the last phase; the args are the same), the rest only-a and only-b. divergence is
// true in the first row that is not same, and changes names each place where a pair differs, as
// [{"path":"args.path","a":"x","b":"y"}]: up to 100, then how many more. Where a value that would
// decide was removed, the kind is unknown (removed), which is no divergence. As a table, both
// sessions stand side by side, = ≠ ~ < > between them, and of calls that are the same those that
// have a different one within context= rows. Of what it holds, each text counts once; the time is
// bounded however the sessions look: see align.
//
// What does each agent do? profile gives a row an agent, of entries or of rows of calls:
//
//	entries | where time > ago(30d) | profile
//
// It counts calls, as the table calls has them; a call is where and when its first entry is, and has
// the last value of each member that its entries have. tools has the calls by tool; hours those by
// the hour of the day in UTC, 24 of them; per_hour is calls by the hours of the calendar (UTC) that
// had one, per_day by the days that had one; denied are those with an entry whose authorization is
// DENIED, errors those with an entry of phase ERROR, and their rates are by calls; p50_ms and p95_ms
// are percentile(duration_ms, 50) and (…, 95) of the calls that have a duration. Sampled calls count
// once. The rows may come in any order. To ask by role, extend agent = role before it.
//
// What is new? drift compares a window with the baseline before it, agent by agent:
//
//	entries | drift baseline=7d
//	entries | drift baseline=28d window=1d to=datetime(2026-01-09) threshold=4
//
// The window ends before to=, or with the last row; the baseline ends where the window begins. What
// is before, and behind, does not count. A row is a finding, with the session and index of the call
// where it was first seen in the window:
//
//   - new-agent: the baseline has no call of it. Nothing else is said of such an agent.
//   - new-tool: a tool that the agent does not call in the baseline; expected are those it does.
//   - new-shape: of a tool that is not new, args of a shape that no call of it has in the baseline:
//     the names of the members with their JSON types, as {"path":"string"}. Args that are absent, or
//     of which a value was removed, have none.
//   - new-hour: an hour of the day (UTC) in which the agent made no call in the baseline.
//   - rate: a count beyond threshold= (3.5) spreads of the median: the calls, denied calls and errors of
//     the window against those of the stretches of the baseline that are as long, from the one with
//     the agent's first call on; and the calls of the window's busiest hour against those of each
//     hour of the baseline that had one. Of calls in the window, too few are a finding as well. Of
//     fewer than 3 counts nothing is said.
//
// The spread is the greatest of 1.4826 times the median distance from the median (MAD), the square
// root of the median, and 1; score = (count - median) / spread. 3.5 is the threshold of Iglewicz and
// Hoaglin (1993), after the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.17. For example, days
// of 10, 12, 11, 9, 10, 13 and 10 calls have the median 10 and the MAD 1; the spread is √10 = 3.16, and
// up to 21 calls are as usual: (21-10)/3.16 = 3.48, (22-10)/3.16 = 3.79.
//
// Who caused what? calltree draws the calls as a tree:
//
//	entries | where time > ago(1h) | calltree
//
// Entries are put together as calls, as the table calls has them; rows of calls are calls
// already. A call names in parent the request of the call that caused it, in any session.
// Where several calls have that request, its parent is the nearest before it in its own
// session, else the nearest before it in the ledger, else the nearest behind it. The column
// note says what is odd: a parent that is not there (an orphan is a root), that is of another
// session, that is below the call (the first call of a circle is a root) or one of several; a
// call without request, without attempt or without answer, and a request that is used again.
// Only the rows that are given are known: a filter before calltree makes orphans. Roots stand
// in the order of the ledger, children in that of their start. Entries may come in any order;
// a row without index stands behind the others of its session.
//
// What happened there? scene shows all that there is around a call:
//
//	entries | where reasoning contains "delete" | scene before=5
//
// For each call that has a row in the input, once: what was said before, the system prompt,
// the reasoning with the words that the query looked for between » and «, the arguments, the
// verdict and its policy, each phase with its time, the result or the error, the calls that it
// caused, and so many entries of its session before and after it. The input only selects: the
// rest comes from the table entries, also what a filter left out. Rows that no ledger has, by
// session, index, request and time, are shown by what else there is among them. As table and
// line it is a page, cut to the width; elsewhere the column scene is a document with everything
// uncut. It holds some thousand calls at a time, and 48 bytes for each that was shown.
//
// # Rules
//
// A [Rule] is a question that is asked again and again: a query in a file, with a severity and
// a number of rows from which on it fires. [LoadRules] reads files in the YAML shape of
// Microsoft Sentinel's analytic rules (rule_file.go, rule_member.go) and says all that is
// wrong with them before a row is read; [Rule.Run] asks (rule_run.go). The package
// samples/rules has a pack of them.
package audit

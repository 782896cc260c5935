package capture

import (
	"strings"
	"unicode/utf8"
)

// denials are the words by which Claude Code and the Anthropic API tell, in the text of a result
// that is an error, that a call was not allowed to run. A * stands for any text. What is denied
// by another's words, as those of a hook, the readers know by what stands around the result.
//
// The constants of Claude Code are named as its published sources name them (2.0 to 2.1); the
// rest was seen in published transcripts.
var denials = []struct{ words, policy string }{
	{"The user doesn't want to proceed with this tool use", userRejected},     // REJECT_MESSAGE, and with a reason
	{"The user doesn't want to take this action right now", userRejected},     // CANCEL_MESSAGE
	{"Permission for this tool use was denied", permissionRule},               // SUBAGENT_REJECT_MESSAGE, and with a reason
	{"The agent proposed a plan that was rejected by the user", userRejected}, // PLAN_REJECTION_PREFIX
	{"User rejected tool use", userRejected},                                  // the structured result beside the first
	{"The user has declined this action", userRejected},
	{"Permission for this action was declined", permissionRule},
	{"Permission for this action has been denied", "classifier"}, // AUTO_MODE_REJECTION_PREFIX
	{"Permission for this action was denied", "classifier"},
	{"This action was blocked by the dangerous action safety classifier", "classifier"},
	{"Permission to use * has been denied", permissionRule}, // AUTO_REJECT_MESSAGE; "Permission to use Bash with command rm x has been denied."
	{"Permission to use * has been auto-denied", permissionRule},
	{"Permission to use * has been rejected", userRejected}, // managed agents
	{"Claude requested permissions to * but you haven't granted it yet", permissionRule},
	{"Claude requested permissions to edit * which is a sensitive file", permissionRule},
	{"This command requires approval", permissionRule},
	{"This Bash command contains multiple operations. The following part* require", permissionRule},
	{"This PowerShell command contains multiple operations. The following part* require", permissionRule},
	{"* was blocked. For security, Claude Code may only ", "working-directories"},
	{"* was blocked by a deny rule", permissionRule},
	{"File is in a directory that is denied by your permission settings", permissionRule},
	{"Execution stopped by PreToolUse hook", preToolUse},
	{"PreToolUse:* hook error", preToolUse}, // exit status 2 of a hook: "PreToolUse:Bash hook error: [guard.sh]: no"
	{"PreToolUse:* hook blocking error", preToolUse},
	{"Hook PreToolUse:* denied this tool", preToolUse},
}

// Policies of denials. The first two are the words of Claude Code itself (toolDenialKind).
const (
	userRejected   = "user-rejected"
	permissionRule = "permission-rule"
	preToolUse     = "PreToolUse"
)

// denialOf returns the words of a denial, "" if the text of an error is none, and who denied. Kind is what
// the source says of a call that did not run, if it does: toolDenialKind, non_execution_kind.
func denialOf(text, kind string) (words, policy string) {
	switch kind {
	case "":
	case "cancelled", "interrupted": // with the turn, or after another call's error: nobody decided on it
		return "", ""
	default:
		return firstWords(bare(text), kind), kind
	}
	text = bare(text)
	for _, d := range denials {
		if rest, ok := cutWords(text, d.words); ok {
			policy = d.policy
			if policy == preToolUse && strings.HasPrefix(rest, preToolUse+":") {
				policy, _, _ = strings.Cut(rest, " ") // with the tool that the hook is for
			}
			return firstWords(text, d.words), policy
		}
	}
	return "", ""
}

// bare returns the text of an error without what Claude Code puts around it.
func bare(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "<tool_use_error>")
	return strings.TrimPrefix(text, "Error: ")
}

// cutWords tells whether a text begins with words, and returns it from the first of them on that it has to the letter.
// Behind a *, words count only in the text's beginning.
func cutWords(text, words string) (string, bool) {
	const reach = 4 << 10
	text = text[:min(len(text), reach)]
	first, more, any := strings.Cut(words, "*")
	if !strings.HasPrefix(text, first) {
		return "", false
	}
	rest := text[len(first):]
	for any {
		var next string
		next, more, any = strings.Cut(more, "*")
		i := strings.Index(rest, next)
		if i < 0 {
			return "", false
		}
		rest = rest[i+len(next):]
	}
	return strings.TrimPrefix(text, "Hook "), true
}

// firstWords returns the first line of a text, at most some 300 bytes of it; other if there is none.
func firstWords(text, other string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSuffix(line, "</tool_use_error>")
	if line == "" {
		return other
	}
	n := min(len(line), 300)
	for n < len(line) && !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n]
}

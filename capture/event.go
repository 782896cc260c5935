package capture

import "time"

// A Field is a member of metadata.
type Field struct {
	Name  string
	Value Value
}

// A Call is what a source shows of a call when it is made.
type Call struct {
	ID     string // as the source has it; "" if it has none
	Tool   string
	Action string
	Args   Value // the arguments in any form, see [Arguments]; nil: the source does not show them
	Time   Time

	Authorization string // ALLOWED or DENIED, if the source shows a verdict
	Policy        string
	Parent        string // request of the call that caused this one
	Trace         string
	Reasoning     string // why; what the session heard the agent say before, if ""
	Metadata      []Field
}

// A Result is what came of a call.
type Result struct {
	Response   Value // nil: the source does not show it
	Error      bool
	Denied     string // the words that tell that the call was denied and did not run
	Policy     string // the rule that denied it, if the source shows one
	Time       Time
	DurationMS string // a number in milliseconds, if the source shows it
	Metadata   []Field
}

// A Verdict is what a gate decided on a call.
type Verdict struct {
	Authorization string // ALLOWED or DENIED
	Policy        string
	Time          Time
	Metadata      []Field
}

// A Time is when something happened, as a source shows it.
type Time struct {
	time.Time
	// Source says how exactly, if it is not what the source says to the letter: see [ParseTime].
	Source string
}

package capture

// contextMessages is how many messages of the user a call has for its context.
const contextMessages = 3

// Prompt sets the system prompt in force.
func (s *Session) Prompt(text string) {
	if text != "" {
		s.prompt = TextValue(text)
	}
}

// User takes a message of the user. The calls that follow have the last few for context.
func (s *Session) User(text string) {
	if text == "" {
		return
	}
	s.reasoning = ""
	if len(s.user) == contextMessages {
		s.user = append(s.user[:0:0], s.user[1:]...)
	}
	s.user = append(s.user, TextValue(text))
}

// Heard sets the system prompt in force, "" for the one that is, and the last messages of the user, for sources
// that repeat them each time.
func (s *Session) Heard(prompt string, user []string) {
	s.Prompt(prompt)
	s.user = nil
	for _, text := range user[max(0, len(user)-contextMessages):] {
		s.user = append(s.user, TextValue(text))
	}
}

// Say takes what the agent says or thinks: the reasoning of the calls that follow in this turn.
func (s *Session) Say(text string) {
	if text == "" {
		return
	}
	if s.reasoning != "" {
		s.reasoning += "\n"
	}
	s.reasoning += text
}

// Turn begins another turn of the agent: another message of its. A result belongs to the latest
// turn that has an open call of its id.
func (s *Session) Turn() {
	s.turn++
	s.reasoning = ""
}

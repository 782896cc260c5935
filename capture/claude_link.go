package capture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"toolledger/chain"
	"toolledger/db"
)

// A sub-agent has a file of its own, which does not say by whose call it was begun. The file of the agent
// that called does: in lines of progress, and in the result of the call, which keeps the sub-agent's id as
// metadata.agent_id. So the link is found if that file is imported before, in the same run or an earlier one.

// IsBegun tells whether a file is that of an agent which another began, so that the other's file, if there is one, is to be
// imported before it. Its first line tells. Nothing is known of a file that cannot be read.
func IsBegun(f *os.File) bool {
	var r io.Reader = f
	if unpacked, err := Unpack(f); err != nil {
		return false
	} else if unpacked != nil {
		r = unpacked
	}
	line, err := bufio.NewReaderSize(r, 1<<20).ReadSlice('\n')
	if err != nil && err != io.EOF {
		return false
	}
	v, err := chain.Canonical(nil, bytes.TrimPrefix(line, []byte("\ufeff")))
	return err == nil && Value(v).Get("agentId").Text() != "" && Value(v).Get("sessionId").Text() != ""
}

// claudeAgentSession is the name of the session of a sub-agent.
func claudeAgentSession(session, agent string) string { return session + "/agent-" + agent }

// claudeLink is under what a sub-agent is found in the links of an import.
func claudeLink(session, agent string) string { return "claude-code " + session + " " + agent }

// link says that a call began a sub-agent.
func (t *claudeChat) link(agent string, call *claudeCall) {
	t.c.Links.Set(claudeLink(t.session, agent), Caller{Session: t.name, Request: call.request, Agent: call.agentType})
}

// caller returns the call that began a sub-agent, zero if that is not known.
func (p *claudeReader) caller(session, agent string) Caller {
	if by, ok := p.c.Links.Of(claudeLink(session, agent)); ok {
		return by
	}
	by, err := p.c.known.claudeCaller(sessionName(p.c.prefix+session), agent)
	if err != nil {
		p.c.refuse(&ledgerError{err})
	}
	return by
}

// claudeCaller looks in a ledger's session for the call that began a sub-agent.
func (k *known) claudeCaller(session, agent string) (Caller, error) {
	if k.ledger == nil {
		return Caller{}, nil
	}
	if _, err := k.ledger.Session(session); errors.Is(err, db.ErrNotFound) {
		return Caller{}, nil
	} else if err != nil {
		return Caller{}, err
	}
	types := map[string]string{}
	for r, err := range k.ledger.Records(context.Background(), db.Range{Session: session}) {
		if err != nil {
			return Caller{}, err
		}
		request := Value(r.Members[chain.Request]).Text()
		if kind := Value(r.Members[chain.Args]).Get("subagent_type").Text(); kind != "" {
			types[request] = kind
		}
		if Value(r.Members[chain.Metadata]).Get("agent_id").Text() == agent {
			return Caller{Session: session, Request: request, Agent: types[request]}, nil
		}
	}
	return Caller{}, nil
}

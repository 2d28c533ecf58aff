package session

import (
	"context"

	"pushmask/core"
)

// Cause says why the target stopped.
type Cause struct {
	Name        string // "HardFault", "SIGSEGV", "Breakpoint", "Halted"
	Description string // one sentence: "precise data bus error reading 0xb0000000"
	Details     []string
}

// Cause explains the stop of a thread.
func (s *Session) Cause(ctx context.Context, id core.ThreadID) Cause {
	t, _ := s.Thread(id)
	if t.Signal == 0 {
		return Cause{Name: "Halted", Description: "the artefact does not say why the target stopped"}
	}
	name, meaning := signalName(t.Signal)
	return Cause{Name: name, Description: meaning}
}

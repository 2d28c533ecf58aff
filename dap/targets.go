package dap

import "pushmask/core"

// A session has one debuggee, or one for each of the machines of a live target.
// The client tells them apart by nothing but the ids that it was given: each
// debuggee has its own span of the positive numbers of 32 bits, the first of
// which starts at 0.
const idSpan = 1 << 26

// maxTargets is how many machines a session can have.
const maxTargets = 16

// owner returns the debuggee that gave out the id of a thread, frame, container
// of variables or source.
func (a *adapter) owner(id int) *debuggee {
	if n := id / idSpan; n >= 1 && n <= len(a.further) {
		return a.further[n-1]
	}
	return a.debuggee
}

// focus is owner for what the user looks at: addresses that come without more
// are those of its debuggee from now on.
func (a *adapter) focus(id int) *debuggee {
	a.watched = a.owner(id)
	return a.watched
}

// focused returns the debuggee that the user looks at.
func (a *adapter) focused() *debuggee {
	if a.watched == nil {
		return a.debuggee
	}
	return a.watched
}

// debuggees lists all that are open.
func (a *adapter) debuggees() []*debuggee {
	if a.debuggee == nil {
		return nil
	}
	return append([]*debuggee{a.debuggee}, a.further...)
}

// threadID is the debuggee's own name of a thread that the client was given.
func (d *debuggee) threadID(id int) core.ThreadID { return core.ThreadID(id - d.number*idSpan) }

// clientThread is the inverse of threadID.
func (d *debuggee) clientThread(id core.ThreadID) int { return int(id) + d.number*idSpan }

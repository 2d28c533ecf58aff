package runcontrol

import "pushmask/core"

// EventKind tells what stopped the target.
type EventKind uint8

// The kinds of event.
const (
	EventStep EventKind = iota
	EventPause
	EventBreakpoint
	EventDataBreakpoint
	EventException // a fault or another exception that is caught
	EventEntry     // the place of MotionRunTo, or a temporary breakpoint
	EventGoto      // the PC was set
	EventReset
	EventExited // the program ended; the target is gone
)

// Event is a stop that the user sees.
type Event struct {
	Kind    EventKind
	Thread  core.ThreadID
	Hit     []int    // IDs of the breakpoints that stopped it, ascending
	HitKind SpecKind // of those; valid when Hit is not empty
	// Description says in a few words what happened, beyond the kind: "watch
	// counter", "HardFault". It may be "".
	Description string
	// Text is the whole of it, for a tool tip or the console: the old and the
	// new value, the cause of the fault. It may be "".
	Text     string
	ExitCode int // of EventExited
}

package runcontrol

import (
	"context"

	"pushmask/core"
)

// Location is a place in a source file where a breakpoint can be.
type Location struct {
	Line   int // from 1
	Column int // from 1, 0 when not known
}

// Locations lists the places with code in some lines of a source file of this
// machine, last included, in their order.
func (l *Live) Locations(path string, first, last int) []Location {
	var list []Location
	for line := first; line <= last; line++ {
		if len(l.program.LineAddresses(path, line)) > 0 {
			list = append(list, Location{Line: line})
		}
	}
	return list
}

// StepInTarget is a function that a step from a stopped place may enter.
type StepInTarget struct {
	Addr core.Addr // of its entry: the Addr of the Motion
	Name string
	Line int // of the call, from 1
}

// StepInTargets lists the functions that the rest of the statement, at which a
// thread stopped, calls directly, in the order of the code.
func (l *Live) StepInTargets(ctx context.Context, thread core.ThreadID) ([]StepInTarget, error) {
	_, err := l.Session()
	return nil, err
}

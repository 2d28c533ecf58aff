package dump

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
)

// The types of notes of specialOwner.
const (
	specialRegisters  = 1
	specialAttributes = 2
)

// setAttributes takes what a note of specialOwner, type 2, says of the thread:
// lines of a word and a value, as package elfcore writes them. Words that nobody
// knows are passed over.
func (t *thread) setAttributes(desc []byte) {
	for line := range strings.Lines(string(desc)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch key {
		case "name":
			t.Name = value
		case "state":
			t.State = value
		case "waits":
			t.Waits = value
		case "priority":
			_, err := fmt.Sscan(value, &t.Priority, &t.BasePriority)
			t.HasPriority = err == nil
		case "stack":
			t.Stack = parseStack(value)
		case "interrupted":
			t.repeated = true
		case "crashed":
			t.Crashed = true
		case "faulted":
			t.Faulted = true
		case "unknown":
			for name := range strings.FieldsSeq(value) {
				if r, ok := core.LookupReg(name); ok {
					t.regs.Forget(r)
				}
			}
		}
	}
}

// dropRepeated drops the threads that show interrupted code to debuggers which
// cannot unwind a hardware exception frame.
func (e *elfCore) dropRepeated() {
	e.d.threads = slices.DeleteFunc(e.d.threads, func(t thread) bool { return t.repeated })
}

// parseStack reads two addresses, "0x20000000 0x20000400"; what is none of a
// stack gives none.
func parseStack(s string) core.Stack {
	low, high, _ := strings.Cut(s, " ")
	a, errLow := strconv.ParseUint(low, 0, 32)
	b, errHigh := strconv.ParseUint(high, 0, 32)
	if errLow != nil || errHigh != nil {
		return core.Stack{}
	}
	return core.Stack{Low: core.Addr(a), High: core.Addr(b)}
}

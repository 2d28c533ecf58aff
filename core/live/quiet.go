package live

import "pushmask/core"

// controlSpace are the system control block and what is behind it, fault
// registers among them: reads change none of it (Armv7-M ARM B3.2.2). SysTick,
// whose control register a read clears, lies before it.
var controlSpace = span{0xe000ed00, 0xe000f000}

// Quiet reports whether reads at an address are known to change nothing, so that
// they may be made without the user asking for them. The map of an M-profile core
// tells; of others nothing is known, and everything counts as quiet.
func (m *Machine) Quiet(a core.Addr) bool {
	if m.profile != core.ProfileM || controlSpace.contains(a) {
		return true
	}
	_, ok := m.memory.normalAt(a)
	return ok
}

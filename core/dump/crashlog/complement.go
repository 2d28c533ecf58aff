package crashlog

import (
	"cmp"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// complement gives reports that follow one another and are of one crash what
// the other knows: a system prints its own report and then that of a library
// (RT-Thread and CmBacktrace), one with r4 to r11 and the other with the stack.
func complement(reports []Report) {
	for i := 1; i < len(reports); i++ {
		a, b := &reports[i-1], &reports[i]
		if a.Format == b.Format || b.First-a.Last > maxGap || a.Refused != nil || b.Refused != nil {
			continue
		}
		ta, tb := a.Crashed(), b.Crashed()
		if !sameFrame(&ta.Regs, &tb.Regs) {
			continue
		}
		share(ta, tb)
		share(tb, ta)
	}
}

// sameFrame reports whether two sets of registers are those of one exception
// frame: those that both have agree, and the telling ones are among them.
func sameFrame(a, b *core.Regs) bool {
	for r := core.R0; r <= core.PSR; r++ {
		va, okA := a.Get(r)
		vb, okB := b.Get(r)
		switch {
		case okA && okB && va != vb:
			return false
		case okA && okB:
		case r <= core.R3, r == core.LR, r == core.PC, r == core.PSR:
			return false
		}
	}
	return true
}

// share gives a thread what another report knows of it.
func share(to, from *crash.Thread) {
	for r := range core.Reg(core.NumRegs) {
		if v, ok := from.Regs.Get(r); ok && !to.Regs.Has(r) {
			to.Regs.Set(r, v)
		}
	}
	to.Name = cmp.Or(to.Name, from.Name)
	to.State = cmp.Or(to.State, from.State)
	if !to.HasPriority {
		to.Priority, to.HasPriority = from.Priority, from.HasPriority
	}
	if !to.Stack.Known() {
		to.Stack = from.Stack
	}
}

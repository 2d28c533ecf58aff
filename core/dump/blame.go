package dump

import (
	"slices"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// blame marks the thread that crashed, and puts it first, in a dump that does
// not say which of its threads that was, by what a report of the same crash
// says of it: PC and SP, or else its name. Where no thread, or more than one, is
// of that name nothing changes.
func (d *Dump) blame(crashed crash.Thread) {
	i := slices.IndexFunc(d.threads, func(t thread) bool {
		return sameValue(&t.regs, &crashed.Regs, core.PC) && sameValue(&t.regs, &crashed.Regs, core.SP)
	})
	if i < 0 {
		i = d.onlyNamed(crashed.Name)
	}
	if i < 0 {
		return
	}
	for k := range d.threads {
		d.threads[k].Crashed = k == i
	}
	d.sortThreads()
}

// sameValue reports whether a register is known in both and equal.
func sameValue(a, b *core.Regs, r core.Reg) bool {
	v, ok := a.Get(r)
	w, also := b.Get(r)
	return ok && also && v == w
}

// onlyNamed returns the index of the one thread of that name, -1 where there is
// none or more.
func (d *Dump) onlyNamed(name string) int {
	found := -1
	for i := range d.threads {
		switch {
		case name == "" || d.threads[i].Name != name:
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	return found
}

// crashedIn returns the thread of a report that crashed; false where it names
// none.
func crashedIn(report *crash.Crash) (crash.Thread, bool) {
	for _, t := range report.Threads {
		if t.Crashed {
			return t, true
		}
	}
	return crash.Thread{}, false
}

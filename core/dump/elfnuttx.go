package dump

import (
	"strings"

	"pushmask/core"
)

// interpretNuttX names the tasks and finds the crashed one (NuttX
// sched/misc/coredump.c, before October 2024 binfmt/libelf/libelf_coredump.c).
func (e *elfCore) interpretNuttX() {
	names := make(map[int32]string)
	for _, n := range e.notes {
		if n.typ == ntPRPSInfo {
			p := parseProcessInfo(n)
			names[p.pid] = p.name
		}
	}
	crashed := -1
	for i := range e.d.threads {
		t := &e.d.threads[i]
		// Tools that dump NuttX from outside name the note as all systems do.
		if t.Name = e.threadNotes[i].name; t.Name == "" || t.Name == "CORE" {
			t.Name = names[int32(t.ID)]
		}
		t.forgetUnsaved()
		if crashed < 0 && e.wasRunning(t) {
			crashed = i
		}
	}
	if len(e.d.threads) > 0 {
		e.d.threads[max(crashed, 0)].Crashed = true
	}
}

// stackRounding is how far below the stack pointer a saved stack begins at
// most.
const stackRounding = 64

// wasRunning reports whether the task had a processor at the crash. Since
// April 2026 that task comes first in the file; before, tasks come in the
// order of a hash of their pid. In both, the stack of a running task is saved
// whole while that of a waiting one is saved from its stack pointer, rounded
// down to 64 bytes, upwards. Stacks come before RAM, so that the first
// segment that holds the stack pointer is the stack.
func (e *elfCore) wasRunning(t *thread) bool {
	sp, ok := t.regs.Get(core.SP)
	for _, s := range e.segments {
		if ok && s.typ == ptLoad && core.Addr(sp) >= s.vaddr && uint64(sp) < uint64(s.vaddr)+uint64(s.filesz) {
			return core.Addr(sp)-s.vaddr >= stackRounding
		}
	}
	return false
}

// forgetUnsaved drops the zeros of a context that was never saved: the idle
// tasks of further processors have a stack pointer and nothing else.
func (t *thread) forgetUnsaved() {
	for r := core.R0; r <= core.PSR; r++ {
		if r != core.SP && t.regs.Value(r) != 0 {
			return
		}
	}
	for r := core.R0; r <= core.PSR; r++ {
		if r != core.SP {
			t.regs.Forget(r)
		}
	}
}

// nuttxTimeSize is the end of the info note: a timespec, 16 bytes with
// padding, and the size of the core.
const nuttxTimeSize = 24

// nuttxSystem returns the words of the utsname that begins the info note:
// system, host, release, version, machine, each NUL-padded to a length that
// depends on the build.
func nuttxSystem(desc []byte) string {
	desc = desc[:max(len(desc)-nuttxTimeSize, 0)]
	return strings.Join(strings.FieldsFunc(string(desc), func(r rune) bool { return r == 0 }), " ")
}

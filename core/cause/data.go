package cause

import (
	"fmt"

	"pushmask/core"
)

// controlNPriv is CONTROL.nPRIV: thread mode is not privileged (Armv7-M ARM
// B1.4.4).
const controlNPriv = 1

// dataAccess explains a load or store that failed. addr is what an address
// register or a signal says, valid where hasAddr; bit the status bit that states
// it, "" where none does.
func (e *explainer) dataAccess(addr core.Addr, hasAddr bool, bit string) {
	acc, ok := access{}, false
	if e.at && e.hasInst {
		acc, ok = accessOf(&e.inst.Inst, &e.regs)
	}
	if ok && hasAddr && !acc.contains(addr) && acc.addr&^3 != addr {
		e.note("%s accesses %s: the address that the fault register has is of another access", e.inst.quoted(&e.regs, acc.base, acc.index), addrText(acc.addr))
		ok = false
	}
	switch {
	case ok:
		if !hasAddr {
			addr = acc.addr
		}
		e.knownAccess(&acc, addr, bit)
	case hasAddr:
		e.setAddr(addr)
		kind, what := NullAccess, " through a null pointer"
		if addr >= nullSpan {
			kind, what = BadAccess, e.whereabouts(addr, bit)
		}
		e.say(kind, "access to address %s%s%s", addrText(addr), what, e.place())
	default:
		e.say(BadAccess, "%s%s", firstOr(e.status, "an access to memory failed"), e.place())
	}
}

func firstOr(list []string, other string) string {
	if len(list) == 0 {
		return other
	}
	return list[0]
}

// knownAccess explains the access of the instruction at the PC, of which the
// byte at addr failed.
func (e *explainer) knownAccess(acc *access, addr core.Addr, bit string) {
	kind, verb := BadRead, "read of"
	if acc.write {
		kind, verb = BadWrite, "write to"
	}
	e.setAddr(addr)
	content := e.in.Program.Content(addr)
	text := e.pointer(acc)
	switch {
	case text != "" && acc.write:
		kind = NullWrite
	case text != "":
		kind = NullRead
	case acc.write && (content == ContentCode || content == ContentConstant):
		kind, text = FlashWrite, ", which is read-only memory of the image"+e.symbolIn(addr)
	default:
		text = e.whereabouts(addr, bit)
		if v, ok := e.regs.Get(acc.base); ok && acc.base != core.PC && fillWords[v] {
			e.note("the pointer %v holds a fill pattern: it was never set, or what held it was freed", acc.base)
		}
	}
	e.say(kind, "%s: %s address %s%s%s", e.inst.quoted(&e.regs, acc.base, acc.index), verb, addrText(addr), text, e.place())
}

// pointer says that an access goes through a null pointer, "" where it does
// not. The pointer is named where it is known which variable it was read from.
func (e *explainer) pointer(acc *access) string {
	base, ok := e.regs.Get(acc.base)
	if !ok || acc.base == core.SP || acc.base == core.PC {
		return ""
	}
	null := acc.base
	switch {
	case base == 0 && (acc.index == core.NoReg || acc.addr < nullSpan):
	case acc.addr >= nullSpan || acc.addr >= vectorSpan && e.has(acc.addr):
		return ""
	case acc.index != core.NoReg && e.regs.Has(acc.index) && e.regs.Value(acc.index) == 0:
		null = acc.index
	default:
		return " through a pointer that is nearly null"
	}
	text := " through a null pointer"
	if name := e.source(null, e.pc); name != "" {
		text += " `" + name + "`"
	}
	return text
}

// symbolIn is " (`name+4`)" for an address in an object.
func (e *explainer) symbolIn(a core.Addr) string {
	if s := e.in.Program.Symbol(a); s != "" {
		return " (`" + s + "`)"
	}
	return ""
}

// whereabouts says what is at an address that could not be accessed, with a
// leading separator, and notes what that may mean.
func (e *explainer) whereabouts(a core.Addr, bit string) string {
	sym := e.symbolIn(a)
	switch {
	case e.in.Profile != core.ProfileM:
		return sym
	case bit == "AUVIOL":
		return sym + ", which is secure"
	case bit == "DACCVIOL":
		return sym + e.unprivileged()
	case a < nullSpan || sym != "" && e.in.Program.Content(a) > ContentNone:
		return sym
	}
	r := regionOf(a)
	e.note(r.meaning, a)
	if sym != "" {
		return sym + e.unprivileged() // a register of a device
	}
	return fmt.Sprintf(" (%s region)%s", r.name, e.unprivileged())
}

// unprivileged says that the code that faulted was not privileged.
func (e *explainer) unprivileged() string {
	control, ok := e.in.Regs.Get(core.CONTROL)
	if ok && control&controlNPriv != 0 && e.regs.Has(core.PSR) && e.regs.Value(core.PSR)&ipsr == 0 {
		return " by unprivileged code"
	}
	return ""
}

// imprecise explains a bus error that was reported after the instruction that
// caused it had gone by: the stores in front of the PC are looked at.
func (e *explainer) imprecise() {
	e.out.Kind = ImpreciseWrite
	e.note("the bus error is imprecise: the access that failed, a write as a rule, is one before the pc")
	if store, acc, ok := e.storeBefore(); ok {
		e.setAddr(acc.addr)
		e.out.Inferred = true
		e.say(ImpreciseWrite, "probably %s, shortly before the pc: write to address %s%s%s", store.quoted(&e.regs, acc.base, acc.index),
			addrText(acc.addr), e.whereabouts(acc.addr, ""), e.placeOf(store.Addr))
		return
	}
	e.say(ImpreciseWrite, "a write failed shortly before the pc%s", e.place())
}

func (e *explainer) placeOf(pc core.Addr) string {
	if p := e.in.Program.Place(pc); p != "" {
		return " in " + p
	}
	return fmt.Sprintf(" at pc %v", pc)
}

// impreciseReach is how many instructions before the PC an access is looked for
// that was buffered: a few cycles pass until its error is reported.
const impreciseReach = 10

// storeBefore finds the only store shortly before the PC, in code that ran
// through to it, whose address could not answer.
func (e *explainer) storeBefore() (instruction, access, bool) {
	body, n := e.bodyBefore(e.pc)
	regs := e.regs
	var found instruction
	var at access
	count := 0
	for k := range min(n, impreciseReach) {
		i := &body[n-1-k]
		if i.Flow != 0 || targeted(body, body[n-1-k:n]) {
			break
		}
		if acc, ok := accessOf(i, &regs); ok && acc.write && i.Defs>>acc.base&1 == 0 && !e.answers(acc.addr) {
			found, at = instruction{*i, i.Cond}, acc
			count++
		}
		for r := core.R0; r <= core.PC; r++ {
			if i.Defs>>r&1 != 0 {
				regs.Forget(r)
			}
		}
	}
	return found, at, count == 1
}

// answers reports whether an address is one that memory may well be at.
func (e *explainer) answers(a core.Addr) bool {
	switch c := e.in.Program.Content(a); {
	case c == ContentVariable || e.ownHas(a):
		return true
	case c == ContentCode || c == ContentConstant:
		return false
	}
	r := regionOf(a).name
	return r == "SRAM" || r == "private peripheral"
}

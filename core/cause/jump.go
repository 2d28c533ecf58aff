package cause

import (
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// jump explains a PC that is no place for code: bit is the status bit that
// states it, "" where none does.
func (e *explainer) jump(bit string) {
	if !e.at || !e.hasPC {
		e.say(WildJump, "a jump to an address that is no code")
		return
	}
	psr, hasPSR := e.regs.Get(core.PSR)
	if e.code(e.pc) && e.hasInst && (bit != "INVSTATE" || hasPSR && psr&xpsrT != 0) {
		e.stateOrFetch(bit)
		return
	}
	e.setAddr(e.pc)
	call, name, place := e.caller()
	verb := "jump to"
	if call != "" {
		verb, call = "call of", call+": "
	}
	if e.pc < nullSpan && !e.entryWithoutThumb() {
		if name != "" {
			name = " `" + name + "`"
		}
		e.say(NullJump, "%s%s address %s through a null pointer%s%s", call, verb, addrText(e.pc), name, place)
	} else {
		if name != "" {
			name = " from `" + name + "`"
		}
		e.say(WildJump, "%s%s address %v%s%s%s", call, verb, e.pc, name, e.target(), place)
	}
	e.hasInst = false
}

// entryWithoutThumb reports whether the PC is a place in the image's code to
// which it was jumped without the Thumb bit.
func (e *explainer) entryWithoutThumb() bool {
	psr, ok := e.regs.Get(core.PSR)
	return e.code(e.pc) && e.pc >= vectorSpan && ok && psr&xpsrT == 0
}

// code reports whether the image has code at an address.
func (e *explainer) code(a core.Addr) bool {
	switch e.in.Program.Content(a) {
	case ContentCode, ContentCopied:
		return true
	case ContentUnknown:
		r := regionOf(a)
		return !r.xn && a >= nullSpan || e.in.Profile == core.ProfileA
	}
	return false
}

// target says what lies where a jump went.
func (e *explainer) target() string {
	psr, ok := e.regs.Get(core.PSR)
	noThumb := e.in.Profile == core.ProfileM && ok && psr&xpsrT == 0
	if exc.IsReturn(uint32(e.pc)) || exc.IsReturn(uint32(e.pc|1)) {
		return ", which is no address but an EXC_RETURN value"
	}
	if fillWords[uint32(e.pc)] || fillWords[uint32(e.pc|1)] {
		return ", which is a fill pattern: the pointer was never set"
	}
	switch e.in.Program.Content(e.pc) {
	case ContentVariable:
		return ", which is data" + e.symbolIn(e.pc)
	case ContentConstant:
		return ", which is no code" + e.symbolIn(e.pc)
	case ContentCode, ContentCopied:
		if noThumb {
			return e.symbolIn(e.pc) + " without the Thumb bit"
		}
	case ContentNone:
		if r := regionOf(e.pc); e.in.Profile == core.ProfileM {
			return fmt.Sprintf(" outside of the image (%s region%s)", r.name, never(r))
		}
		return " outside of the image"
	case ContentUnknown:
		if r := regionOf(e.pc); e.in.Profile == core.ProfileM && r.xn {
			return fmt.Sprintf(" (%s region%s)", r.name, never(r))
		}
	}
	if noThumb {
		return " without the Thumb bit"
	}
	return ""
}

func never(r region) string {
	if r.xn {
		return ", which never holds code"
	}
	return ""
}

// stateOrFetch explains a fault of fetching code where code is.
func (e *explainer) stateOrFetch(bit string) {
	e.setAddr(e.pc)
	switch bit {
	case "INVSTATE":
		e.say(WildJump, "`%s`%s cannot run in the state that xPSR has: its IT or ICI bits do not fit", e.inst.text(), e.place())
	case "IBUSERR":
		e.say(WildJump, "the code at %s could not be read%s", addrText(e.pc), e.place())
	default:
		e.say(WildJump, "the code at %s may not be executed: the MPU forbids it%s%s", addrText(e.pc), e.unprivileged(), e.place())
	}
}

// caller finds the call that led to a PC that is no code: LR is behind it, if
// nothing was called in between. It returns the call with the value of its
// register, the variable that the value was read from, and where the call is;
// of another call only the place, in words.
func (e *explainer) caller() (call, name, place string) {
	lr, ok := e.regs.Get(core.LR)
	if !ok {
		return "", "", ""
	}
	if exc.IsReturn(lr) && e.in.Profile == core.ProfileM {
		e.note("lr is an EXC_RETURN value: the jump is that of a handler or of an exception return")
		return "", "", ""
	}
	i, ok := e.callBefore(lr)
	if !ok {
		e.note("lr is %v: where the last call returns to, if it was not changed since", core.Addr(lr))
		return "", "", ""
	}
	site := e.placeOf(i.Addr)
	v, known := e.regs.Get(i.Rm)
	if i.Flow == insn.FlowCallReg && known && core.Addr(v)&^1 == e.pc&^1 {
		return i.quoted(&e.regs, i.Rm), e.source(i.Rm, i.Addr), site
	}
	e.note("the last call was `%s`: the jump is a tail call behind it, or a return to a wrong address", i.text())
	return "", "", ", after a call" + site
}

// callBefore returns the call instruction in front of a return address.
func (e *explainer) callBefore(lr uint32) (instruction, bool) {
	a, t32 := core.CodeAddr(lr)
	if e.in.Profile == core.ProfileM && !t32 {
		return instruction{}, false
	}
	for _, size := range []core.Addr{2, 4} {
		if !t32 && size == 2 {
			continue
		}
		i, ok := decode(e.in.Memory, a-size, t32)
		if ok && core.Addr(i.Size) == size && (i.Flow == insn.FlowCall || i.Flow == insn.FlowCallReg) {
			return i, true
		}
	}
	return instruction{}, false
}

// exceptionReturn explains a failed exception return.
func (e *explainer) exceptionReturn() {
	text := "an exception return with a bad EXC_RETURN value, or from a frame that is not true"
	if e.at && e.hasInst && (e.inst.Flow == insn.FlowReg || e.inst.Flow == insn.FlowLoad) {
		text = e.inst.quoted(&e.regs, e.inst.Rm) + ": " + text
	}
	e.say(ExceptionReturn, "%s%s", text, e.place())
}

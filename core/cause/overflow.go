package cause

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// overflow explains a fault by a stack that was too small: the status bit of
// the stack limit, a stack pointer beyond a known bound, or an access through
// the stack pointer that failed where no stack is.
func (e *explainer) overflow() bool {
	sp, ok := e.stackPointer()
	below := ""
	if ok {
		below = e.passed(sp)
	}
	switch {
	case below != "":
		e.say(StackOverflow, "stack overflow%s: sp %v is %s", e.place(), sp, below)
	case e.states("STKOF"):
		e.say(StackOverflow, "stack overflow%s%s", e.place(), e.limits())
	case ok && (e.states("MSTKERR") || e.states("STKERR")):
		e.notStacked(sp)
	case e.pushed(), e.belowThread():
	default:
		return false
	}
	if e.out.Inferred = len(e.causes) == 0; e.out.Inferred {
		e.noteInferred()
	}
	e.recursion()
	return true
}

// states reports whether the fault registers have a status bit set.
func (e *explainer) states(bit string) bool {
	return slices.ContainsFunc(e.causes, func(c exc.Cause) bool { return c.Bit == bit })
}

// stackingReach is how far from the exception frame the access lies that the
// same overflow made fail, in bytes: the arguments and saved registers of a
// call.
const stackingReach = 512

// notStacked explains an exception frame that could not be stored at sp.
func (e *explainer) notStacked(sp core.Addr) {
	e.say(StackOverflow, "stack overflow: the exception frame could not be stored at sp %v, %s", sp, e.unwritable(sp))
	if failed, ok := e.failedAddr(); ok {
		if d := int64(failed) - int64(sp); d < -stackingReach || d > stackingReach {
			e.note("a data access failed at %s, away from the stack", addrText(failed))
			return
		}
		e.setAddr(failed)
	}
}

// unwritable says why memory could not be written.
func (e *explainer) unwritable(a core.Addr) string {
	switch {
	case !e.has(a):
		return "where no memory is known to be"
	case e.states("MSTKERR"):
		return "which the MPU forbids: a guard region"
	}
	return "where the bus answered with an error"
}

// stackPointer is the stack pointer of the faulting code. Where its frame could
// not be stored that is the pointer of the stack that it ran on, as the handler
// has it: at its first instructions that is the place of the frame.
func (e *explainer) stackPointer() (core.Addr, bool) {
	if v, ok := e.regs.Get(core.SP); ok && e.at {
		return core.Addr(v), true
	}
	if e.entry != nil {
		return e.entry.Frame, true
	}
	ret, ok := e.excReturn()
	if !ok {
		return 0, false
	}
	bank := core.SP
	if ret.PSP() {
		bank = core.PSP
	}
	v, ok := e.in.Regs.Get(bank)
	return core.Addr(v), ok
}

// excReturn is the EXC_RETURN value that a handler still has in LR.
func (e *explainer) excReturn() (exc.Return, bool) {
	lr, ok := e.in.Regs.Get(core.LR)
	return exc.Return(lr), ok && e.exception != 0 && exc.IsReturn(lr)
}

// onProcessStack tells which of the two stack pointers of an M-profile core the
// faulting code ran on; it is false where that is not known.
func (e *explainer) onProcessStack() (psp, known bool) {
	if e.entry != nil {
		return e.entry.PSP, true
	}
	if ret, ok := e.excReturn(); ok {
		return ret.PSP(), true
	}
	sp, ok := e.regs.Get(core.SP)
	if !ok {
		return false, false
	}
	if v, ok := e.regs.Get(core.PSP); ok && v == sp {
		return true, true
	}
	if v, ok := e.regs.Get(core.MSP); ok && v == sp {
		return false, true
	}
	return false, false
}

// passed says which known bound a stack pointer is below, "" if none.
func (e *explainer) passed(sp core.Addr) string {
	psp, known := e.onProcessStack()
	k := e.in.Thread.Stack
	switch {
	case e.in.Profile != core.ProfileM:
		if k.Known() && sp < k.Low && k.Low-sp < maxBelow {
			return fmt.Sprintf("%d bytes below the stack of the thread, %v..%v", k.Low-sp, k.Low, k.High)
		}
		return ""
	case !known:
		return ""
	case psp && k.Known() && sp < k.Low && k.Low-sp < maxBelow:
		return fmt.Sprintf("%d bytes below the stack of the thread, %v..%v", k.Low-sp, k.Low, k.High)
	}
	limit := core.MSPLIM
	if psp {
		limit = core.PSPLIM
	}
	if v, ok := e.in.Regs.Get(limit); ok && v != 0 && sp < core.Addr(v) {
		return fmt.Sprintf("%d bytes below its limit, %s = %v", core.Addr(v)-sp, limitNames[limit], core.Addr(v))
	}
	if psp {
		return ""
	}
	return e.mainStack(sp)
}

var limitNames = map[core.Reg]string{core.MSPLIM: "MSPLIM", core.PSPLIM: "PSPLIM"}

// maxBelow is how far below a stack a pointer is one of an overflow, in bytes:
// a large array on the stack. Further away it is another stack's, or wild.
const maxBelow = 64 << 10

// stackLows are the symbols that linker scripts and start-up files put at the
// low end of the main stack: CMSIS and ARM's templates, Segger and Rowley, Keil,
// IAR, Zephyr. (NuttX runs its threads on the main stack pointer.)
var stackLows = []string{
	"__StackLimit", "__stack_limit", "__stack_limit__", "__STACK_LIMIT", "__stack_start__", "Stack_Mem", "STACK$$Base", "CSTACK$$Base",
	"Image$$ARM_LIB_STACK$$ZI$$Base", "z_interrupt_stacks", "_sstack", "__stack_bottom", "_stack_bottom",
}

// stackTops are the symbols of its upper end.
var stackTops = []string{
	"_estack", "__StackTop", "__stack_top", "__stack_end__", "_stack_start", "__stack", "_stack", "__initial_sp", "CSTACK$$Limit",
	"Image$$ARM_LIB_STACK$$ZI$$Limit", "STACK$$Limit", "_stack_top",
}

// dataEnds are the symbols behind the variables, which a stack without a bound
// of its own grows down to.
var dataEnds = []string{"__HeapLimit", "__bss_end__", "_ebss", "__bss_end", "__ebss", "_end", "end"}

// mainStack says which bound of the main stack sp is below: its low end,
// or the end of the variables below it, unless a variable there is itself a
// stack.
func (e *explainer) mainStack(sp core.Addr) string {
	if k := e.in.Thread.Stack; k.Known() && sp >= k.Low && sp <= k.High {
		return ""
	}
	for _, name := range stackLows {
		if low, ok := e.in.Program.Lookup(name); ok && sp < low && low-sp < maxBelow {
			return fmt.Sprintf("%d bytes below %s, the end of the main stack at %v", low-sp, name, low)
		}
	}
	top, ok := e.stackTop()
	if !ok || strings.Contains(strings.ToLower(e.in.Program.Symbol(sp)), "stack") {
		return ""
	}
	for _, name := range dataEnds {
		if low, ok := e.in.Program.Lookup(name); ok && sp < low && low < top && low-sp < maxBelow {
			return fmt.Sprintf("%d bytes below %s, the end of the variables at %v: the main stack has grown into them", low-sp, name, low)
		}
	}
	return ""
}

// stackTop is the upper end of the main stack.
func (e *explainer) stackTop() (core.Addr, bool) {
	for _, name := range stackTops {
		if a, ok := e.in.Program.Lookup(name); ok {
			return a, true
		}
	}
	return 0, false
}

// limits names the stack limit register of the stack that overflowed.
func (e *explainer) limits() string {
	psp, known := e.onProcessStack()
	limit := core.MSPLIM
	if psp {
		limit = core.PSPLIM
	}
	if v, ok := e.in.Regs.Get(limit); ok && known && v != 0 {
		return fmt.Sprintf(" below %s = %v", limitNames[limit], core.Addr(v))
	}
	return ""
}

// pushed explains a push, or another store by the stack pointer, that failed.
func (e *explainer) pushed() bool {
	if !e.at || !e.hasInst || e.inst.Rn != core.SP {
		return false
	}
	acc, ok := accessOf(&e.inst.Inst, &e.regs)
	if !ok || acc.base != core.SP {
		return false
	}
	failed, known := e.failedAddr()
	switch {
	case known && acc.contains(failed):
	case !known && len(e.causes) == 0 && !e.has(acc.addr) && !plausible(acc.addr):
		failed = acc.addr
	default:
		return false
	}
	verb := "write to"
	if !acc.write {
		verb = "read of"
	}
	e.setAddr(failed)
	e.say(StackOverflow, "%s: %s the stack at %s%s: a stack overflow into a guard region or out of memory",
		e.inst.quoted(&e.regs, core.SP), verb, addrText(failed), e.place())
	return acc.write || e.inst.Op != insn.OpLoadMulti
}

// guardReach is how far below a thread's stack an access is one of an overflow,
// in bytes: the guard regions of the systems are no larger.
const guardReach = 256

// belowThread explains an access right below the thread's stack that failed,
// by whatever register it was made.
func (e *explainer) belowThread() bool {
	k := e.in.Thread.Stack
	failed, ok := e.failedAddr()
	if psp, known := e.onProcessStack(); !ok || !k.Known() || known && !psp || failed >= k.Low || k.Low-failed > guardReach {
		return false
	}
	e.setAddr(failed)
	e.say(StackOverflow, "stack overflow%s: the access at %s is %d bytes below the stack of the thread, %v..%v",
		e.place(), addrText(failed), k.Low-failed, k.Low, k.High)
	return true
}

// failedAddr is the data address that the fault registers have.
func (e *explainer) failedAddr() (core.Addr, bool) {
	if len(e.causes) == 0 {
		return 0, false
	}
	c := e.causes[0]
	return c.Addr, c.HasAddr && (c.Bit == "DACCVIOL" || c.Bit == "PRECISERR")
}

// patternGone notes that a thread's stack was used to its last byte.
func (e *explainer) patternGone() {
	if k := e.in.Thread.Stack; k.Known() && k.HasUsed && k.Used >= uint32(k.High-k.Low) {
		e.note("the fill pattern of the thread's stack is gone: its %d bytes were used to the last", k.High-k.Low)
	}
}

// recursion notes a function that calls itself.
func (e *explainer) recursion() {
	counts := map[string]int{}
	for _, f := range e.stack {
		if n := len(f.Functions); n > 0 && f.Kind == core.FrameFunction {
			counts[f.Functions[n-1]]++
		}
	}
	const often = 5
	for _, f := range e.stack {
		if n := len(f.Functions); n > 0 && counts[f.Functions[n-1]] >= often {
			e.note("%s is %d times among the %d youngest calls: it calls itself", f.Functions[n-1], counts[f.Functions[n-1]], len(e.stack))
			return
		}
	}
}

package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// Context switches. A kernel's handler reads PSP, saves the registers of the
// thread it interrupted below it or in the thread's control block, chooses
// another thread, loads that one's registers, and writes PSP. Up to the
// instruction that writes PSP the interrupted code is the old thread: its
// registers are where the handler saved them. Behind it the interrupted code is
// the new one, which runs when the handler returns: its registers are where the
// handler takes them from on the way there, which running forward tells.

// process is what a state knows of the process stack.
type process struct {
	psp value // of PSP
	// read is set once PSP was read: registers may hold addresses on it.
	read bool
	high highRegs
}

// highRegs says whether the handler saved S16 to S31 on the process stack,
// which kernels do where the hardware frame has an FP part (EXC_RETURN.FType).
type highRegs uint8

const (
	highUnknown highRegs = iota
	highSaved
	highNotSaved
)

// admits reports whether a handler that did so returns by ra.
func (h highRegs) admits(ra uint32) bool {
	return h == highUnknown || !exc.IsReturn(ra) || exc.Return(ra).Basic() == (h == highNotSaved)
}

func (v value) isProcess() bool { return v.base == entry(core.PSP).base }

// switched reports whether PSP was written: it names another thread.
func (s *state) switched() bool { return !s.psp.isProcess() }

// processKey condenses what registers and slots say of the process stack.
// States that differ in it are not joined: one has saved the thread's
// registers, or the high FP registers before them, and the other not.
func (s *state) processKey() uint32 {
	if !s.read {
		return 0
	}
	k := uint32(1)
	for i := range s.regs {
		if v := s.regs[i]; v.isProcess() {
			k = k*31 + uint32(i)<<16 + uint32(v.off)
		}
	}
	for i := range s.slots[:s.n] {
		if at := s.slots[i].at; at.isProcess() {
			k += 1 << 24
		}
	}
	return k
}

// special handles accesses to the stack pointers as special registers. Writing
// MSP moves SP in handlers, and in other code as well until it has a process
// stack: boot loaders and the start of a scheduler leave their callers' stack so.
func (r *runner) special(i *insn.Inst, s *state) {
	handler, sym := r.plan.Func.handler, r.symbol(i.Addr)
	switch {
	case i.Op == insn.OpMRS && i.Imm == sysPSP:
		s.read = true
		s.assign(i.Rd, s.psp, sym)
	case i.Op == insn.OpMSR && i.Imm == sysPSP:
		v := s.reg(i.Rn, i)
		if !v.isAddr() {
			s.rename(sym)
			v = value{base: sym}
			s.assign(i.Rn, v, sym)
		}
		s.read, s.psp = true, v
	case i.Op == insn.OpMRS && i.Imm == sysMSP && handler:
		s.assign(i.Rd, s.sp(), sym) // handlers run on the main stack
	case i.Op == insn.OpMSR && i.Imm == sysMSP:
		s.assign(core.SP, s.reg(i.Rn, i), sym)
	case i.Op == insn.OpMSR && i.Imm == sysCONTROL && !handler:
		// CONTROL.SPSEL may switch the stack: then nothing is known of SP.
		next := *s
		next.assign(core.SP, unknown, sym)
		r.leave(i.Next(), &next, 0)
	case i.Op == insn.OpLoad && handler && i.Rd < core.SP && !s.regs[i.Rd].known():
		// It may be a thread's control block, or its saved stack pointer.
		s.rename(sym)
		s.regs[i.Rd] = value{base: sym}
	}
}

// skipsHigh notes that i, a conditional instruction, was not executed.
func (s *state) skipsHigh(i *insn.Inst) {
	if i.Op == insn.OpVStore && s.regs[i.Rn].isProcess() {
		s.high = highNotSaved
	}
}

// savesHigh notes that i stores FP registers.
func (s *state) savesHigh(i *insn.Inst) {
	if s.reg(i.Rn, i).isProcess() {
		s.high = highSaved
	}
}

// PSPRule is PSP = Loc + Add.
type PSPRule struct {
	Loc Loc
	Add int32
}

// pspRules lists the ways to compute PSP as the interrupted thread has it: as
// it was when the handler was entered, or as it is if the handler wrote it.
// There are none where PSP is simply that.
func (s *state) pspRules() []PSPRule {
	if !s.read {
		return nil
	}
	var off int32 // of the thread's PSP to the quantity that names it
	if s.switched() {
		off = s.psp.off
	}
	rules := []PSPRule{{Loc{Kind: LocReg, Reg: core.PSP}, off - s.psp.off}}
	for q := core.R0; q <= core.LR; q++ {
		if v := s.regs[q]; v.base == s.psp.base {
			rules = append(rules, PSPRule{Loc{Kind: LocReg, Reg: q}, off - v.off})
		}
	}
	for i := range s.slots[:s.n] {
		if sl := s.slots[i]; sl.at.isCFA() && sl.val.base == s.psp.base {
			rules = append(rules, PSPRule{Loc{Kind: LocAtCFA, Off: sl.at.off}, off - sl.val.off})
		}
	}
	return rules
}

// withPSP returns regs with PSP as the interrupted thread has it.
func (r *Row) withPSP(regs *core.Regs, cfa core.Addr, mem core.Memory) *core.Regs {
	if len(r.PSP) == 0 {
		return regs
	}
	set := *regs
	set.Forget(core.PSP)
	for _, rule := range r.PSP {
		if v, err := rule.Loc.value(regs, cfa, mem); err == nil {
			set.Set(core.PSP, v+uint32(rule.Add))
			break
		}
	}
	return &set
}

// afterSwitch considers, where the code has written PSP, what running forward
// to its return tells: if that is an exception return, of the new thread.
func (s *search) afterSwitch(rows []Row) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.switched })
	if i < 0 {
		return
	}
	if r, ok := s.w.forward(s.f); ok {
		r.PSP = rows[i].PSP
		s.consider(&r)
	}
}

// outdated reports whether the row is of the thread before the switch. A
// function that a handler calls to write PSP goes on as others do.
func (r *Row) outdated(ra uint32) bool { return r.switched && exc.IsReturn(ra) }

// wholeHandler widens f, a label in the assembly of an exception handler, to
// the handler: the one below it whose control flow reaches the PC.
func (w *Walker) wholeHandler(f *Func) {
	if w.active == 0 || !f.label || f.handler || len(w.p.callSites().calls[f.Entry]) > 0 {
		return
	}
	var entry core.Addr
	for h := range w.p.handlers {
		if h < f.Entry && h > entry {
			entry = h
		}
	}
	if entry == 0 || f.Entry-entry > maxEnclosing {
		return
	}
	g := Func{Entry: entry, End: f.End, Thumb: f.Thumb, Known: true, handler: true}
	if h, ok := w.p.FuncAt(entry); ok {
		g.Name = h.Name
	}
	if w.plan(&g).blockAt(w.cur.lookup()) != nil {
		*f = g
	}
}

// threadReturn finds the EXC_RETURN of a handler that switches threads and has
// already loaded the next one's into LR: such a handler interrupts a thread, if
// PSP points to the hardware frame of one. What the main stack holds instead is
// from the start of the kernel, which never went on.
func (w *Walker) threadReturn(regs *core.Regs) (exc.Return, bool) {
	psp, ok := regs.Get(core.PSP)
	var b [frameBytes]byte
	if _, err := w.mem.ReadAt(core.Addr(psp), b[:]); !ok || err != nil || !w.glance(b[:]) {
		return 0, false
	}
	basic := usualThread
	if lr, ok := w.cur.frame.Regs.Get(core.LR); ok && exc.IsReturn(lr) && exc.Return(lr).PSP() {
		basic = exc.Return(lr) | excBasic
	}
	for _, ret := range [...]exc.Return{basic, basic &^ excBasic} {
		if w.looksLikeFrame(b[:], core.Addr(psp), ret) {
			return ret, true
		}
	}
	return basic, true // nothing called the thread's first function
}

// usualThread returns to thread mode on the process stack; excBasic is the bit
// of frames without FP registers (Armv7-M ARM B1.5.8).
const (
	usualThread = exc.Return(0xfffffffd)
	excBasic    = exc.Return(1 << 4)
)

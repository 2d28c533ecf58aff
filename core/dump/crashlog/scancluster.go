package crashlog

import (
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/core/dump/logtext"
	"pushmask/core/exc"
)

// cluster is a run of lines with registers.
type cluster struct {
	got         report // what was collected
	first, last int    // lines
	pairs       []scanPair
	cause       string
	fault       bool // a line speaks of a crash
	bare        []logtext.Row
}

func (c *cluster) empty() bool { return len(c.pairs) == 0 }

// maxPairs bounds the registers of a cluster; a report has some sixty.
const maxPairs = 256

func (c *cluster) add(pairs []scanPair, line int) {
	c.last = line
	for i := range pairs {
		pairs[i].line = line
	}
	if len(c.pairs)+len(pairs) <= maxPairs {
		c.pairs = append(c.pairs, pairs...)
	}
}

// row takes a line of a memory dump. The first word of a line of nothing but
// words is an address only if the lines go on from one another; see
// [cluster.placeRows].
func (c *cluster) row(text string) bool {
	row, ok := logtext.ReadRow(text)
	if !ok {
		row, ok = logtext.ReadByteRow(text)
	}
	switch words, bare := logtext.OnlyWords(text); {
	case !ok:
		return false
	case bare && len(words) > 1 && !strings.ContainsAny(text, "xX"):
		if len(c.bare) < maxWords/8 {
			c.bare = append(c.bare, row)
		}
	default:
		c.got.memory(core.Addr(row.Addr), row.Words)
	}
	return true
}

// placeRows takes the lines of nothing but words that a line before or behind
// them, upwards or downwards, proves to begin with their address. Of the others
// it is not known where they lie.
func (c *cluster) placeRows() {
	lost := 0
	for i, row := range c.bare {
		if i > 0 && adjoin(c.bare[i-1], row) || i+1 < len(c.bare) && adjoin(row, c.bare[i+1]) {
			c.got.memory(core.Addr(row.Addr), row.Words)
		} else {
			lost += 1 + len(row.Words)
		}
	}
	if lost > 0 {
		c.got.Skip(fmt.Sprintf("%d words whose addresses are not printed", lost))
	}
}

// adjoin reports whether one of two rows ends where the other begins.
func adjoin(a, b logtext.Row) bool {
	end := func(r logtext.Row) uint32 { return r.Addr + 4*uint32(len(r.Words)) }
	return end(a) == b.Addr || end(b) == a.Addr
}

// restarts reports whether registers come again with other values: another
// report has begun.
func (c *cluster) restarts(pairs []scanPair) bool {
	if c.find(core.PC, false) == nil && c.find(core.PC, true) == nil {
		return false
	}
	for _, p := range pairs {
		if p.kind != scanRegister || p.reg > core.PSR || p.reg == core.SP {
			continue
		}
		if q := c.find(p.reg, p.stacked); q != nil && q.digits != p.digits && !p.isReturn() && !q.isReturn() {
			return true
		}
	}
	return false
}

// general reports whether a pair is one of R0 to R12.
func (p *scanPair) general() bool { return p.kind == scanRegister && p.reg <= core.R12 }

// beginsBlock reports whether the registers so far are none that a report begins
// with: a word of a crash behind them begins one.
func (c *cluster) beginsBlock() bool {
	return !slices.ContainsFunc(c.pairs, func(p scanPair) bool { return p.general() || p.kind != scanRegister })
}

// goesOn reports whether a line that has PC, SP or LR again, otherwise, is
// nevertheless the next of a block of registers: it has others, which the block
// has not. What the block has of these three from before its first other
// register is of something else, as a stack that was printed before it, and is
// forgotten.
func (c *cluster) goesOn(pairs []scanPair) bool {
	first := slices.IndexFunc(c.pairs, func(p scanPair) bool { return p.general() })
	if first < 0 {
		return false
	}
	start := c.pairs[first].line
	fresh, again := false, false
	for i := range pairs {
		p := &pairs[i]
		if p.kind != scanRegister || p.reg > core.PC {
			continue
		}
		switch q := c.find(p.reg, p.stacked); {
		case q == nil:
			fresh = fresh || p.general()
		case p.general() || q.line >= start:
			return false
		default:
			again = again || q.digits != p.digits
		}
	}
	if !fresh || !again {
		return false
	}
	c.first = max(c.first, start)
	c.pairs = slices.DeleteFunc(c.pairs, func(p scanPair) bool {
		return p.line < start && p.kind == scanRegister && p.reg >= core.SP && p.reg <= core.PC
	})
	return true
}

// find returns the first value of a register.
func (c *cluster) find(r core.Reg, stacked bool) *scanPair {
	for i := range c.pairs {
		if p := &c.pairs[i]; p.kind == scanRegister && p.reg == r && p.stacked == stacked {
			return p
		}
	}
	return nil
}

// enough is the weight of evidence that makes a crash: the program counter
// with the link register and a word of a crash beside them, or with four other
// registers.
const enough = 7

// maxOther is how many registers of other machines make a report one of them.
const maxOther = 2

// isCrash reports whether there is evidence that the registers are those of a
// crash.
func (c *cluster) isCrash(regs *core.Regs) bool {
	other := 0
	for _, p := range c.pairs {
		if p.kind == scanOther {
			other++
		}
	}
	if !regs.Has(core.PC) || other >= maxOther || isNumbering(regs) {
		return false
	}
	weight, others := 3, 0
	for r := core.R0; r <= core.PSR; r++ {
		if regs.Has(r) {
			others++
		}
		switch {
		case !regs.Has(r) || r == core.PC:
		case r == core.LR, r == core.PSR:
			weight += 2
		default:
			weight++
		}
	}
	if c.fault {
		weight += 2
	}
	if others < 8 && !c.isAddress(core.PC) {
		return false
	}
	return weight+2*min(len(c.got.faults.named), 2) >= enough
}

// isNumbering reports whether every register has its own number for a value: a
// list of the numbers that a tool gives them.
func isNumbering(regs *core.Regs) bool {
	for r := core.R1; r <= core.PC; r++ {
		if v, ok := regs.Get(r); !ok || v != uint32(r) {
			return false
		}
	}
	return true
}

// isAddress reports whether a register is printed with as many digits as an
// address has: the fewer registers there are, the more a "pc" may be something
// else.
func (c *cluster) isAddress(r core.Reg) bool {
	for _, p := range c.pairs {
		if p.kind == scanRegister && p.reg == r && len(p.digits) >= 4 {
			return true
		}
	}
	return false
}

// report makes a report of the cluster.
func (c *cluster) report() (Report, bool) {
	if c.empty() {
		return Report{}, false
	}
	r := &c.got
	c.setProfile()
	c.collect()
	if !c.isCrash(&r.regs) {
		return Report{}, false
	}
	c.placeRows()
	r.Cause = c.cause
	r.Format = "hand-written crash report"
	c.interpret()
	return Report{Crash: r.finish(), First: c.first, Last: c.last, Guess: true}, true
}

// collect sets registers and fault registers. Where some are said to be those
// of the exception frame, the others of the same names are the handler's.
func (c *cluster) collect() {
	r := &c.got
	decimal, hex, framed, linked := false, false, false, false
	for _, p := range c.pairs {
		linked = linked || p.kind == scanRegister && p.reg == core.LR && !p.isReturn()
		hex = hex || p.hex
		decimal = decimal || !p.hex && len(p.digits) > 8
		framed = framed || p.stacked && p.kind == scanRegister
	}
	decimal = decimal && !hex
	for _, p := range c.pairs {
		v, ok := p.value(decimal)
		if !ok {
			continue
		}
		switch p.kind {
		case scanFault:
			r.faults.set(p.fault, v)
		case scanReturn:
			r.setReturn(v)
		case scanRegister:
			if framed && !p.stacked && p.reg != core.SP && stacked>>p.reg&1 != 0 {
				if p.reg == core.LR {
					r.setReturn(v)
				}
				continue
			}
			if p.reg >= core.CONTROL && p.reg <= core.FAULTMASK {
				continue // of the handler or of the code before it: that is not said
			}
			if linked && p.reg == core.LR && p.isReturn() {
				r.setReturn(v) // printed beside the LR of the frame
				continue
			}
			if p.spelled == "fp" && !c.framePointer(&p) {
				continue
			}
			r.set(p.reg, v)
		}
	}
}

// framePointer decides which register "fp" is. On an A- or R-profile core it is
// r11. On an M-profile core it is the one of r7 and r11 that has no line of its
// own; where neither has one it is not known.
func (c *cluster) framePointer(p *scanPair) bool {
	named := func(r core.Reg) bool {
		for _, q := range c.pairs {
			if q.kind == scanRegister && q.reg == r && q.spelled != "fp" {
				return true
			}
		}
		return false
	}
	switch {
	case c.got.profile() == core.ProfileA:
	case named(core.R11):
		p.reg = core.R7
	case !named(core.R7):
		return false
	}
	return true
}

// setProfile tells the profile by registers that only one has, or by exceptions
// that only one has.
func (c *cluster) setProfile() {
	for _, p := range c.pairs {
		switch name := strings.ToLower(p.spelled); {
		case name == "cpsr", name == "spsr", p.fault == "dfar", p.fault == "ifar", p.fault == "ifsr":
			c.got.setProfile(core.ProfileA)
		case name == "xpsr", p.kind == scanReturn, p.fault == "cfsr", p.fault == "hfsr", name == "msp", name == "psp":
			c.got.setProfile(core.ProfileM)
		}
	}
	words := strings.ReplaceAll(strings.ToLower(c.cause), "-", " ")
	if strings.Contains(words, "data abort") || strings.Contains(words, "prefetch abort") {
		c.got.setProfile(core.ProfileA)
	}
}

// interpret decides whether the registers are those of the faulting
// instruction, and what SP was.
//
// A link register that is an EXC_RETURN, in a status that names a fault handler,
// is the state of the handler. In thread mode it cannot be the link register of
// the code that was interrupted: it was printed beside the exception frame.
func (c *cluster) interpret() {
	r := &c.got
	lr, hasLR := r.regs.Get(core.LR)
	psr, hasPSR := r.regs.Get(core.PSR)
	r.faulted = true
	if r.profile() == core.ProfileM && hasLR && exc.IsReturn(lr) {
		number := psr & 0x1ff
		switch {
		case hasPSR && number == 0:
			r.setReturn(lr)
			r.regs.Forget(core.LR)
		case !hasPSR || number >= 2 && number <= 7:
			r.faulted = false
			return
		}
	}
	if r.profile() == core.ProfileM {
		c.stackPointer()
	}
}

// stackPointer sets SP where the frame's address is printed or the frame lies
// among the words of the stack; otherwise it is not known whether what is
// printed is from before the exception, and SP is forgotten.
func (c *cluster) stackPointer() {
	r := &c.got
	sp, hasSP := r.regs.Get(core.SP)
	for _, reg := range []core.Reg{core.SP, core.MSP, core.PSP} {
		r.regs.Forget(reg)
	}
	frame, ok := c.frameAddress()
	switch {
	case ok:
		c.frameSize(frame, sp, hasSP)
	case hasSP && c.noFrameAbove(sp):
		r.regs.Set(core.SP, sp)
		r.Warnf("SP is taken to be from before the exception: the words above it hold no exception frame")
	case hasSP:
		r.Skip(fmt.Sprintf("sp %#08x: whether it is from before the exception is not said", sp))
	}
}

// noFrameAbove reports whether the words of the stack from sp on are printed as
// far as a handler's own frame and the exception frame would reach; there is no
// exception frame among them, or its address would be known.
func (c *cluster) noFrameAbove(sp uint32) bool {
	const reach = 0x80 // bytes
	if !c.got.regs.Has(core.PSR) || sp%4 != 0 {
		return false
	}
	for off := uint32(0); off < reach; off += 4 {
		if _, ok := c.got.wordAt(core.Addr(sp + off)); !ok {
			return false
		}
	}
	return true
}

// frameAddress returns where the exception frame lies: the words of the stack
// that are the printed registers, or the address that is said to be it.
func (c *cluster) frameAddress() (uint32, bool) {
	r := &c.got
	for _, w := range r.words {
		if r.frameAt(w.addr) {
			return uint32(w.addr), true
		}
	}
	for _, p := range c.pairs {
		if v, ok := p.value(false); ok && p.kind == scanFrame && len(r.words) == 0 {
			return v, true
		}
	}
	return 0, false
}

// frameSize sets SP behind the frame: by EXC_RETURN, by the SP that is
// printed, or because the words where FPSCR would be cannot be one.
func (c *cluster) frameSize(frame, sp uint32, hasSP bool) {
	r := &c.got
	psr, hasPSR := r.regs.Get(core.PSR)
	pad := uint32(0)
	if psr&xpsrPad != 0 {
		pad = 4
	}
	fpscr, hasFPSCR := r.wordAt(core.Addr(frame) + 0x60)
	switch {
	case r.hasReturn:
		r.frameSP(frame)
	case !hasPSR:
		r.Warnf("SP is not known: xPSR, which tells of an alignment word, is not in the log")
	case hasSP && (sp == frame+basicFrame+pad || sp == frame+fpFrame+pad):
		r.regs.Set(core.SP, sp)
	case hasFPSCR && fpscr&fpscrReserved != 0:
		r.regs.Set(core.SP, frame+basicFrame+pad)
	case len(r.words) == 0:
		r.regs.Set(core.SP, frame+basicFrame+pad)
		r.Warnf("SP is told for an exception frame without floating-point registers at %v", core.Addr(frame))
	default:
		r.Warnf("SP is not known: whether the exception frame at %v has floating-point registers is not in the log", core.Addr(frame))
	}
}

// fpscrReserved are the bits that are zero in every FPSCR of an M-profile core
// (Armv8-M ARM D1.2.71): 15 to 8, 6 and 5.
const fpscrReserved = 0xff60

package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// callSites are the direct calls and the branches of the whole image.
type callSites struct {
	calls map[core.Addr][]core.Addr // direct call sites by target
	jumps map[core.Addr]int         // branches by target, those of veneers left out
	// veneered are the call sites of veneers, by the function behind them.
	veneered map[core.Addr][]core.Addr
	// linked are the jumps with a return address in LR that code put there itself,
	// by that address, with its bit for the state.
	linked  map[uint32][]core.Addr
	leaps   []leap    // unconditional branches
	setsPSP bool      // some code writes PSP
	starts  []codePtr // what is entered: handlers, secure gateways, targets
	gate    core.Addr // behind a secure gateway, whose branch leads to the function
	started map[core.Addr]bool
}

// callSites looks through the code the first time it is asked.
func (p *Program) callSites() *callSites {
	p.callsOnce.Do(func() { p.sites = findCallSites(p) })
	return &p.sites
}

// findCallSites decodes all code.
func findCallSites(p *Program) callSites {
	c := callSites{
		calls: make(map[core.Addr][]core.Addr), jumps: make(map[core.Addr]int),
		veneered: make(map[core.Addr][]core.Addr), linked: make(map[uint32][]core.Addr),
		started: make(map[core.Addr]bool),
	}
	for _, t := range p.vectorTables {
		for _, v := range t.Vectors {
			c.start(p, codePtr{v.Entry, true})
		}
	}
	for _, r := range p.roots(p.thumb) {
		c.start(p, r)
	}
	note := func(i *insn.Inst) { c.note(p, i) }
	link := func(i *insn.Inst, lr uint32) { c.linked[lr] = append(c.linked[lr], i.Addr) }
	if p.stateless() {
		p.traverse(note, link)
	} else {
		for _, e := range p.text {
			s := sweep{p: p, ptrs: pointers{text: p.text}, call: note, link: link}
			s.run(e)
		}
	}
	c.addVeneers(p)
	return c
}

// start notes that a function starts at at.
func (c *callSites) start(p *Program, at codePtr) {
	if !c.started[at.addr] && len(p.text.at(at.addr)) >= 2 {
		c.started[at.addr] = true
		c.starts = append(c.starts, at)
	}
}

// note takes in a call, a branch, a secure gateway or a write of a special
// register.
func (c *callSites) note(p *Program, i *insn.Inst) {
	switch {
	case isGateway(i):
		c.start(p, codePtr{i.Addr, true})
		c.gate = i.Next()
		return
	case i.Op == insn.OpMSR:
		c.setsPSP = c.setsPSP || i.Imm == sysPSP
		return
	case i.Flow == insn.FlowBranch:
		c.jumps[i.Target]++
		if i.Addr == c.gate {
			c.start(p, codePtr{i.Target, true})
		}
		if !i.Conditional() {
			c.leaps = append(c.leaps, leap{i.Addr, codePtr{i.Target, i.Thumb}})
		}
		return
	case callsNext(i):
		if j, err := fetch(p.text, i.Target, i.Thumb); err != nil || !pushesLR(&j) {
			return
		}
	}
	c.start(p, called(i))
	c.calls[i.Target] = append(c.calls[i.Target], i.Addr)
}

// sites lists the direct calls of the function at entry, through veneers too.
func (c *callSites) sites(entry core.Addr) []core.Addr {
	if len(c.veneered[entry]) == 0 {
		return c.calls[entry]
	}
	return append(c.calls[entry][:len(c.calls[entry]):len(c.calls[entry])], c.veneered[entry]...)
}

// goesTo tells direct calls and branches.
func goesTo(i *insn.Inst) bool { return i.Flow == insn.FlowCall || i.Flow == insn.FlowBranch }

// pointed returns a call of a pointer as a direct one, if the pointer is a
// constant that can be of a function, and a branch behind "mov lr, pc".
func (p *Program) pointed(ptrs *pointers, i *insn.Inst) (insn.Inst, bool) {
	if i.Flow == insn.FlowBranch && !i.Thumb && ptrs.linked(i) {
		return directCall(*i, uint32(i.Target)), true
	}
	ptr, calls, ok := ptrs.target(i)
	if !ok || !calls || p.profile == core.ProfileM && ptr&1 == 0 || len(p.text.at(core.Addr(ptr&^1))) < 2 {
		return insn.Inst{}, false
	}
	return directCall(*i, ptr), true
}

// sweep decodes an extent linearly and reports its calls, branches and writes
// of special registers, and jumps with LR set by hand.
type sweep struct {
	p    *Program
	call func(*insn.Inst)
	link func(i *insn.Inst, lr uint32)
	ptrs pointers
	at   core.Addr // instruction before which ptrs are
}

func (s *sweep) run(e extent) {
	end := e.lo + core.Addr(len(e.data))
	s.at = e.lo
	for pc := e.lo; pc < end; {
		th := s.p.thumb(pc)
		if th {
			if n := thumb.Straight(e.data[pc-e.lo:]); n > 0 {
				pc += core.Addr(n)
				continue
			}
		}
		i, err := fetch(s.p.text, pc, th)
		if err != nil {
			return
		}
		s.visit(&i)
		pc = i.Next()
	}
}

// visit looks at an instruction. What lies before it is decoded for the
// pointers in registers only where that matters.
func (s *sweep) visit(i *insn.Inst) {
	switch {
	case !i.Thumb || i.Flow == insn.FlowCallReg:
		s.catchUp(i.Addr)
		if j, ok := s.p.pointed(&s.ptrs, i); ok {
			*i = j
		}
		s.noteLink(i)
		s.ptrs.step(i)
		s.at = i.Next()
	case endsFlow(i):
		if s.mayLink(i) {
			s.catchUp(i.Addr)
			s.noteLink(i)
		}
		s.ptrs.forget()
		s.at = i.Next()
	}
	if (goesTo(i) || i.Op == insn.OpMSR || isGateway(i)) && !s.p.isData(i.Addr) {
		s.call(i)
	}
}

// noteLink reports i if it is a jump with LR set by hand.
func (s *sweep) noteLink(i *insn.Inst) {
	if lr, ok := s.ptrs.link(i); ok {
		s.link(i, lr)
	}
}

// maxLink is how far before a jump LR is set by hand, bytes.
const maxLink = 32

// mayLink reports whether the code before the T32 jump i may write LR other than
// by a call: MOV (Armv6-M ARM A6.7.40), or an encoding of 32 bits with Rd or Rt 14.
func (s *sweep) mayLink(i *insn.Inst) bool {
	for pc := max(s.at, i.Addr-min(i.Addr, maxLink)); pc < i.Addr; pc += 2 {
		b := s.p.text.at(pc)
		if len(b) < 4 {
			return false
		}
		h, h2 := uint16(b[0])|uint16(b[1])<<8, uint16(b[2])|uint16(b[3])<<8
		if h&0xff87 == 0x4686 || h>>11 == 0x1e && h2&0x8f00 == 0x0e00 || h>>11 == 0x1f && h2>>12 == 14 {
			return true
		}
	}
	return false
}

// catchUp follows the pointers up to pc.
func (s *sweep) catchUp(pc core.Addr) {
	for s.at < pc {
		i, err := fetch(s.p.text, s.at, s.p.thumb(s.at))
		if err != nil {
			break
		}
		s.ptrs.step(&i)
		s.at = i.Next()
	}
	s.at = pc
}

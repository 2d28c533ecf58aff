package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// liveText is code that only the target holds: code in RAM, ROM outside of the
// image. It reads windows on demand and keeps the last.
type liveText struct {
	image imageText
	mem   core.Memory
	win   extent
	subs  map[core.Addr]bool // what subroutine found of it
}

// liveWindow is how much code is read at once, in bytes: a function or two. Each
// 256 bytes cost a round trip to a probe.
const liveWindow = 256

func (t *liveText) at(a core.Addr) []byte {
	if b := t.image.at(a); b != nil {
		return b
	}
	if t.win.contains(a) && int(a-t.win.lo)+4 <= len(t.win.data) {
		return t.win.data[a-t.win.lo:]
	}
	buf := make([]byte, liveWindow)
	n, _ := t.mem.ReadAt(a, buf)
	t.win = extent{lo: a, data: buf[:n]}
	return t.win.data
}

// liveCalls tells of functions that only the target holds what their code there
// says.
type liveCalls struct {
	*Program
	text *liveText
}

// calls is what the analysis of live code asks about the functions that it calls.
func (w *Walker) calls() callInfo { return liveCalls{w.p, w.text} }

func (c liveCalls) subroutine(entry core.Addr, f *Func) bool {
	if c.HasCode(entry) {
		return c.Program.subroutine(entry, f)
	}
	if back, ok := c.text.subs[entry]; ok {
		return back
	}
	// Behind a call nothing is known of where its function ends: only code that
	// pops a frame it did not push is the target of a far branch.
	back, above := c.comesBack(c.text, entry, f, c)
	back = back || !above
	if c.text.subs == nil {
		c.text.subs = make(map[core.Addr]bool)
	}
	c.text.subs[entry] = back
	return back
}

func (c liveCalls) switchHelper(entry core.Addr) switchKind {
	if k := c.Program.switchHelper(entry); k != switchNone || c.HasCode(entry) {
		return k
	}
	return helperByCode(c.text, entry)
}

// entered considers, where no function is known, that the PC is the entry of one:
// LR follows a direct call of it.
func (s *search) entered() {
	cur := &s.w.cur.frame
	lr, ok := cur.Regs.Get(core.LR)
	if !ok || !s.w.cur.exact {
		return
	}
	a, odd := core.CodeAddr(lr)
	if !odd && s.w.opt.Profile == core.ProfileM {
		return
	}
	site := siteBefore(s.w.text, a, odd)
	if site.ok && site.inst.Flow == insn.FlowCall && called(&site.inst) == (codePtr{cur.PC, cur.Thumb}) {
		s.consider(&Row{CFA: []CFARule{{Reg: core.SP}}, RA: Loc{Kind: LocReg, Reg: core.LR}, HasRA: true})
	}
}

package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// proof grades a candidate return address by the instruction before it.
type proof uint8

// The grades, worst first.
const (
	proofNone     proof = iota // not code, wrong state, or no call before it
	proofWrong                 // a direct call that cannot reach the callee
	proofMissing               // in code that neither the target's memory nor an image has
	proofIndirect              // a call through a register, or a callee that is not known
	proofReached               // a direct call that reaches the callee through tail calls
	proofDirect                // a direct call of the callee
)

// callSite is the call instruction before a return address.
type callSite struct {
	inst insn.Inst
	ok   bool
	// back is the return address where that is not behind inst, 0 elsewhere.
	back core.Addr
}

// lookup is the address whose row is the caller's while the call runs.
func (c *callSite) lookup() core.Addr {
	if c.back != 0 {
		return c.back
	}
	return c.inst.Addr
}

// siteBefore decodes the call that returns to ra: BL or BLX immediate (4
// bytes), BLX register (2 bytes in T32), or in A32 also a write of PC behind
// "mov lr, pc".
func siteBefore(t text, ra core.Addr, thumbState bool) callSite {
	if i, err := fetch(t, ra-4, thumbState); err == nil && i.Size == 4 && isCall(&i) {
		return callSite{inst: i, ok: true}
	}
	if thumbState {
		if i, err := fetch(t, ra-2, true); err == nil && i.Size == 2 && isCall(&i) {
			return callSite{inst: i, ok: true}
		}
		return callSite{}
	}
	// ARMv4: mov lr, pc; then bx rN, ldr pc or mov pc, and clang's calls of what
	// does not return, then b: lr is two instructions on.
	if i, err := fetch(t, ra-8, false); err == nil && i.Op == insn.OpMove && i.Rd == core.LR && i.Rm == core.PC {
		j, err := fetch(t, ra-4, false)
		if err == nil && (j.Flow == insn.FlowReg || j.Flow == insn.FlowLoad || j.Flow == insn.FlowBranch) {
			return jumpSite(j)
		}
	}
	return callSite{}
}

// jumpSite makes a call of a jump with its return address in LR.
func jumpSite(i insn.Inst) callSite {
	switch i.Flow {
	case insn.FlowBranch:
		thumbState := i.Thumb
		i = directCall(i, uint32(i.Target))
		i.TargetThumb = thumbState
	case insn.FlowLoad:
		i.Flow, i.Rm = insn.FlowCallReg, core.NoReg
	default:
		i.Flow = insn.FlowCallReg
	}
	return callSite{inst: i, ok: true}
}

// handSite finds a call with a return address ra that code put into LR by itself.
func (w *Walker) handSite(ra core.Addr, thumbState bool) callSite {
	key := uint32(ra)
	if thumbState {
		key |= 1
	}
	for _, at := range w.p.callSites().linked[key] {
		f, ok := w.p.FuncAt(at)
		if !ok {
			continue
		}
		if i, err := fetch(w.text, at, f.Thumb); err == nil {
			site := jumpSite(i)
			site.back = ra
			return site
		}
	}
	return callSite{}
}

func isCall(i *insn.Inst) bool {
	return i.Flow == insn.FlowCall || i.Flow == insn.FlowCallReg
}

// maxTailSteps bounds the tail calls and veneers followed from a call site to
// the callee.
const maxTailSteps = 24

// proofKey names what a proof depends on: the return address, the callee, and
// where in it the callee was stopped.
type proofKey struct {
	ra, callee, at core.Addr
}

type proven struct {
	grade proof
	site  callSite
}

// prove grades ra as the return address of an activation of callee. Where that
// is not known it begins at the PC, or is nil for any.
func (w *Walker) prove(ra uint32, callee *Func, known bool) (proof, callSite) {
	addr, odd := core.CodeAddr(ra)
	if w.opt.Profile == core.ProfileM && !odd {
		if !known || !w.gateway(callee) {
			return proofNone, callSite{}
		}
		odd = true
	}
	if !known || w.p.text.at(addr) == nil {
		return w.examine(addr, odd, callee, known)
	}
	k := proofKey{core.Addr(ra), callee.Entry, w.cur.lookup()}
	w.p.mu.Lock()
	v, ok := w.p.proofs[k]
	w.p.mu.Unlock()
	if !ok {
		v.grade, v.site = w.examine(addr, odd, callee, known)
		w.p.mu.Lock()
		if len(w.p.proofs) < maxProofs && !w.callsForeign(&v.site) {
			w.p.proofs[k] = v
		}
		w.p.mu.Unlock()
	}
	return v.grade, v.site
}

// callsForeign reports whether a call leads to code that no image has: another
// target may have other code there.
func (w *Walker) callsForeign(site *callSite) bool {
	return site.inst.Flow == insn.FlowCall && w.p.text.at(site.inst.Target) == nil
}

// examine does what prove promises, without a memory of earlier proofs.
func (w *Walker) examine(addr core.Addr, thumbState bool, callee *Func, known bool) (proof, callSite) {
	if len(w.text.at(addr-2)) < 2 || w.p.isData(addr-2) && w.opt.Profile == core.ProfileM {
		return proofNone, callSite{}
	}
	site := siteBefore(w.text, addr, thumbState)
	if !site.ok {
		site = w.handSite(addr, thumbState)
	}
	if site.ok && known && site.inst.Flow == insn.FlowCallReg {
		site = w.resolve(site)
	}
	switch {
	case !site.ok:
		return proofNone, site
	case site.inst.Flow == insn.FlowCallReg || callee == nil:
		return proofIndirect, site
	}
	grade := w.reaches(called(&site.inst), callee, known)
	if !known {
		grade = min(grade, proofIndirect)
	}
	return grade, site
}

// reaches grades a direct call of target as a way into callee.
func (w *Walker) reaches(target codePtr, callee *Func, known bool) proof {
	if target.addr == callee.Entry {
		return proofDirect
	}
	seen := map[core.Addr]bool{}
	queue := []codePtr{target}
	for n := 0; len(queue) > 0 && n < maxTailSteps; n++ {
		t := queue[0]
		queue = queue[1:]
		if seen[t.addr] {
			continue
		}
		seen[t.addr] = true
		if t.addr == callee.Entry {
			return proofReached
		}
		if len(w.text.at(t.addr)) < 2 {
			return proofIndirect // where it goes on is not known
		}
		f, ok := w.p.FuncAt(t.addr)
		if !ok {
			f.End = t.addr + min(maxEnclosing, ^t.addr)
		}
		if f.Entry != t.addr {
			// an entry inside of another function: an assembly label
			f.Entry, f.Name = t.addr, ""
		}
		f.Thumb = t.thumb
		pl := w.plan(&f)
		if pl.blockAt(w.cur.lookup()) != nil {
			return proofReached // a second entry, a common tail, a part of callee
		}
		inside := known || f.contains(callee.Entry)
		if pl.indirectTail || pl.indirectJump && inside {
			return proofIndirect // a jump with the frame in place stays in its function
		}
		queue = append(queue, pl.tails...)
	}
	return proofWrong
}

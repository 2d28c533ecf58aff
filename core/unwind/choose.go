package unwind

import (
	"errors"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

func isNoMemory(err error) bool { return errors.Is(err, core.ErrNoMemory) }

// plan returns the analysis of f, from the image or from the target's memory.
func (w *Walker) plan(f *Func) *Plan {
	if w.p.text.at(f.Entry) != nil {
		return w.p.Plan(*f)
	}
	if pl, ok := w.plans[f.Entry]; ok {
		return pl
	}
	pl := analyse(*f, w.text, w.p)
	w.plans[f.Entry] = pl
	return pl
}

// candidate executes the rows that may hold for the current frame and returns
// the caller with the best proof.
func (w *Walker) candidate(f *Func, known bool) (*candidate, error) {
	var best *candidate
	err := error(errNotReach)
	consider := func(r *Row, t core.Trust) {
		act, aerr := r.apply(&w.cur.frame.Regs, w.mem)
		if aerr != nil {
			err = aerr
			return
		}
		c := w.grade(act, f, known)
		if act.row.RA.Kind == LocReg && w.cur.exact && t == core.TrustAnalysis {
			c.trust = core.TrustLinkRegister
		} else {
			c.trust = t
		}
		if best == nil || c.grade > best.grade {
			best = c
		}
	}
	if known {
		rows := w.plan(f).rowsAt(w.cur.lookup(), !w.cur.exact)
		for i := range rows {
			consider(&rows[i], core.TrustAnalysis)
		}
		for i := range rows {
			if r, ok := rows[i].spareRA(); ok && (best == nil || best.grade <= proofWrong) {
				consider(r, core.TrustAnalysis)
			}
		}
	}
	if best == nil {
		w.hidden(f, known, consider)
	}
	if best == nil || best.grade <= proofWrong {
		if r, ok := w.forward(); ok {
			consider(&r, core.TrustAnalysis)
		}
	}
	if best == nil {
		return nil, err
	}
	return best, nil
}

// hidden looks for a function that nothing calls directly in the part of f
// that f's own control flow does not reach: from the PC back to a push of LR,
// then to any push (a leaf), then to the start of that part.
func (w *Walker) hidden(f *Func, known bool, consider func(*Row, core.Trust)) {
	if f.Known {
		return
	}
	pc := w.cur.lookup()
	low := pc - min(pc, maxPushSearch)
	if known {
		low = w.plan(f).reachedBelow(pc)
	}
	for _, starts := range [...]func(*insn.Inst) bool{pushesLR, pushes} {
		for n, at := 0, pc+2; n < maxHidden; n++ {
			push, ok := pushBefore(w.text, at, low, w.cur.frame.Thumb, starts)
			if !ok {
				break
			}
			if w.tryEntry(push.Addr, f, consider) {
				return
			}
			at = push.Addr
		}
	}
	if known {
		w.tryEntry(low, f, consider)
	}
}

// tryEntry considers the rows at the PC of a function that starts at entry, if
// its control flow reaches the PC. It reports whether it does.
func (w *Walker) tryEntry(entry core.Addr, f *Func, consider func(*Row, core.Trust)) bool {
	pc := w.cur.lookup()
	g := Func{Entry: entry, End: max(f.End, pc+2), Thumb: w.cur.frame.Thumb}
	rows := w.plan(&g).rowsAt(pc, !w.cur.exact)
	if len(rows) == 0 {
		return false
	}
	*f = g
	for i := range rows {
		consider(&rows[i], core.TrustAnalysis)
	}
	return true
}

// grade proves the return address of an activation. An EXC_RETURN counts as
// proof, as the hardware puts it into LR; the frame behind it is checked when
// it is read.
func (w *Walker) grade(a *activation, f *Func, known bool) *candidate {
	c := &candidate{act: a}
	if w.opt.Profile == core.ProfileM && exc.IsReturn(a.ra) {
		c.grade = proofReached
		return c
	}
	if !w.grows(a.cfa) {
		return c
	}
	c.grade, c.site = w.prove(a.ra, f, known)
	return c
}

// badPC handles a PC that is no code: a call or jump through a bad pointer.
// LR then still has the caller, if it follows a call through a register.
func (w *Walker) badPC() {
	cur := &w.cur.frame
	lr, ok := cur.Regs.Get(core.LR)
	sp, okSP := cur.Regs.Get(core.SP)
	if !ok || !okSP {
		w.end(core.StopBadPC, "there is no code at the PC %v and LR is not known", cur.PC)
		return
	}
	row := Row{CFA: []CFARule{{Reg: core.SP}}, RA: Loc{Kind: LocReg, Reg: core.LR}, HasRA: true}
	act, err := row.apply(&cur.Regs, w.mem)
	if err != nil {
		w.end(core.StopBadPC, "there is no code at the PC %v: %v", cur.PC, err)
		return
	}
	f := Func{Entry: cur.PC, End: cur.PC}
	if w.opt.Profile == core.ProfileM && exc.IsReturn(lr) {
		w.exception(&f, false, &candidate{act: act}, exc.Return(lr))
		return
	}
	grade, site := w.prove(lr, &f, false)
	if grade <= proofWrong {
		w.end(core.StopBadPC, "there is no code at the PC %v, and LR %#08x does not follow a call", cur.PC, lr)
		return
	}
	cur.CFA, cur.HasCFA = core.Addr(sp), true
	w.queue = append(w.queue, w.callerLevel(&candidate{act: act, grade: grade, site: site, trust: core.TrustLinkRegister}))
}

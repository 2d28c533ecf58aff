package unwind

import (
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// Limits of one function's analysis. The largest real functions (generated
// parsers, interpreters) have some ten thousand instructions.
const (
	maxVisits = 200_000 // instructions executed abstractly
	maxBlocks = 20_000
)

// analyser explores one function.
type analyser struct {
	plan     *Plan
	info     callInfo
	work     []visit
	deferred []visit // behind calls that should not return
	visits   int
	// code holds the instructions decoded so far, by halfword from the entry.
	code []insn.Inst
	// leaders are the targets of direct branches found by a linear look.
	leaders []core.Addr
}

// visit is a state that reaches a block and has not been followed yet.
type visit struct {
	block *block
	s     state
}

// findLeaders looks at the function linearly for the targets of its direct
// branches, so that most blocks are split before states flow through them.
func (a *analyser) findLeaders() {
	f := a.plan.Func
	for pc := f.Entry; pc < f.End; {
		i, err := a.fetch(pc)
		if err != nil {
			break
		}
		if i.Flow == insn.FlowBranch && i.Target > f.Entry && i.Target < f.End {
			a.leaders = append(a.leaders, i.Target)
		}
		pc = i.Next()
	}
	slices.Sort(a.leaders)
	a.leaders = slices.Compact(a.leaders)
}

// maxCached bounds the instructions that are kept during an analysis.
const maxCached = 4096

// fetch decodes the instruction at pc, once.
func (a *analyser) fetch(pc core.Addr) (insn.Inst, error) {
	f := &a.plan.Func
	if a.code == nil {
		a.code = make([]insn.Inst, min(uint32(f.End-f.Entry)/2, maxCached))
	}
	n := uint32(pc-f.Entry) / 2
	if n >= uint32(len(a.code)) {
		return fetch(a.plan.text, pc, f.Thumb)
	}
	if i := a.code[n]; i.Size != 0 {
		return i, nil
	}
	i, err := fetch(a.plan.text, pc, f.Thumb)
	if err == nil {
		a.code[n] = i
	}
	return i, err
}

func (a *analyser) isLeader(pc core.Addr) bool {
	if _, ok := a.plan.blocks[pc]; ok {
		return true
	}
	_, ok := slices.BinarySearch(a.leaders, pc)
	return ok
}

// reach merges a state into the block at pc and schedules it if that adds
// anything.
func (a *analyser) reach(pc core.Addr, s state, it thumb.ITState, guess bool) {
	if sp := s.sp(); sp.isCFA() && sp.off > 0 {
		return // a way that cannot be: no function leaves SP above its CFA
	}
	b := a.plan.blocks[pc]
	if b == nil {
		if len(a.plan.blocks) >= maxBlocks {
			return
		}
		a.split(pc)
		b = &block{addr: pc, end: pc, it: it, guessed: guess}
		a.plan.blocks[pc] = b
	}
	k := s.key()
	for i := range b.states {
		if b.states[i].key() == k {
			if b.states[i].join(&s) {
				a.work = append(a.work, visit{block: b, s: b.states[i]})
			}
			return
		}
	}
	if len(b.states) == maxAlternatives {
		b.full = true
		return
	}
	b.states = append(b.states, s)
	a.work = append(a.work, visit{block: b, s: s})
}

// split re-runs the block that a new leader at pc cuts in two.
func (a *analyser) split(pc core.Addr) {
	for _, b := range a.plan.blocks {
		if b.addr < pc && pc < b.end {
			for i := range b.states {
				a.work = append(a.work, visit{block: b, s: b.states[i]})
			}
			b.end = pc
		}
	}
}

// drain follows states until nothing changes any more. Code behind calls that
// should not return is entered only where nothing else leads there.
func (a *analyser) drain() {
	for {
		for len(a.work) > 0 && a.visits < maxVisits {
			v := a.work[len(a.work)-1]
			a.work = a.work[:len(a.work)-1]
			r := runner{plan: a.plan, an: a, block: v.block}
			r.run(v.block.addr, v.s, v.block.it)
		}
		if len(a.deferred) == 0 || a.visits >= maxVisits {
			return
		}
		d := a.deferred[0]
		a.deferred = a.deferred[1:]
		if !a.covered(d.block.addr) {
			a.reach(d.block.addr, d.s, d.block.it, true)
		}
	}
}

func (a *analyser) covered(pc core.Addr) bool {
	for _, b := range a.plan.blocks {
		if b.addr <= pc && pc < b.end {
			return true
		}
	}
	return false
}

// finish orders the blocks for look-up.
func (a *analyser) finish() {
	p := a.plan
	p.order = make([]*block, 0, len(p.blocks))
	for _, b := range p.blocks {
		p.order = append(p.order, b)
	}
	slices.SortFunc(p.order, func(x, y *block) int { return int(int64(x.addr) - int64(y.addr)) })
}

package unwind

import (
	"slices"

	"pushmask/core"
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
	code     listing
	inData   bool // mapping symbols call the function data
	work     []visit
	deferred []deferred
	visits   int
}

// visit is a state that reaches a block and has not been followed yet.
type visit struct {
	block *block
	s     *snapshot
}

// deferred is a state behind a call that should not return.
type deferred struct {
	at    core.Addr
	thumb bool
	s     *snapshot
}

// newAnalyser prepares the analysis of f, which starts at its entry.
func newAnalyser(f Func, t text, info callInfo) *analyser {
	p := &Plan{Func: f, text: t}
	a := &analyser{plan: p, info: info, code: list(&f, t), inData: info.isData(f.Entry)}
	p.blocks = make([]*block, 0, a.code.leads+1)
	start := entryState()
	if f.exception {
		start.modes.exception, start.modes.home = true, f.home
	} else {
		start.call() // arguments are of no interest
		start.regs[core.LR] = entry(core.LR)
	}
	a.reach(codePtr{f.Entry, f.Thumb}, &start, 0, false)
	return a
}

// leads reports whether a block starts at pc.
func (a *analyser) leads(pc core.Addr) bool {
	if n := a.code.line(pc); n != nil {
		return n.leader
	}
	_, ok := a.plan.find(pc)
	return ok
}

// reach merges a state into the block at at and schedules it if that adds
// anything.
func (a *analyser) reach(at codePtr, s *state, it thumb.ITState, guess bool) {
	if sp := s.sp(); sp.isCFA() && sp.off > 0 {
		return // a way that cannot be: no function leaves SP above its CFA
	}
	pc := at.addr
	n, ok := a.plan.find(pc)
	if !ok {
		if len(a.plan.blocks) >= maxBlocks {
			return
		}
		a.split(a.plan.blocks[:n], pc)
		a.code.lead(pc)
		a.plan.blocks = slices.Insert(a.plan.blocks, n, &block{addr: pc, end: pc, thumb: at.thumb, it: it, guessed: guess})
	}
	b := a.plan.blocks[n]
	if b.thumb != at.thumb {
		return // one of the two is no code
	}
	k := s.key()
	i := slices.IndexFunc(b.states, func(t *snapshot) bool { return t.key == k })
	switch {
	case i >= 0:
		var both state
		both.restore(b.states[i])
		if both.join(s) {
			b.states[i] = both.snapshot()
			a.work = append(a.work, visit{b, b.states[i]})
		}
	case len(b.states) == maxAlternatives:
		b.full = true
	default:
		t := s.snapshot()
		b.states = append(b.states, t)
		a.work = append(a.work, visit{b, t})
	}
}

// split re-runs those of the blocks before pc that a new leader there cuts in
// two.
func (a *analyser) split(before []*block, pc core.Addr) {
	for _, b := range before {
		if pc < b.end {
			for _, s := range b.states {
				a.work = append(a.work, visit{b, s})
			}
			b.end = pc
		}
	}
}

// follow follows states until nothing changes any more.
func (a *analyser) follow() {
	var s state
	for len(a.work) > 0 && a.visits < maxVisits {
		v := a.work[len(a.work)-1]
		a.work = a.work[:len(a.work)-1]
		s.restore(v.s)
		r := runner{plan: a.plan, an: a, block: v.block}
		r.run(v.block.addr, &s, v.block.it)
	}
}

// drain follows all states. Code behind calls that should not return is
// entered only where nothing else leads there.
func (a *analyser) drain() {
	var s state
	for a.follow(); len(a.deferred) > 0 && a.visits < maxVisits; a.follow() {
		d := a.deferred[0]
		a.deferred = a.deferred[1:]
		if !a.covered(d.at) {
			s.restore(d.s)
			a.reach(codePtr{d.at, d.thumb}, &s, 0, true)
		}
	}
}

func (a *analyser) covered(pc core.Addr) bool {
	return slices.ContainsFunc(a.plan.blocks, func(b *block) bool { return b.addr <= pc && pc < b.end })
}

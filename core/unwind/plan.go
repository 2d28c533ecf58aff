package unwind

import (
	"cmp"
	"slices"
	"sync"

	"pushmask/core"
	"pushmask/core/thumb"
)

// Func is a function as far as its bounds are known.
type Func struct {
	Name  string // "" when unknown
	Entry core.Addr
	End   core.Addr // first address past it
	Thumb bool
	// Known is true when the bounds come from symbols, false when they were
	// found by looking at the code.
	Known bool
	// handler is set where the vector table names the entry.
	handler bool
	// label is set for a symbol without a size: it may lie inside of a function.
	label bool
	// exception is set to analyse the entry of an exception: registers that an
	// ordinary function may destroy are the interrupted code's there. home is the
	// mode that it is entered in, where that is known.
	exception bool
	home      core.Mode
}

// codePtr is an address with the instruction set state of the code there.
type codePtr struct {
	addr  core.Addr
	thumb bool
}

// bounds name a plan: the same entry has several where ends are not known.
type bounds struct{ entry, end core.Addr }

func (f *Func) bounds() bounds { return bounds{f.Entry, f.End} }

// maxAlternatives bounds the states kept for one instruction: those that
// differ in stack height or in the place of the return address. Two come from
// a conditional push, more from hand-written code.
const maxAlternatives = 6

// block is straight-line code from a leader: the instruction that a branch,
// the entry or a table reaches.
type block struct {
	addr, end core.Addr
	thumb     bool          // its instruction set state
	it        thumb.ITState // pending IT conditions at addr
	states    []*snapshot
	full      bool // states were left out
	guessed   bool // entered with an assumed state
}

// Plan is the result of analysing one function: the states at each of its
// blocks, from which the row of any instruction follows.
type Plan struct {
	Func   Func
	text   text
	blocks []*block // by address
	// tails are the functions that this one can leave to with its own caller's
	// return address.
	tails []codePtr
	// inner are entries inside of this function that it calls itself: the
	// subroutines of hand-written code.
	inner        []core.Addr
	unruly       []unruly // callees
	indirectTail bool     // it may leave to a place that is not known
	indirectJump bool     // it has a jump whose targets were not found
	returns      bool     // a return to its own caller was found
	nonSecure    bool     // such a return was found that can enter non-secure state
	// exceptionReturn is set where the code returns from an exception.
	exceptionReturn bool
	// home is the mode that it does so from, where the code names it.
	home core.Mode

	bodyOnce sync.Once
	body     []Row

	mu   sync.Mutex
	rows map[rowKey][]Row // of the instructions that were asked for
}

// Rows returns the rows that may hold before the instruction at pc, the most
// likely first; more than one where control flow reaches it with different
// stacks. It returns none where the analysis does not reach pc.
func (p *Plan) Rows(pc core.Addr) []Row { return p.rowsAt(pc, false) }

// rowsAt returns the rows before the instruction at pc, or, with called, while
// the call that is the instruction at pc runs: LR and the registers that a
// callee may destroy are not the function's own then.
func (p *Plan) rowsAt(pc core.Addr, called bool) []Row {
	k := rowKey{pc, called}
	p.mu.Lock()
	defer p.mu.Unlock()
	if rows, ok := p.rows[k]; ok {
		return rows
	}
	var rows []Row
	for _, s := range p.states(pc) {
		if called {
			s.call()
		}
		r := s.row()
		r.guard = s.guard
		if p.indirectJump || p.blockAt(pc).full {
			r.floats = floats{} // other ways may lead here
		}
		r.meetFloats(rows)
		if k := slices.IndexFunc(rows, func(q Row) bool { return q.same(&r) }); k >= 0 {
			rows[k].guard = guard{} // it holds both ways
			continue
		}
		r.text = r.String()
		rows = append(rows, r)
	}
	if p.rows == nil {
		p.rows = make(map[rowKey][]Row)
	}
	p.rows[k] = rows
	return rows
}

type rowKey struct {
	pc     core.Addr
	called bool
}

// states replays the block that contains pc up to pc.
func (p *Plan) states(pc core.Addr) []reached {
	b := p.blockAt(pc)
	if b == nil {
		return nil
	}
	var s state
	r := runner{plan: p, block: b, until: pc, query: true}
	for _, t := range b.states {
		s.restore(t)
		r.run(b.addr, &s, b.it)
	}
	return r.found
}

// find returns where in the list of blocks the one at pc is, or belongs.
func (p *Plan) find(pc core.Addr) (int, bool) {
	return slices.BinarySearchFunc(p.blocks, pc, func(b *block, a core.Addr) int { return cmp.Compare(b.addr, a) })
}

// blockAt returns the block that contains pc, nil if no control flow reaches it.
func (p *Plan) blockAt(pc core.Addr) *block {
	i, ok := p.find(pc)
	if ok {
		return p.blocks[i]
	}
	if i == 0 || pc >= p.blocks[i-1].end {
		return nil
	}
	return p.blocks[i-1]
}

// analyse explores the control flow of f from its entry.
func analyse(f Func, t text, info callInfo) *Plan {
	a := newAnalyser(f, t, info)
	a.drain()
	return a.plan
}

// callInfo is what the analysis of one function needs to know of others.
type callInfo interface {
	// noReturn reports whether a call to the function at entry never comes back.
	noReturn(entry codePtr) bool
	// switchHelper tells the Thumb-1 jump table helpers, whose table follows
	// the call.
	switchHelper(entry core.Addr) switchKind
	// subroutine reports whether the code at entry, called from inside of f,
	// comes back through the LR of that call. Otherwise the call is a far
	// branch (gcc for v6-M, where B reaches 2 KiB).
	subroutine(entry core.Addr, f *Func) bool
	// isData reports whether a lies in data according to mapping symbols.
	isData(a core.Addr) bool
	// starts reports whether a is where execution of a program starts.
	starts(a core.Addr) bool
}

package unwind

import (
	"cmp"
	"slices"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// maxRounds bounds the repetitions until the heights of symbols settle: each
// symbol that is made from another one takes one round more.
const maxRounds = 8

// height is a distance below the CFA in bytes, plus an unknown amount when
// dynamic.
type height struct {
	bytes   int32
	dynamic bool
}

// measure is the measurement of one function.
type measure struct {
	stacks  *Stacks
	plan    *Plan
	usage   StackUsage
	origin  map[base]height // of symbols that are stack addresses
	winding bool            // SP moves in a loop
	changed bool
}

// height returns how far the stack address v lies below the CFA.
func (m *measure) height(v value) height {
	if v.isSym() {
		h := m.origin[v.base]
		h.bytes -= v.off
		return h
	}
	return height{bytes: -v.off}
}

// block replays the states of a block. Where a loop moves SP at each turn, the
// known part is one turn: what follows from the state with the highest SP.
func (m *measure) block(b *block) {
	if m.winding && len(b.states) > 0 {
		m.usage.Dynamic = true
		high := slices.MinFunc(b.states, func(x, y *snapshot) int {
			return cmp.Compare(m.height(x.key.sp).bytes, m.height(y.key.sp).bytes)
		})
		m.replay(b, high)
		return
	}
	for _, s := range b.states {
		m.replay(b, s)
	}
}

// replay follows a state through its block, one instruction after the other.
func (m *measure) replay(b *block, s *snapshot) {
	front, it := make([]reached, 1), b.it
	front[0].restore(s)
	for pc := b.addr; pc < b.end && len(front) > 0 && !m.stacks.p.isData(pc); {
		i, err := fetch(m.plan.text, pc, b.thumb)
		if err != nil {
			return
		}
		var next []reached
		for k := range front {
			m.visit(&i, &front[k], it)
			r := runner{plan: m.plan, block: b, until: i.Next(), query: true, guard: front[k].guard}
			before := front[k].state
			r.run(pc, &front[k].state, it)
			for n := range r.found {
				m.moved(&i, &before, &r.found[n].state)
			}
			next = append(next, r.found...)
		}
		front, pc, it = next, i.Next(), it.Next(i)
	}
}

// visit notes the height of SP before i, and whom i calls.
func (m *measure) visit(i *insn.Inst, s *reached, it thumb.ITState) {
	h := m.height(s.sp())
	m.usage.Frame = max(m.usage.Frame, uint32(max(h.bytes, 0)))
	m.usage.Dynamic = m.usage.Dynamic || h.dynamic
	cond := i.Cond
	if it.InBlock() {
		cond = it.Cond()
	}
	if s.guard.decides(cond) && !s.guard.holds(cond) {
		return
	}
	if c, ok := m.leaves(i, &s.state); ok {
		c.Site, c.Depth, c.Dynamic = i.Addr, uint32(max(h.bytes, 0)), h.dynamic
		m.call(c)
	}
}

// call adds a call, or deepens one that was seen in another state.
func (m *measure) call(c StackCall) {
	for k := range m.usage.Calls {
		o := &m.usage.Calls[k]
		if o.Site == c.Site && o.Target == c.Target && o.Tail == c.Tail {
			o.Depth, o.Dynamic = max(o.Depth, c.Depth), o.Dynamic || c.Dynamic
			return
		}
	}
	m.usage.Calls = append(m.usage.Calls, c)
}

// moved learns the heights of the symbols that i made: of a stack address that
// was computed from another one, and of an SP that was loaded.
func (m *measure) moved(i *insn.Inst, before, after *state) {
	sym := (&runner{plan: m.plan}).symbol(i.Addr)
	if i.Rd < core.PC && after.regs[i.Rd].base == sym {
		for _, r := range [...]core.Reg{i.Rn, i.Rm} {
			if v := before.reg(r, i); v.isAddr() {
				m.define(sym, m.height(v).after(i))
				return
			}
		}
	}
	if after.sp().base != sym || before.sp().base == sym {
		return
	}
	h := m.height(before.sp())
	if loadsConstant(i, before) {
		m.usage.SetsSP = m.usage.SetsSP || h.bytes > 0
	} else {
		h.dynamic = true
	}
	m.define(sym, h)
}

// after is the height of the result of i, which computes with an address of
// height h: an alignment adds less than its unit, anything else an unknown
// amount. SP is a multiple of 4 always (AAPCS32 6.2.1.1).
func (h height) after(i *insn.Inst) height {
	if low := ^i.Imm; i.Op == insn.OpAnd && low >= 0 && low&(low+1) == 0 {
		h.bytes += max(low+1-4, 0)
		return h
	}
	h.dynamic = true
	return h
}

func loadsConstant(i *insn.Inst, s *state) bool {
	switch i.Op {
	case insn.OpConst:
		return true
	case insn.OpMove:
		return s.reg(i.Rm, i).isConst()
	case insn.OpLoad:
		ea, _ := s.address(i)
		return ea.isConst()
	}
	return false
}

func (m *measure) define(sym base, h height) {
	o, ok := m.origin[sym]
	if n := (height{max(o.bytes, h.bytes), o.dynamic || h.dynamic}); !ok || n != o {
		m.origin[sym], m.changed = n, true
	}
}

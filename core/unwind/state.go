package unwind

import (
	"slices"

	"pushmask/core"
)

// maxSlots bounds the stack words the analysis follows in one state. A
// prologue saves at most nine core registers and LR twice over (split pushes);
// the rest holds frame pointers and copies of SP.
const maxSlots = 32

// slot is a stack word at the address at (CFA- or symbol-relative) that holds
// a value worth following.
type slot struct {
	at, val value
}

// state is what is known before an instruction executes.
type state struct {
	facts
	slots [maxSlots]slot // the first n are in use
}

// facts are what is known beside the stack.
type facts struct {
	regs [16]value // r0-r12, sp, lr; pc is not used
	n    uint8     // slots in use
	// cmpReg was last compared with cmpImm: the bound of a jump table's index.
	cmpReg core.Reg
	cmpImm int32
	// lazy names stack words that were written before the state began.
	lazy bool
	// moved is set once SP was loaded with what is not known of: another stack, or
	// data.
	moved bool
	// fp says what S registers hold.
	fp floatRegs
	process
	// modes holds the stacks of other modes, for handlers that switch.
	modes modes
}

// snapshot is a state at rest, as large as what it holds: what blocks keep and
// what waits to be followed. It does not change once it is made.
type snapshot struct {
	facts
	slots []slot
	key   key
}

func (s *state) snapshot() *snapshot {
	return &snapshot{facts: s.facts, slots: slices.Clone(s.slots[:s.n]), key: s.key()}
}

// restore makes s the state that t was taken of.
func (s *state) restore(t *snapshot) {
	s.facts = t.facts
	copy(s.slots[:], t.slots)
}

// entryState is the state on entry to a function: nothing has moved.
func entryState() state {
	s := state{facts: facts{cmpReg: core.NoReg, fp: entryFloats(), process: process{psp: entry(core.PSP)}}}
	for r := core.R0; r <= core.LR; r++ {
		s.regs[r] = entry(r)
	}
	return s
}

func (s *state) sp() value { return s.regs[core.SP] }

// load returns the followed value of the word at address at.
func (s *state) load(at value) value {
	for i := range s.slots[:s.n] {
		if s.slots[i].at == at {
			return s.slots[i].val
		}
	}
	switch {
	case !s.lazy:
	case at.isCFA() && at.off >= 0:
		return value{baseSlot, at.off}
	case at.base >= baseEntry && at.base < baseSym && !at.isCFA():
		return held(at)
	}
	return unknown
}

// store follows a word written to address at. Writes to addresses that are
// not known are taken not to hit a followed slot: compilers keep saved
// registers out of reach of ordinary stores.
func (s *state) store(at, val value) {
	if !at.isAddr() && !at.isConst() {
		return
	}
	for i := range s.slots[:s.n] {
		if s.slots[i].at == at {
			if worth(val) > 0 {
				s.slots[i].val = val
			} else {
				s.drop(i)
			}
			return
		}
	}
	if at.isConst() && val != s.sp() {
		return // of variables only what keeps SP is of interest
	}
	if worth(val) == 0 || int(s.n) == maxSlots && !s.evict(val) {
		return
	}
	s.slots[s.n] = slot{at, val}
	s.n++
}

// worth ranks what is stored: registers that a caller needs (callee-saved ones
// and LR, AAPCS32 6.1.1), then addresses that can restore SP or a frame
// pointer, then constants that can be the address of code or of a jump table,
// then FP registers. Zero is not followed.
func worth(v value) int {
	if r, ok := v.entryReg(); ok && r != core.SP && r != core.PSP {
		switch {
		case r >= core.R4 && r <= core.R11 || r == core.LR:
			return 4
		case r >= firstHigh:
			return 1
		case r >= core.S0:
			return 0
		}
		return 2
	}
	switch {
	case v.ofException():
		return 4
	case v.isAddr():
		return 3
	case v.isConst() && v.off&3 != 2 && uint32(v.off) >= 0x40:
		return 2
	}
	return 0
}

// evict makes room for val by dropping a word of less worth.
func (s *state) evict(val value) bool {
	least, at := worth(val), -1
	for i := range s.slots[:s.n] {
		if w := worth(s.slots[i].val); w < least {
			least, at = w, i
		}
	}
	if at < 0 {
		return false
	}
	s.drop(at)
	return true
}

func (s *state) drop(i int) {
	s.n--
	s.slots[i] = s.slots[s.n]
	s.slots[s.n] = slot{}
}

// setSP moves SP. Words that fall below it are dead: an exception may
// overwrite them (AAPCS32 6.2.1.1: no access below SP).
func (s *state) setSP(v value) {
	s.regs[core.SP] = v
	for i := 0; i < int(s.n); {
		if at := s.slots[i].at; at.base == v.base && at.off < v.off {
			s.drop(i)
			continue
		}
		i++
	}
}

// rename gives a fresh meaning to symbol b: what still refers to an older
// quantity of that name is unknown from here on.
func (s *state) rename(b base) {
	for r := range s.regs {
		if s.regs[r].base == b {
			s.regs[r] = unknown
		}
	}
	for i := 0; i < int(s.n); {
		if s.slots[i].at.base == b || s.slots[i].val.base == b {
			s.drop(i)
			continue
		}
		i++
	}
}

// locate finds where the entry value of r is kept: in a register or a slot.
func (s *state) locate(r core.Reg) (place, bool) {
	want := entry(r)
	if int(r) < len(s.regs) && s.regs[r] == want {
		return place{reg: r}, true
	}
	if at, ok := s.slotOf(want); ok {
		return place{reg: core.NoReg, at: at}, true
	}
	for q := core.R0; q <= core.LR; q++ {
		if s.regs[q] == want {
			return place{reg: q}, true
		}
	}
	if q, ok := s.fp.holder(r); ok {
		return place{reg: q}, true
	}
	return place{}, false
}

// slotOf finds the address of a slot that holds v: on the stack rather than
// elsewhere, and not where nothing leads to any more.
func (s *state) slotOf(v value) (at value, ok bool) {
	for i := range s.slots[:s.n] {
		if s.slots[i].val != v {
			continue
		}
		if s.slots[i].at.isCFA() {
			return s.slots[i].at, true
		}
		if _, reached := s.loc(place{reg: core.NoReg, at: s.slots[i].at}); reached && !ok {
			at, ok = s.slots[i].at, true
		}
	}
	return at, ok
}

// place is a register, or a stack word when reg is NoReg.
type place struct {
	reg core.Reg
	at  value
}

// key identifies the states that must not be joined: those that differ in
// stack height or in where the return address is.
type key struct {
	sp, psp value
	ra      place
	ok      bool
	process uint32
}

func (s *state) key() key {
	ra, ok := s.locate(core.LR)
	return key{s.sp(), s.psp, ra, ok, s.processKey()}
}

// join weakens s to what also holds in t and reports whether s changed.
func (s *state) join(t *state) bool {
	changed := s.modes.join(&t.modes)
	s.moved = s.moved || t.moved
	if s.fp != t.fp {
		was := s.fp
		s.fp.meet(&t.fp)
		changed = changed || s.fp != was
	}
	if s.high != t.high && s.high != highUnknown {
		s.high, changed = highUnknown, true
	}
	if s.cmpReg != t.cmpReg || s.cmpImm != t.cmpImm {
		s.cmpReg = core.NoReg
	}
	for r := range s.regs {
		if s.regs[r] != t.regs[r] && s.regs[r].known() {
			s.regs[r] = unknown
			changed = true
		}
	}
	for i := 0; i < int(s.n); {
		if t.load(s.slots[i].at) != s.slots[i].val {
			s.drop(i)
			changed = true
			continue
		}
		i++
	}
	return changed
}

// bound is the number of entries that a table indexed by r can have according
// to the last comparison (cmp r, #n; bhi default), 0 when that says nothing.
func (s *state) bound(r core.Reg) int {
	if r == s.cmpReg && r != core.NoReg && s.cmpImm >= 0 && s.cmpImm < maxTable {
		return int(s.cmpImm) + 1
	}
	return 0
}

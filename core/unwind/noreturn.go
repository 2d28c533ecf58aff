package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// noReturnNames are functions that never come back, by the C and C++
// standards, by newlib, and by the conventions of RTOSes and Rust.
var noReturnNames = map[string]bool{
	"abort": true, "exit": true, "_exit": true, "_Exit": true, "quick_exit": true,
	"longjmp": true, "siglongjmp": true, "__assert_func": true, "__assert": true,
	"__stack_chk_fail": true, "__cxa_throw": true, "__cxa_rethrow": true,
	"_Unwind_Resume": true, "__cxa_end_cleanup": true, "__cxa_bad_cast": true,
	"__cxa_pure_virtual": true, "__cxa_call_unexpected": true, "rust_begin_unwind": true,
	"std::terminate()": true, "_ZSt9terminatev": true,
}

// noReturn implements callInfo: by the name of a function or, where it has
// none, by its code.
func (p *Program) noReturn(entry codePtr) bool {
	if f, ok := p.syms.FuncAt(uint32(entry.addr)); ok && f.Entry == uint32(entry.addr) {
		return noReturnNames[f.Name]
	}
	return p.endless(entry, 0)
}

// called is what the direct call i enters.
func called(i *insn.Inst) codePtr { return codePtr{i.Target, i.TargetThumb} }

// Limits of the look for a way back: instructions of one function, and calls
// into others.
const (
	maxEndless      = 200
	maxEndlessCalls = 3
)

// endless reports whether nothing comes back from the code at entry: every way
// through it ends in a loop, a trap or a call of such code.
func (p *Program) endless(entry codePtr, depth int) bool {
	p.mu.Lock()
	gone, ok := p.gone[entry]
	p.mu.Unlock()
	if ok {
		return gone
	}
	gone = p.noWayBack(entry, depth)
	p.mu.Lock()
	p.gone[entry] = gone
	p.mu.Unlock()
	return gone
}

// addrSet is a small set of addresses: few of the looks at a function are long,
// and there are many.
type addrSet struct {
	slots [2 * maxEndless]core.Addr // addresses plus one, 0 for none
	n     int
}

// add puts a into the set and reports whether it was not there. The set holds
// more than maxEndless addresses.
func (s *addrSet) add(a core.Addr) bool {
	k := a / 2 % core.Addr(len(s.slots))
	for ; s.slots[k] != 0; k = (k + 1) % core.Addr(len(s.slots)) {
		if s.slots[k] == a+1 {
			return false
		}
	}
	s.slots[k] = a + 1
	s.n++
	return true
}

func (p *Program) noWayBack(entry codePtr, depth int) bool {
	queue := []core.Addr{entry.addr}
	var seen addrSet
	for len(queue) > 0 {
		pc := queue[0]
		queue = queue[1:]
		var it thumb.ITState
		for on := true; on && seen.add(pc); {
			i, err := fetch(p.text, pc, entry.thumb)
			if err != nil || seen.n > maxEndless {
				return false
			}
			pc = i.Next()
			always := !i.Conditional() && !it.InBlock()
			it = it.Next(i)
			switch i.Flow {
			case insn.FlowBranch:
				queue = append(queue, i.Target)
				on = !always
			case insn.FlowCall:
				if p.switchHelper(i.Target) != switchNone {
					return false
				}
				on = !always || depth == maxEndlessCalls || !p.endless(called(&i), depth+1)
			case insn.FlowTrap:
				on = !always
			case insn.FlowNext, insn.FlowCallReg:
			default:
				return false
			}
		}
	}
	return true
}

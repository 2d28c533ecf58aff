package unwind

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// modeException is an exception of A- and R-profile cores.
type modeException struct {
	name string
	mode core.Mode // that its handler is entered in
	// ahead is how far LR is behind the address to show, which is the one that
	// was not executed (Armv7-A ARM B1.8.3, table B1-7). The instruction that was
	// undefined is one before its LR, SVC has executed.
	ahead uint32
}

// Exceptions by their place in the vector table (Armv7-A ARM B1.8.1).
const (
	vectorUndefined = 1 + iota
	vectorSVC
	vectorPrefetch
	vectorData
	_
	vectorIRQ
	vectorFIQ
	vectorCount
)

var modeExceptions = [vectorCount]modeException{
	vectorUndefined: {"Undefined Instruction", core.ModeUndefined, 4},
	vectorSVC:       {"SVC", core.ModeSupervisor, 0},
	vectorPrefetch:  {"Prefetch Abort", core.ModeAbort, 4},
	vectorData:      {"Data Abort", core.ModeAbort, 8},
	vectorIRQ:       {"IRQ", core.ModeIRQ, 4},
	vectorFIQ:       {"FIQ", core.ModeFIQ, 4},
}

// vectorAlign is the alignment of a vector table (VBAR, Armv7-A ARM B4.1.156).
const vectorAlign = 32

// findModeVectors looks for vector tables of A32 code: aligned, a jump in every
// place that has a meaning on all cores. It notes the places and the handlers.
func (p *Program) findModeVectors() {
	p.modeVectors = make(map[core.Addr]int)
	for _, e := range p.text {
		first := (e.lo + vectorAlign - 1) &^ (vectorAlign - 1)
		for at := first; uint64(at)+4*vectorCount <= uint64(e.lo)+uint64(len(e.data)); at += vectorAlign {
			if p.isVectorTable(at) {
				p.noteVectors(at)
			}
		}
	}
}

func (p *Program) isVectorTable(at core.Addr) bool {
	for n := vectorUndefined; n <= vectorIRQ; n++ {
		if n == vectorData+1 {
			continue // reserved
		}
		h, ok := p.vectorTarget(at + core.Addr(4*n))
		if !ok || h.addr > at && h.addr < at+4*vectorCount {
			return false
		}
		// What a row of branches in a function leads to is no function.
		if f, ok := p.syms.FuncAt(uint32(h.addr)); ok && core.Addr(f.Entry) != h.addr {
			return false
		}
	}
	return true
}

// vectorTarget is where the jump at at leads.
func (p *Program) vectorTarget(at core.Addr) (codePtr, bool) {
	i, err := fetch(p.text, at, false)
	if err != nil || i.Conditional() {
		return codePtr{}, false
	}
	switch {
	case i.Flow == insn.FlowBranch:
		return codePtr{i.Target, false}, len(p.text.at(i.Target)) >= 4
	case i.Flow == insn.FlowLoad && i.Op == insn.OpLoad && i.Rn == core.PC:
		w, ok := word(p.text, readPC(&i)+core.Addr(i.Imm))
		a, odd := core.CodeAddr(w)
		return codePtr{a, odd}, ok && len(p.text.at(a)) >= 2
	}
	return codePtr{}, false
}

// noteVectors notes the places and the handlers of a table. A handler of
// several exceptions is of none in particular.
func (p *Program) noteVectors(table core.Addr) {
	for n := vectorUndefined; n < vectorCount; n++ {
		if modeExceptions[n].name == "" {
			continue
		}
		at := table + core.Addr(4*n)
		p.modeVectors[at] = n
		h, ok := p.vectorTarget(at)
		if !ok {
			continue
		}
		kind := n
		if was, ok := p.modeVectors[h.addr]; ok && was != n {
			kind = 0
		}
		p.modeVectors[h.addr] = kind
		p.modeHandlers = append(p.modeHandlers, h)
	}
}

// ModeVectors returns the places that exceptions of A- and R-profile cores
// enter, with the number of the exception in its table: 1 is Undefined
// Instruction, 3 Prefetch Abort, 4 Data Abort (Armv7-A ARM B1.8.1).
func (p *Program) ModeVectors() map[core.Addr]int {
	list := make(map[core.Addr]int)
	for at, n := range p.modeVectors {
		if n != 0 && int(at%vectorAlign) == 4*n {
			list[at] = n
		}
	}
	return list
}

package unwind

import (
	"errors"
	"math/bits"

	"pushmask/core"
	"pushmask/core/insn"
)

// The published push-mask method: from the PC back to the push that saved LR,
// read the register mask out of its encoding, count the bits, and add what the
// instructions between the start of the function and the PC moved SP. It is
// kept as it was published: right for ordinary bodies, wrong in leaf
// functions, before the push, behind the pop, and where frames are set up
// through a register. [Walker] uses its search for functions that nothing
// calls directly and the analysis for everything else.

// Limits of the search for a push.
const (
	maxPushSearch = 0x2000 // bytes back from the PC
	maxHidden     = 8      // pushes tried for one PC
)

// ErrNoPush is returned by [PushMask] when no push of LR lies before the PC.
var ErrNoPush = errors.New("no push of lr before the pc")

// PushFrame is what the published method yields for one frame.
type PushFrame struct {
	Push  core.Addr // address of the push that saved LR
	Mask  uint16    // register mask in its encoding
	CFA   uint32    // bytes from SP to the CFA
	LR    uint32    // bytes from SP to the saved LR
	Moved uint32    // of CFA: bytes moved by instructions behind the push
}

// PushMask applies the published method to pc. code is T32, start is the start
// of the function, or the lowest address to go back to where that is unknown.
func PushMask(code core.Memory, start, pc core.Addr) (PushFrame, error) {
	t := &liveText{mem: code}
	push, ok := pushBefore(t, pc, start, true, pushesLR)
	if !ok {
		return PushFrame{}, ErrNoPush
	}
	f := PushFrame{Push: push.Addr, Mask: push.List}
	size := 4 * uint32(bits.OnesCount16(push.List))
	above := below(t, start, push.Addr)
	f.Moved = below(t, push.Next(), pc)
	f.CFA = above + size + f.Moved
	f.LR = size + f.Moved - 4 // LR is the highest register of the mask
	return f, nil
}

// below adds up what set instructions between lo and hi move SP down.
func below(t text, lo, hi core.Addr) (moved uint32) {
	for a := lo; a < hi; {
		i, err := fetch(t, a, true)
		if err != nil {
			return moved
		}
		switch {
		case i.Op == insn.OpStoreMulti && i.Rn == core.SP && i.Multi == insn.DB && i.Writeback:
			moved += 4 * uint32(bits.OnesCount16(i.List))
		case i.Op == insn.OpVStore && i.Rn == core.SP && i.Multi == insn.DB && i.Writeback:
			moved += 4 * uint32(i.Words)
		case i.Op == insn.OpAdd && i.Rd == core.SP && i.Rn == core.SP && i.Imm < 0:
			moved += uint32(-i.Imm)
		}
		a = i.Next()
	}
	return moved
}

// pushBefore goes back from pc, not below low, to the nearest instruction
// before pc that is a push as is tells.
func pushBefore(t text, pc, low core.Addr, thumbState bool, is func(*insn.Inst) bool) (insn.Inst, bool) {
	step := core.Addr(2)
	if !thumbState {
		step = 4
	}
	for a := pc - step; a >= low && a < pc; a -= step { // a wraps below 0
		if i, err := fetch(t, a, thumbState); err == nil && is(&i) && a < pc {
			return i, true
		}
	}
	return insn.Inst{}, false
}

// pushes tells push {..} and stmdb sp!, {..}, with LR or without.
func pushes(i *insn.Inst) bool {
	return i.Rn == core.SP && i.Op == insn.OpStoreMulti && i.Multi == insn.DB && i.Writeback
}

// pushesLR tells the pushes with LR among the registers, and str lr, [sp, #-n]!.
func pushesLR(i *insn.Inst) bool {
	if pushes(i) {
		return i.List&(1<<core.LR) != 0
	}
	return i.Rn == core.SP && i.Op == insn.OpStore && i.Rd == core.LR && i.Index == insn.PreIndex && i.Imm < 0
}

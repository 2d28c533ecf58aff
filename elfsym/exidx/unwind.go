package exidx

import (
	"fmt"
	"slices"
)

// Saved is a register of the caller that the function stored.
type Saved struct {
	Reg    Register
	Offset int32 // of its place from the CFA, in bytes
}

// Unwind is what an entry says about the frames of its functions, at call
// sites.
type Unwind struct {
	// CantUnwind marks code that no frame may be unwound through
	// (EXIDX_CANTUNWIND). Nothing else is set.
	CantUnwind bool
	// Refuses is set when the instructions refuse to unwind.
	Refuses bool

	Personality Personality
	Routine     uint32 // address of the personality routine of Generic, with the Thumb bit

	// Ops are the instructions up to the first that ends them.
	Ops []Op

	// Constant reports that CFA = CFAReg + CFAOffset and that Saved lists all
	// saved registers. Otherwise the frame depends on values in memory, and
	// only running Ops tells.
	Constant  bool
	CFAReg    Register
	CFAOffset int32
	Saved     []Saved // in the order they are popped, the lowest address first
}

// Unwind fetches and decodes the instructions of the entry. After an error it
// holds the instructions before the damage, and Constant is false.
//
// The format of an entry with a routine of its own (Generic) is up to that
// routine; it is read as those of gcc, clang and rustc do.
func (e Entry) Unwind() (Unwind, error) {
	if e.value == cantUnwind {
		return Unwind{CantUnwind: true}, nil
	}
	b, err := e.bytecode()
	u := Unwind{Personality: b.personality, Routine: b.routine}
	if err != nil {
		return u, fmt.Errorf("unwind by exception table of %#08x: %w", e.Start, err)
	}
	if u.Ops, err = decode(b.code); err != nil {
		return u, fmt.Errorf("unwind by exception table of %#08x: %w", e.Start, err)
	}
	u.derive()
	return u, nil
}

// derive runs the instructions on a virtual stack pointer of the form
// register + constant.
func (u *Unwind) derive() {
	base, offset := SP, int64(0)
	var saved []Saved
	for _, op := range u.Ops {
		switch op.Kind {
		case Refuse:
			u.Refuses = true
			return
		case SetVSP:
			// What was popped lies relative to the old base, and a popped
			// register is no longer the one in the frame.
			if len(saved) > 0 {
				return
			}
			base, offset = op.Regs[0], 0
		case AddVSP:
			offset += int64(op.N)
		case Pop:
			if !popInto(&saved, op, offset) {
				return
			}
			offset += int64(op.N)
		}
		if offset != int64(int32(offset)) {
			return
		}
	}
	for i := range saved {
		saved[i].Offset -= int32(offset)
	}
	u.Constant, u.CFAReg, u.CFAOffset, u.Saved = true, base, int32(offset), saved
}

// popInto notes the registers that op pops at offset; one popped before is
// overwritten. A popped r13 replaces vsp (EHABI, "Frame unwinding
// instructions", remark b), which then has no constant form.
func popInto(saved *[]Saved, op Op, offset int64) bool {
	for _, r := range op.Regs {
		if r == SP {
			return false
		}
		*saved = slices.DeleteFunc(*saved, func(s Saved) bool { return s.Reg == r })
		*saved = append(*saved, Saved{r, int32(offset)})
		offset += r.size()
	}
	return true
}

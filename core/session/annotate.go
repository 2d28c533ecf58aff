package session

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
	"pushmask/elfsym"
)

// codeText is the UAL text of an instruction with the symbols that it names.
func (s *Session) codeText(x *item) string {
	var text string
	if x.inst.Thumb {
		text = thumb.Text(x.inst, x.cond)
	} else {
		text = a32.Text(x.inst)
	}
	i := &x.inst
	switch {
	case i.Flow == insn.FlowBranch || i.Flow == insn.FlowCall:
		if name := s.program.symbolText(i.Target); name != "" {
			text += " <" + name + ">"
		}
	case i.Op == insn.OpLoad && i.Rn == core.PC && i.Index == insn.Offset:
		if v, err := core.ReadU32(s.memory, pcBase(i)+core.Addr(i.Imm)); err == nil {
			text += fmt.Sprintf("  ; =0x%08x", v) + s.program.pointee(v)
		}
	case i.Op == insn.OpAdd && i.Rn == core.PC && i.Rd != core.PC:
		a := pcBase(i) + core.Addr(i.Imm)
		text += fmt.Sprintf("  ; =%v", a) + s.program.pointee(uint32(a))
	}
	return text
}

// pcBase is Align(PC, 4): PC reads as the address of the instruction plus 4 in
// T32 state and plus 8 in A32 state (Arm ARM, "use of PC as a base register").
func pcBase(i *insn.Inst) core.Addr {
	if i.Thumb {
		return (i.Addr + 4) &^ 3
	}
	return i.Addr + 8
}

// dataText shows data the way an assembler source has it.
func (s *Session) dataText(x *item) string {
	switch x.size {
	case 4:
		v := binary.LittleEndian.Uint32(x.bytes[:])
		text := fmt.Sprintf(".word 0x%08x", v)
		if name := s.program.pointee(v); name != "" {
			text += "  ;" + name
		}
		return text
	case 2:
		return fmt.Sprintf(".short 0x%04x", binary.LittleEndian.Uint16(x.bytes[:]))
	}
	return fmt.Sprintf(".byte 0x%02x", x.bytes[0])
}

// pointee names what a word points to, with a space before, "" if nothing: a
// place in a data object, or the entry of a function with the right bit 0.
// Other values inside of functions are numbers more often than pointers, and
// so are small ones, although flash often starts at address 0.
func (p *Program) pointee(v uint32) string {
	const smallNumber = 1024
	if p.images.Empty() || v < smallNumber {
		return ""
	}
	if sym, ok := p.images.SymbolAt(v); ok && !sym.Func {
		return " <" + p.qualified(core.Addr(v), plusOffset(elfsym.Demangle(sym.Name), v-sym.Addr)) + ">"
	}
	a, thumb := core.CodeAddr(v)
	if fn, ok := p.funcAt(a); ok && fn.Entry == uint32(a) && fn.Thumb == thumb {
		return " <" + p.qualified(a, p.funcName(fn)) + ">"
	}
	return ""
}

// symbolText is "name" or "name+offset" of an address, "" where no symbol is.
func (p *Program) symbolText(a core.Addr) string {
	if p.images.Empty() {
		return ""
	}
	if fn, ok := p.funcAt(a); ok {
		return p.qualified(a, plusOffset(p.funcName(fn), uint32(a)-fn.Entry))
	}
	sym, ok := p.images.SymbolAt(uint32(a))
	if !ok {
		return ""
	}
	return p.qualified(a, plusOffset(sym.Name, uint32(a)-sym.Addr))
}

func plusOffset(name string, offset uint32) string {
	if offset == 0 {
		return name
	}
	return fmt.Sprintf("%s+%d", name, offset)
}

// funcName is the demangled name of a function.
func (p *Program) funcName(fn elfsym.Func) string {
	locs := p.locate(core.Addr(fn.Entry))
	if n := len(locs); n > 0 && !locs[n-1].Inline && locs[n-1].Function != "" {
		return locs[n-1].Function
	}
	return fn.Name
}

// pointeeText names the code or object that a word points into, with a space
// before, "" if nothing.
func (p *Program) pointeeText(v uint32) string {
	if name := p.pointee(v); name != "" {
		return name
	}
	a, _ := core.CodeAddr(v)
	if fn, ok := p.funcAt(a); ok {
		return " <" + p.qualified(a, plusOffset(p.funcName(fn), uint32(a)-fn.Entry)) + ">"
	}
	if name := p.deviceText(core.Addr(v)); name != "" {
		return " <" + name + ">"
	}
	return ""
}

package oracle

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// program is what the shadow stack has to know of the firmware: its bytes and
// the bounds of its functions.
type program struct {
	segments  []segment
	functions []function        // by address
	symbols   map[string]uint32 // of the same name that of the first ELF
	tops      []uint32          // the upper ends of stacks, see stackTops
	arm       bool              // A-profile: CPSR.T tells the instruction set
	// vectors are the places and the handlers of A-profile's exceptions.
	vectors map[uint32]uint32
}

type segment struct {
	addr uint32
	data []byte
}

type function struct {
	name       string
	start, end uint32
}

// readProgram reads ELFs with the standard library alone.
func readProgram(elfs ...Loaded) (*program, error) {
	p := &program{symbols: make(map[string]uint32)}
	for _, l := range elfs {
		if err := p.add(l); err != nil {
			return nil, err
		}
	}
	p.readVectors()
	slices.SortFunc(p.functions, func(a, b function) int { return int(int64(a.start) - int64(b.start)) })
	return p, nil
}

// add takes in the bytes and the symbols of an ELF.
func (p *program) add(l Loaded) error {
	f, err := elf.Open(l.ELF)
	if err != nil {
		return fmt.Errorf("open the firmware: %w", err)
	}
	defer f.Close()
	for _, ph := range f.Progs {
		if ph.Type != elf.PT_LOAD || ph.Filesz == 0 {
			continue
		}
		data := make([]byte, ph.Filesz)
		if _, err := ph.ReadAt(data, 0); err != nil {
			return fmt.Errorf("read a segment of %s: %w", l.ELF, err)
		}
		p.segments = append(p.segments, segment{uint32(ph.Vaddr) + l.Bias, data})
	}
	symbols, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("read the symbols of %s: %w", l.ELF, err)
	}
	for _, s := range symbols {
		value := uint32(s.Value)
		if s.Section != elf.SHN_ABS {
			value += l.Bias
		}
		if _, ok := p.symbols[s.Name]; !ok {
			p.symbols[s.Name] = value
		}
		if slices.Contains(stackTops, s.Name) && !slices.Contains(p.tops, value) {
			p.tops = append(p.tops, value)
		}
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			start := value &^ 1
			p.functions = append(p.functions, function{s.Name, start, start + uint32(s.Size)})
		}
	}
	return nil
}

// functionAt returns the function around pc. A function without a size reaches
// to the next.
func (p *program) functionAt(pc uint32) (function, bool) {
	i, ok := slices.BinarySearchFunc(p.functions, pc, func(f function, pc uint32) int { return int(int64(f.start) - int64(pc)) })
	if !ok {
		i--
	}
	for ; i >= 0; i-- {
		f := p.functions[i]
		if pc < f.end || f.end == f.start {
			return f, true
		}
		if f.start < pc {
			break
		}
	}
	return function{}, false
}

// startsAt reports whether a function of one of the names starts at pc.
func (p *program) startsAt(pc uint32, names []string) bool {
	f, ok := p.functionAt(pc)
	return ok && f.start == pc && slices.Contains(names, f.name)
}

// within reports whether pc lies in a function of one of the names.
func (p *program) within(pc uint32, names []string) bool {
	f, ok := p.functionAt(pc)
	return ok && slices.Contains(names, f.name)
}

func (p *program) half(a uint32) uint16 {
	for _, s := range p.segments {
		if a >= s.addr && uint64(a)+2 <= uint64(s.addr)+uint64(len(s.data)) {
			return binary.LittleEndian.Uint16(s.data[a-s.addr:])
		}
	}
	return 0
}

func (p *program) word(a uint32) uint32 { return uint32(p.half(a)) | uint32(p.half(a+2))<<16 }

// thumb tells the instruction set of a state.
func (p *program) thumb(s state) bool { return !p.arm || s.psr&(1<<5) != 0 }

// length is the size of the instruction that s is about to execute, bytes
// (Armv7-M ARM A5.1: 0b11101 and above begin 32 bits).
func (p *program) length(s state) uint32 {
	if !p.thumb(s) || p.half(s.pc)>>11 >= 0x1d {
		return 4
	}
	return 2
}

// onlyJumps reports whether the instruction at s can leave its place without
// being a return: branches to a label, table branches, a computed jump.
func (p *program) onlyJumps(s state) bool {
	if !p.thumb(s) {
		w := p.word(s.pc)
		return w>>25&7 == 5 || // B, BL, BLX label
			w&0x0c1ff000 == 0x041ff000 || // LDR pc, [pc, ...]
			w&0x0feff000 == 0x008ff000 // ADD pc, pc, ...
	}
	h, h2 := p.half(s.pc), p.half(s.pc+2)
	switch {
	case h&0xf000 == 0xd000, h&0xf800 == 0xe000, h&0xf500 == 0xb100: // Bcc, B, CBZ
		return true
	case h&0xff87 == 0x4687: // MOV pc, Rm: a return for LR alone
		return h>>3&15 != 14
	case h&0xff87 == 0x4487: // ADD pc, Rm
		return true
	case h&0xf800 == 0xf000: // B.W, BL
		return h2&0x8000 != 0
	}
	return h&0xfff0 == 0xe8d0 && h2&0xffe0 == 0xf000 // TBB, TBH
}

// unwinds reports whether pc lies in a routine that drops several frames and
// jumps: longjmp, and what libgcc's exception unwinding ends in.
func (p *program) unwinds(pc uint32) bool {
	f, ok := p.functionAt(pc)
	return ok && (strings.HasSuffix(f.name, "longjmp") || strings.HasSuffix(f.name, "restore_core_regs"))
}

// switches reports whether pc lies in a helper for switch tables, which is
// called and goes on at an entry of the table behind the call.
func (p *program) switches(pc uint32) bool {
	f, ok := p.functionAt(pc)
	return ok && (strings.HasPrefix(f.name, "__gnu_thumb1_case_") || strings.HasPrefix(f.name, "__ARM_common_switch8"))
}

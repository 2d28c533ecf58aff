package elfcore

import (
	"encoding/binary"
	"fmt"
	"strings"

	"pushmask/core"
)

// Types of notes (Linux uapi/linux/elf.h; NT_GDB_TDESC: binutils
// include/elf/common.h) and of those of the owner "PUSHMASK".
const (
	ntPRStatus = 1
	ntPRPSInfo = 3
	ntARMVFP   = 0x400
	ntGDBTDesc = 0xff000000

	ownNote       = "PUSHMASK"
	ownRegisters  = 1 // pairs of a name of 12 bytes and a word
	ownAttributes = 2 // lines of a word and a value
)

// Layout of struct elf_prstatus, 148 bytes, and of struct elf_prpsinfo, 124
// bytes, of 32-bit ARM (Linux include/linux/elfcore.h).
const (
	statusSize   = 148
	cursigOffset = 12
	pidOffset    = 24
	regsOffset   = 72
	infoSize     = 124
	nameOffset   = 28
	nameSize     = 16
	argsOffset   = 44
	argsSize     = 80
)

// sigTrap is the signal of a thread that has none: debuggers show it as a halt.
const sigTrap = 5

// notes returns the content of the note segment.
func (c *Core) notes() []byte {
	var b []byte
	for i := range c.Threads {
		t := &c.Threads[i]
		b = append(b, note("CORE", ntPRStatus, t.status())...)
		if i == 0 && c.Program != "" {
			b = append(b, note("CORE", ntPRPSInfo, programInfo(c.Program))...)
		}
		if t.Regs.Has(core.S0) {
			b = append(b, note("LINUX", ntARMVFP, t.vfp())...)
		}
		if special := t.special(); len(special) > 0 {
			b = append(b, note(ownNote, ownRegisters, special)...)
		}
		if attributes := t.attributes(); attributes != "" {
			b = append(b, note(ownNote, ownAttributes, []byte(attributes))...)
		}
	}
	return append(b, note("GDB", ntGDBTDesc, append([]byte(c.description()), 0))...)
}

func note(owner string, typ uint32, desc []byte) []byte {
	le := binary.LittleEndian
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
	b := le.AppendUint32(nil, uint32(len(owner)+1))
	b = le.AppendUint32(b, uint32(len(desc)))
	b = le.AppendUint32(b, typ)
	b = pad(append(append(b, owner...), 0))
	return pad(append(b, desc...))
}

func (t *Thread) status() []byte {
	le := binary.LittleEndian
	b := make([]byte, statusSize)
	signal := t.Signal
	if signal == 0 {
		signal = sigTrap
	}
	le.PutUint32(b, uint32(signal))
	le.PutUint16(b[cursigOffset:], uint16(signal))
	le.PutUint32(b[pidOffset:], uint32(t.ID))
	for r := core.R0; r <= core.PSR; r++ {
		le.PutUint32(b[regsOffset+4*int(r):], t.Regs.Value(r))
	}
	return b
}

// programInfo names the program for debuggers. It is of no thread, so that
// none is named after it.
func programInfo(program string) []byte {
	b := make([]byte, infoSize)
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	copy(b[nameOffset:nameOffset+nameSize-1], base)
	copy(b[argsOffset:argsOffset+argsSize-1], program)
	return b
}

// vfp is d0 to d31, of which d0 to d15 are s0 to s31, and the FPSCR.
func (t *Thread) vfp() (b []byte) {
	for i := range core.Reg(32) {
		b = binary.LittleEndian.AppendUint32(b, t.Regs.Value(core.S0+i))
	}
	b = append(b, make([]byte, 16*8)...)
	return binary.LittleEndian.AppendUint32(b, t.Regs.Value(core.FPSCR))
}

// special lists the registers that NT_PRSTATUS and NT_ARM_VFP have no room for.
func (t *Thread) special() (b []byte) {
	const width = 12
	for r := core.PSR + 1; int(r) < core.NumRegs; r++ {
		v, ok := t.Regs.Get(r)
		if !ok || r == core.FPSCR && t.Regs.Has(core.S0) || r >= core.S0 && r <= core.S31 {
			continue
		}
		var name [width]byte
		copy(name[:], r.String())
		b = binary.LittleEndian.AppendUint32(append(b, name[:]...), v)
	}
	return b
}

// attributes is what else is known of the thread.
func (t *Thread) attributes() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s %s\n", key, strings.ReplaceAll(value, "\n", " "))
		}
	}
	line("name", t.Name)
	line("state", t.State)
	line("waits", t.Waits)
	if t.HasPriority {
		fmt.Fprintf(&b, "priority %d %d\n", t.Priority, t.BasePriority)
	}
	if t.Stack.Known() {
		fmt.Fprintf(&b, "stack 0x%08x 0x%08x\n", uint32(t.Stack.Low), uint32(t.Stack.High))
	}
	if t.Interrupted != 0 {
		fmt.Fprintf(&b, "interrupted %d\n", t.Interrupted)
	}
	if t.Crashed {
		b.WriteString("crashed\n")
	}
	if t.Faulted {
		b.WriteString("faulted\n")
	}
	var unknown []string
	for r := core.R0; r <= core.PSR; r++ {
		if !t.Regs.Has(r) {
			unknown = append(unknown, r.String())
		}
	}
	line("unknown", strings.Join(unknown, " "))
	return b.String()
}

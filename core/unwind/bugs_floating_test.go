package unwind

import (
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// entryFloat is what Sn holds when a listing is entered.
func entryFloat(n int) uint32 { return 0x22220000 + uint32(n)<<8 }

// floating executes an instruction of the FPU by its text, transfers of several
// registers aside, and reports whether it was one.
func (m *machine) floating(i *insn.Inst) bool {
	text := a32.Text(*i)
	if i.Thumb {
		text = thumb.Text(*i, insn.AL)
	}
	name, operands, _ := strings.Cut(text, " ")
	if !strings.HasPrefix(name, "v") || i.Writeback {
		return false
	}
	fields := strings.FieldsFunc(operands, func(c rune) bool { return strings.ContainsRune(" ,[]", c) })
	var words []*uint32
	for _, f := range fields {
		words = append(words, m.words(f)...)
	}
	moves := strings.HasPrefix(name, "vldr") || strings.HasPrefix(name, "vstr")
	switch {
	case moves && len(m.words(fields[1])) == 1:
		a := *m.words(fields[1])[0]
		if len(fields) > 2 {
			off, _ := strconv.Atoi(strings.TrimPrefix(fields[2], "#"))
			a += uint32(off)
		}
		for k, f := range m.words(fields[0]) {
			if strings.HasPrefix(name, "vstr") {
				m.store(a+4*uint32(k), *f)
			} else {
				*f = m.load(a + 4*uint32(k))
			}
		}
	case strings.HasPrefix(name, "vmov") && len(words)%2 == 0 && !strings.Contains(operands, "#"):
		half := len(words) / 2
		for k := range half {
			*words[k] = *words[half+k]
		}
	case name == "vlstm", name == "vlldm":
		for n := range m.float {
			m.float[n] = m.meaningless()
		}
	default:
		for _, f := range m.words(fields[0]) {
			*f = m.meaningless()
		}
	}
	return true
}

// words are the words of a register by its name: r4, lr, s16, d8.
func (m *machine) words(name string) []*uint32 {
	if r, ok := core.LookupReg(name); ok && r < core.PC {
		return []*uint32{&m.reg[r]}
	}
	n, err := strconv.Atoi(name[1:])
	switch {
	case err != nil:
	case name[0] == 's':
		return []*uint32{&m.float[n&31]}
	case name[0] == 'd' && n < 32:
		return []*uint32{&m.float[2*n], &m.float[2*n+1]}
	case name[0] == 'q' && n < 16:
		return []*uint32{&m.float[4*n], &m.float[4*n+1], &m.float[4*n+2], &m.float[4*n+3]}
	}
	return nil
}

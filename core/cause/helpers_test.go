package cause

import (
	"encoding/binary"
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
	"pushmask/core/memmap"
	"pushmask/core/thumb"
)

// The image of the tests: code from codeAt on, constants and variables.
const (
	codeAt  = 0x08001000
	constAt = 0x08004000
	varAt   = 0x20000000
	varEnd  = 0x20000400
	stackAt = 0x20000800 // low end of the main stack
	topAt   = 0x20001000
)

// fakeProgram is an image made by hand.
type fakeProgram struct {
	body    []insn.Inst
	symbols map[string]core.Addr
	places  map[core.Addr]string
	a32     bool
	none    bool // there is no image
}

func (p *fakeProgram) Content(a core.Addr) Content {
	switch {
	case p.none:
		return ContentUnknown
	case a >= codeAt && a < codeAt+0x1000:
		return ContentCode
	case a >= constAt && a < constAt+0x100:
		return ContentConstant
	case a >= varAt && a < varEnd:
		return ContentVariable
	}
	return ContentNone
}

func (p *fakeProgram) Symbol(a core.Addr) string {
	for name, at := range p.symbols {
		if at == a {
			return name
		}
	}
	return ""
}

func (p *fakeProgram) Place(pc core.Addr) string { return p.places[pc] }

func (p *fakeProgram) Lookup(name string) (core.Addr, bool) {
	a, ok := p.symbols[name]
	return a, ok
}

func (p *fakeProgram) Body(core.Addr) []insn.Inst { return p.body }

func (p *fakeProgram) Thumb(core.Addr) bool { return !p.a32 }

// regsOf makes a register set.
func regsOf(values map[core.Reg]uint32) core.Regs {
	var r core.Regs
	for k, v := range values {
		r.Set(k, v)
	}
	return r
}

// halfwords is T32 code in memory.
func halfwords(code ...uint16) []byte {
	var b []byte
	for _, h := range code {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return b
}

// word is a word in memory.
func word(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// crashed is an input of a thread whose registers are those of the faulting
// instruction, which is code at codeAt.
func crashed(regs map[core.Reg]uint32, faults map[exc.FaultReg]uint32, code ...uint16) *Input {
	all := map[core.Reg]uint32{core.PC: codeAt, core.PSR: xpsrT, core.SP: topAt - 0x100, core.MSP: topAt - 0x100}
	for r, v := range regs {
		all[r] = v
	}
	var own, mem memmap.Map
	for r, v := range faults {
		own.AddBytes(r.Addr(), word(v))
	}
	own.AddBytes(varAt, make([]byte, topAt-varAt))
	mem.AddBytes(codeAt, halfwords(code...))
	mem.AddBytes(varAt, make([]byte, topAt-varAt))
	return &Input{
		Thread: core.Thread{ID: 1, Crashed: true, Faulted: true},
		Regs:   regsOf(all), Memory: &mem, Own: &own,
		Program: &fakeProgram{
			symbols: map[string]core.Addr{"__StackLimit": stackAt},
			places:  map[core.Addr]string{codeAt: "main at app.c:120"},
		},
	}
}

// decodeAll decodes T32 code.
func decodeAll(at core.Addr, code ...uint16) []insn.Inst {
	b := halfwords(code...)
	var body []insn.Inst
	for off := 0; off < len(b); {
		i, err := thumb.Decode(b[off:], at+core.Addr(off))
		if err != nil {
			panic(err)
		}
		body = append(body, i)
		off += int(i.Size)
	}
	return body
}

// text writes a cause the way the tables have it: kind, name, sentence.
func text(c *Cause) string { return fmt.Sprintf("%s, %s: %s", c.Kind, c.Name, c.Description) }

package thumb

import (
	"encoding/binary"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

// FuzzDecode checks what holds for any input: no panic, the length rule, a
// text, and that Flow, Defs and the operands agree.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"\x2d\xe9\xb0\x43", "\x86\xb0", "\xdf\xf8\x04\xf0", "\x08\xbf", "\xff\xf7\xfe\xff", "\x2d\xed\x04\x8b", "\xff"} {
		f.Add([]byte(seed), uint32(0x1000))
	}
	f.Fuzz(func(t *testing.T, b []byte, addr uint32) {
		i, err := Decode(b, core.Addr(addr))
		if err != nil {
			if i.Size != 0 {
				t.Fatalf("error %v with size %d", err, i.Size)
			}
			return
		}
		wide := binary.LittleEndian.Uint16(b) >= 0xe800
		if wide != (i.Size == 4) {
			t.Fatalf("%x: size %d", i.Raw, i.Size)
		}
		checkConsistent(t, i)
		for _, cond := range []insn.Cond{insn.AL, insn.NE, insn.CondReg} {
			if text := Text(i, cond); text == "" || strings.ContainsAny(text, "<>") {
				t.Fatalf("%x: text %q", i.Raw, text)
			}
		}
	})
}

func checkConsistent(t *testing.T, i insn.Inst) {
	t.Helper()
	writesPC := i.Defs>>core.PC&1 != 0
	switch i.Flow {
	case insn.FlowNext, insn.FlowTrap, insn.FlowUndef:
		if writesPC {
			t.Fatalf("%x: writes PC with flow %d", i.Raw, i.Flow)
		}
	default:
		if !writesPC {
			t.Fatalf("%x: flow %d does not write PC", i.Raw, i.Flow)
		}
	}
	if i.Writeback && i.Rn != core.NoReg && i.Defs>>i.Rn&1 == 0 {
		t.Fatalf("%x: base is written back but not in Defs", i.Raw)
	}
	switch i.Flow {
	case insn.FlowReg, insn.FlowCallReg, insn.FlowTable:
		if i.Rm == core.NoReg {
			t.Fatalf("%x: flow %d without Rm", i.Raw, i.Flow)
		}
	}
	switch i.Op {
	case insn.OpMove, insn.OpConst, insn.OpMovTop, insn.OpAdd, insn.OpAddReg, insn.OpSubReg, insn.OpRsb, insn.OpAnd, insn.OpOrr,
		insn.OpLsl, insn.OpLsr, insn.OpLoad, insn.OpLoadDual, insn.OpLoadSub, insn.OpMRS:
		if i.Rd == core.NoReg || i.Defs>>i.Rd&1 == 0 {
			t.Fatalf("%x: op %d does not write Rd", i.Raw, i.Op)
		}
	}
}

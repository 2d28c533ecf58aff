package gdbremote

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pushmask/core"
)

const targetXML = `<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd">
<target><architecture>arm</architecture><xi:include href="core.xml"/>
<feature name="org.gnu.gdb.arm.vfp"><reg name="d0" bitsize="64"/><reg name="d16" bitsize="64"/><reg name="fpscr" bitsize="32"/></feature>
<feature name="org.gnu.gdb.arm.m-system"><reg name="msp" bitsize="32"/><reg name="psp" bitsize="32" regnum="90"/></feature></target>`

const coreXML = `<feature name="org.gnu.gdb.arm.m-profile">%s<reg name="xpsr" bitsize="32" regnum="25"/></feature>`

func described() string {
	var regs strings.Builder
	for i := range 16 {
		fmt.Fprintf(&regs, `<reg name="r%d" bitsize="32"/>`, i)
	}
	return fmt.Sprintf(coreXML, regs.String())
}

func TestRegisters(t *testing.T) {
	t.Parallel()
	read := "qXfer:features:read:%s:%x,ffb"
	half := len(targetXML) / 2
	xml := [][]turn{
		greeting("PacketSize=1000;qXfer:features:read+"),
		ask(fmt.Sprintf(read, "target.xml", 0), "m"+targetXML[:half]),
		ask(fmt.Sprintf(read, "target.xml", half), "l"+targetXML[half:]),
		ask(fmt.Sprintf(read, "core.xml", 0), "l"+described()),
	}
	plain := [][]turn{greeting("")}
	tests := []struct {
		name  string
		start [][]turn
		reply string
		want  map[core.Reg]uint32
		not   []core.Reg
	}{
		{"described", xml, words(0, 24), map[core.Reg]uint32{core.R0: 0, core.SP: 13, core.PC: 15, core.PSR: 16, core.S0: 17, core.S0 + 1: 18, core.FPSCR: 21, core.MSP: 22, core.PSP: 23}, []core.Reg{core.S31, core.CONTROL}},
		{"described, short", xml, words(0, 17), map[core.Reg]uint32{core.PSR: 16}, []core.Reg{core.S0, core.MSP}},
		{"unavailable", xml, words(0, 16) + "xxxxxxxx", map[core.Reg]uint32{core.PC: 15}, []core.Reg{core.PSR}},
		{"integers", plain, words(0, 17), map[core.Reg]uint32{core.R0: 0, core.PC: 15, core.PSR: 16}, []core.Reg{core.MSP}},
		{"with FPA", plain, words(0, 42), map[core.Reg]uint32{core.PC: 15, core.PSR: 41}, []core.Reg{core.MSP}},
		{"without PSR", plain, words(0, 16), map[core.Reg]uint32{core.PC: 15}, []core.Reg{core.PSR}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := play(t, quick, append(tt.start, ask("g", tt.reply))...)
			regs, err := c.Registers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for r, want := range tt.want {
				if got, ok := regs.Get(r); got != want || !ok {
					t.Errorf("%v = %d, %v, want %d", r, got, ok, want)
				}
			}
			for _, r := range tt.not {
				if regs.Has(r) {
					t.Errorf("%v is known", r)
				}
			}
		})
	}
}

// TestHostileDescription has stubs that describe themselves without end.
func TestHostileDescription(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<xi:include href="target.xml"/>`,
		`<reg name="r0" bitsize="0"/>`,
		`<reg name="r0" bitsize="9999999999"/>`,
		`<reg name="r0" bitsize="32" regnum="-1"/>`,
		strings.Repeat(`<reg name="r0" bitsize="32"/>`, maxRegisters+1),
		`<target>`, `<<`,
	} {
		d := description{fetch: func(string) (string, error) { return "<target>" + text + "</target>", nil }}
		if err := d.read("target.xml"); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

func FuzzDescription(f *testing.F) {
	f.Add(describe(integers + " msp psp primask/8 org.gnu.gdb.arm.vfp fpscr@33 d0..d15/64@48"))
	f.Add(describe("org.gnu.gdb.arm.core r0..r12 sp lr pc cpsr@25 sp_irq lr_irq spsr_irq"))
	f.Add(`<target><xi:include href="a"/><reg name="r0" bitsize="32" regnum="4"/><reg name="r1" bitsize="1" regnum="4"/></target>`)
	f.Fuzz(func(t *testing.T, text string) {
		d := description{fetch: func(string) (string, error) { return text, nil }}
		if d.read("target.xml") != nil {
			return
		}
		l := d.layout()
		end := 0
		for i, s := range l.slots {
			if s.offset != end || s.size <= 0 || i > 0 && l.slots[i-1].number >= s.number {
				t.Fatalf("slot %d: %+v", i, s)
			}
			end += s.size
			var regs core.Regs
			if err := s.store(&regs, strings.Repeat("00", s.size)); err != nil {
				t.Fatalf("slot %d: %v", i, err)
			}
		}
	})
}

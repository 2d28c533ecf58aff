package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pushmask/core"
)

func TestExchange(t *testing.T) {
	t.Parallel()
	const q = "qC"
	tests := []struct {
		name   string
		script []turn
		want   string
		err    error
	}{
		{name: "plain", script: ask(q, "QC1"), want: "QC1"},
		{name: "acknowledgement lost", script: []turn{{pkt(q), pkt("QC1")}, {"+", ""}}, want: "QC1"},
		{name: "asked to repeat", script: []turn{{pkt(q), "-"}, {pkt(q), "+" + pkt("QC1")}, {"+", ""}}, want: "QC1"},
		{name: "request lost", script: []turn{{pkt(q), ""}, {pkt(q), "+" + pkt("QC1")}, {"+", ""}}, want: "QC1"},
		{name: "never acknowledged", script: []turn{{pkt(q) + pkt(q) + pkt(q), ""}, {hold, ""}}, err: ErrNoAck},
		{name: "damaged answer", script: []turn{{pkt(q), "+$QC2#00"}, {"-", pkt("QC1")}, {"+", ""}}, want: "QC1"},
		{name: "always damaged", script: []turn{{pkt(q), "+$QC2#00"}, {"-", "$QC2#00"}, {"-", "$QC2#00"}, {"-", "$QC2#00"}}, err: ErrChecksum},
		{name: "notification before", script: []turn{{pkt(q), "+%Stop:T05#99" + pkt("QC1")}, {"+", ""}}, want: "QC1"},
		{name: "garbage before", script: []turn{{pkt(q), "noise\r\n+\x00" + pkt("QC1")}, {"+", ""}}, want: "QC1"},
		{name: "dropped", script: []turn{{pkt(q), "+"}}, err: ErrClosed},
		{name: "dropped in the middle of a packet", script: []turn{{pkt(q), "+$QC"}}, err: ErrClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := play(t, quick, greeting(""), tt.script)
			got, err := c.Exchange(t.Context(), q)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Fatalf("got %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
			if err == nil {
				return
			}
			if pe, ok := errors.AsType[*PacketError](err); !ok || pe.Packet != q {
				t.Errorf("error %v does not name the packet", err)
			}
			if _, again := c.Exchange(t.Context(), q); !errors.Is(again, tt.err) {
				t.Errorf("the exchange after a failure: %v", again)
			}
		})
	}
}

// TestSilence has a stub that acknowledges and says nothing more.
func TestSilence(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting(""), []turn{{pkt("qC"), "+"}, {hold, ""}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Exchange(ctx, "qC"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestNoAckMode(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting("PacketSize=40;QStartNoAckMode+"), ask("QStartNoAckMode", "OK"),
		[]turn{{pkt("qC"), pkt("QC1")}, {pkt("qC"), "$QC1#00"}})
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := c.Exchange(t.Context(), "qC"); !errors.Is(err, ErrChecksum) {
		t.Errorf("damaged answer without acknowledgements: %v", err)
	}
}

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

func TestBreakpoints(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting(""), ask("Z0,8000100,2", "OK"), ask("z0,8000100,2", "OK"),
		ask("Z1,8000100,3", ""), ask("Z0,0,2", "E.no flash breakpoints"), ask("Z0,0,2", "what"), ask("D", "OK"))
	ctx := t.Context()
	if err := errors.Join(
		c.InsertBreakpoint(ctx, SoftwareBreakpoint, 0x8000100, 2),
		c.RemoveBreakpoint(ctx, SoftwareBreakpoint, 0x8000100, 2),
	); err != nil {
		t.Error(err)
	}
	if err := c.InsertBreakpoint(ctx, HardwareBreakpoint, 0x8000100, 3); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	for _, want := range []error{ErrRefused, ErrMalformed} {
		if err := c.InsertBreakpoint(ctx, SoftwareBreakpoint, 0, 2); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if err := c.Detach(ctx); err != nil {
		t.Error(err)
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting(""), []turn{{pkt("k"), ""}})
	if err := c.Kill(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Exchange(t.Context(), "qC"); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

package gdbremote

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// regs is a set of registers.
func regs(pairs map[core.Reg]uint32) core.Regs {
	var g core.Regs
	for r, v := range pairs {
		g.Set(r, v)
	}
	return g
}

var compareRegs = cmp.AllowUnexported(core.Regs{})

func TestParseStop(t *testing.T) {
	t.Parallel()
	described := &layout{known: true, slots: []slot{newSlot("pc", 15, 0, 4), newSlot("xpsr", 25, 4, 4), newSlot("d0", 40, 8, 8)}}
	tests := []struct {
		name, reply string
		layout      *layout
		want        Stop
	}{
		{"S", "S05", nil, Stop{Kind: StopSignal, Code: 5}},
		{"T without pairs", "T02", nil, Stop{Kind: StopSignal, Code: 2}},
		{"swbreak", "T05thread:p01.0a;swbreak:;core:0;", nil, Stop{Kind: StopSignal, Code: 5, Thread: "p1.a", Reason: ReasonSoftwareBreakpoint}},
		{"hwbreak", "T05hwbreak:;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonHardwareBreakpoint}},
		{"watch, as QEMU", "T05thread:p01.01;watch:20000000;", nil, Stop{Kind: StopSignal, Code: 5, Thread: "p1.1", Reason: ReasonWatch, Address: 0x20000000}},
		{"rwatch, as OpenOCD", "T05rwatch:20000010;thread:20001234;", nil, Stop{Kind: StopSignal, Code: 5, Thread: "20001234", Reason: ReasonReadWatch, Address: 0x20000010}},
		{"awatch, 64 bits", "T05awatch:0000000020000000;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonAccessWatch, Address: 0x20000000}},
		{"watch without an address", "T05watch:;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonOther}},
		{"watch beyond 32 bits", "T05watch:100000000;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonOther}},
		{"library", "T05library:;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonLibrary}},
		{"fork", "T05fork:p2.2;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonFork}},
		{"syscall", "T05syscall_entry:4;", nil, Stop{Kind: StopSignal, Code: 5, Reason: ReasonOther}},
		{"registers, as pyOCD", "T0507:00000000;0d:00ff0020;0e:01010008;0f:10010008;thread:1;", &layout{}, Stop{
			Kind: StopSignal, Code: 5, Thread: "1",
			Registers: regs(map[core.Reg]uint32{core.R7: 0, core.SP: 0x2000ff00, core.LR: 0x08000101, core.PC: 0x08000110}),
		}},
		{"registers by the description", "T050f:10010008;19:00000061;28:0100000002000000;d:00000000;", described, Stop{
			Kind: StopSignal, Code: 5,
			Registers: regs(map[core.Reg]uint32{core.PC: 0x08000110, core.PSR: 0x61000000, core.S0: 1, core.S0 + 1: 2}),
		}},
		{"registers that are none", "T050f:1001;19:zz;0d:xxxxxxxx;ffff:00000000;10000:00;", &layout{}, Stop{Kind: StopSignal, Code: 5}},
		{"registers of an unknown process", "T050f:10010008;", nil, Stop{Kind: StopSignal, Code: 5}},
		{"a thread that is none", "T05thread:zz;", nil, Stop{Kind: StopSignal, Code: 5}},
		{"exited", "W03", nil, Stop{Kind: StopExited, Code: 3}},
		{"exited, with a process", "W00;process:1", nil, Stop{Kind: StopExited}},
		{"terminated", "X1D", nil, Stop{Kind: StopTerminated, Code: 29}},
		{"thread exited", "w7;p1.2", nil, Stop{Kind: StopThreadExited, Code: 7, Thread: "p1.2"}},
		{"no threads", "N", nil, Stop{Kind: StopNoThreads}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseStop("?", tt.reply, func(string) *layout { return tt.layout })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, compareRegs); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMalformedStop(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]error{
		"": ErrUnsupported, "E01": ErrRefused, "E.no target": ErrRefused, "OK": ErrMalformed, "T": ErrMalformed, "T0": ErrMalformed,
		"Tzz": ErrMalformed, "Q05": ErrMalformed, "w": ErrMalformed, "w1": ErrMalformed, "w1;": ErrMalformed, "wz;1": ErrMalformed, "W": ErrMalformed,
	} {
		if got, err := parseStop("?", reply, func(string) *layout { return nil }); !errors.Is(err, want) || err == nil {
			t.Errorf("%q: %+v, %v, want %v", reply, got, err, want)
		}
	}
}

func FuzzStop(f *testing.F) {
	for _, s := range []string{"S05", "T05thread:p01.01;watch:20000000;", "T0507:00000000;0d:00ff0020;28:0100000002000000;", "w7;p1.2", "N", "X1D"} {
		f.Add(s)
	}
	l := &layout{known: true, slots: []slot{newSlot("pc", 15, 0, 4), newSlot("d0", 40, 4, 8), newSlot("sp_irq", 41, 12, 4)}}
	f.Fuzz(func(t *testing.T, reply string) {
		s, err := parseStop("?", reply, func(string) *layout { return l })
		kinds := []StopKind{StopSignal, StopExited, StopTerminated, StopThreadExited, StopNoThreads}
		if err == nil && !slices.Contains(kinds, s.Kind) {
			t.Errorf("kind %q", s.Kind)
		}
		if id, ok := threadID(s.Thread); s.Thread != "" && (!ok || id != s.Thread) {
			t.Errorf("thread %q", s.Thread)
		}
	})
}

func TestThreadID(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"1": "1", "0001": "1", "0": "0", "00": "0", "-1": "-1", "20001A34": "20001a34", "p01.01": "p1.1", "p2": "p2",
		"p-1": "p-1", "p1.-1": "p1.-1", "p0.0": "p0.0",
		"": "", "p": "", ".": "", "p.1": "", "p1.": "", "1.2": "", "x": "", "-2": "", "p1.2.3": "", "1 ": "", strings.Repeat("0", 64): "",
	} {
		if got, ok := threadID(s); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", s, got, ok, want)
		}
	}
}

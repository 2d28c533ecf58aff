package gdbremote

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

const integers = "org.gnu.gdb.arm.m-profile r0..r12 sp lr pc xpsr"

// server is how a stub has its registers.
type server struct {
	name     string
	describe string // see describe; "" for none
	general  string // digits of "g"
	numbered map[string]string
	wanted   []core.Reg
	want     map[core.Reg]uint32
	not      []core.Reg
	packets  []string // that Registers sends
}

// value is the answer of words for the i-th register.
func value(i int) string { return words(i, 1) }

var servers = []server{
	{
		name:     "OpenOCD",
		describe: integers + " org.gnu.gdb.arm.m-system msp psp primask/1 basepri/8 faultmask/1 control/3 org.gnu.gdb.arm.vfp d0..d15/64 fpscr",
		general:  words(0, 17),
		numbered: map[string]string{"p11": value(100), "p12": value(101), "p16": "02", "p13": "01"},
		wanted:   []core.Reg{core.PC, core.MSP, core.PSP, core.CONTROL, core.PRIMASK},
		want:     map[core.Reg]uint32{core.PC: 15, core.PSR: 16, core.MSP: 100, core.PSP: 101, core.CONTROL: 2, core.PRIMASK: 1},
		not:      []core.Reg{core.FPSCR, core.S0, core.BASEPRI},
		packets:  []string{"g", "p11", "p12", "p16", "p13"},
	},
	{
		name: "OpenOCD, secure",
		describe: integers + ` org.gnu.gdb.arm.m-system msp psp primask/1 basepri/8 faultmask/1 control/3 msplim psplim
			org.gnu.gdb.arm.secext msp_ns psp_ns msp_s psp_s msplim_s psplim_s msplim_ns psplim_ns primask_s/1 control_s/3`,
		general:  words(0, 17),
		numbered: map[string]string{"p17": value(7), "p19": value(8), "p1b": value(9)},
		wanted:   []core.Reg{core.MSPLIM, core.MSPNS, core.MSPS},
		want:     map[core.Reg]uint32{core.MSPLIM: 7, core.MSPNS: 8, core.MSPS: 9},
		packets:  []string{"g", "p17", "p19", "p1b"},
	},
	{
		name: "pyOCD",
		describe: integers + ` org.gnu.gdb.arm.m-system msp@17 psp@18 control@19 primask@20 basepri@21 faultmask@22
			org.gnu.gdb.arm.vfp fpscr@33 d0..d15/64@48`,
		general: words(0, 24+32),
		want: map[core.Reg]uint32{
			core.PSR: 16, core.MSP: 17, core.PSP: 18, core.CONTROL: 19, core.PRIMASK: 20, core.BASEPRI: 21,
			core.FAULTMASK: 22, core.FPSCR: 23, core.S0: 24, core.S31: 55,
		},
		wanted:  []core.Reg{core.MSP, core.PSP},
		packets: []string{"g"},
	},
	{
		name:     "Black Magic Probe",
		describe: integers + " msp psp primask/8 basepri/8 faultmask/8 control/8 org.gnu.gdb.arm.vfp fpscr d0..d15/64",
		general:  words(0, 19) + "01400002" + words(20, 33),
		want: map[core.Reg]uint32{
			core.MSP: 17, core.PSP: 18, core.PRIMASK: 1, core.BASEPRI: 0x40, core.FAULTMASK: 0, core.CONTROL: 2,
			core.FPSCR: 20, core.S0: 21, core.S31: 52,
		},
		wanted:  []core.Reg{core.MSP},
		packets: []string{"g"},
	},
	{
		name: "st-util",
		describe: "org.gnu.gdb.arm.m-profile r0..r12 sp lr pc xpsr@25 msp psp control/8 faultmask/8 basepri/8 primask/8" +
			" s0..s31@32 fpscr",
		general:  words(0, 16),
		numbered: map[string]string{"p19": value(3), "p1a": value(4), "p1c": value(2), "p21": value(5), "p40": value(6)},
		wanted:   []core.Reg{core.PSR, core.MSP, core.CONTROL, core.S0 + 1, core.FPSCR},
		want:     map[core.Reg]uint32{core.PC: 15, core.PSR: 3, core.MSP: 4, core.CONTROL: 2, core.S0 + 1: 5, core.FPSCR: 6},
		packets:  []string{"g", "p19", "p1a", "p1c", "p21", "p40"},
	},
	{
		name: "J-Link",
		describe: "org.gnu.gdb.arm.m-profile r0..r12 sp lr pc xpsr@25 org.gnu.gdb.arm.m-system msp@26 psp@27 primask@28" +
			" basepri@29 faultmask@30 control@31 org.gnu.gdb.arm.m-float fpscr@32 s0..s31@33",
		general:  words(0, 17),
		numbered: map[string]string{"p1a": value(9), "p1f": value(3), "p40": value(8)},
		wanted:   []core.Reg{core.MSP, core.CONTROL, core.S31},
		want:     map[core.Reg]uint32{core.PSR: 16, core.MSP: 9, core.CONTROL: 3, core.S31: 8},
		packets:  []string{"g", "p1a", "p1f", "p40"},
	},
	{
		name:     "probe-rs",
		describe: "org.gnu.gdb.arm.m-profile R0..R12 SP LR PC XPSR org.gnu.gdb.arm.m-system MSP PSP org.gnu.gdb.arm.vfp d0..d15/64 FPSCR",
		general:  words(0, 17),
		numbered: map[string]string{"p11": value(1), "p12": value(2), "p13": words(3, 2), "p23": value(5)},
		wanted:   []core.Reg{core.MSP, core.PSP, core.S0, core.S0 + 1, core.FPSCR},
		want:     map[core.Reg]uint32{core.SP: 13, core.PSR: 16, core.MSP: 1, core.PSP: 2, core.S0: 3, core.S0 + 1: 4, core.FPSCR: 5},
		packets:  []string{"g", "p11", "p12", "p13", "p23"},
	},
	{
		name:     "OpenOCD, A-profile",
		describe: "org.gnu.gdb.arm.core r0..r12 sp lr pc cpsr@25 net.sourceforge.openocd.banked sp_usr@26 lr_usr r8_fiq@28 sp_irq@33 lr_irq spsr_irq",
		general:  words(0, 23),
		want:     map[core.Reg]uint32{core.PSR: 16},
		packets:  []string{"g"},
	},
	{
		name: "without a description, r0 to pc", general: words(0, 16),
		numbered: map[string]string{"p19": value(77)},
		wanted:   []core.Reg{core.PSR, core.MSP},
		want:     map[core.Reg]uint32{core.PC: 15, core.PSR: 77},
		packets:  []string{"g", "p19"},
	},
	{
		name: "without a description, a word for each number", general: words(0, 26),
		want: map[core.Reg]uint32{core.PC: 15, core.PSR: 25}, not: []core.Reg{core.MSP}, packets: []string{"g"},
	},
	{
		name: "without a description, FPA", general: words(0, 42),
		want: map[core.Reg]uint32{core.PC: 15, core.PSR: 41}, packets: []string{"g"},
	},
	{
		name: "without a description, stack pointers", general: words(0, 19),
		want: map[core.Reg]uint32{core.PSR: 16, core.MSP: 17, core.PSP: 18}, packets: []string{"g"},
	},
	{
		name: "without a description, VFP", general: words(0, 17+33),
		want: map[core.Reg]uint32{core.PSR: 16, core.S0: 17, core.S31: 48, core.FPSCR: 49}, packets: []string{"g"},
	},
	{
		name: "without a description, a length that nobody has", general: words(0, 31),
		want: map[core.Reg]uint32{core.PC: 15}, not: []core.Reg{core.PSR}, packets: []string{"g"},
	},
	{
		name:     "not available",
		describe: integers + " org.gnu.gdb.arm.m-system msp psp",
		general:  words(0, 15) + "xxxxxxxx" + words(16, 1),
		numbered: map[string]string{"pf": "xxxxxxxx", "p11": "E01", "p12": "xxxxxxxx"},
		wanted:   []core.Reg{core.PC, core.MSP, core.PSP},
		want:     map[core.Reg]uint32{core.LR: 14, core.PSR: 16},
		not:      []core.Reg{core.PC, core.MSP, core.PSP},
		packets:  []string{"g", "pf", "p11", "p12"},
	},
}

// stub answers as the server does.
func (s *server) stub(request string) string {
	if s.describe != "" {
		if text := document(request, "features", "target.xml", describe(s.describe)); text != "" {
			return text
		}
		if strings.HasPrefix(request, "qSupported") {
			return "PacketSize=3fff;qXfer:features:read+"
		}
	}
	if request == "g" {
		return s.general
	}
	return s.numbered[request]
}

// TestServers reads the registers of every server as it has them.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c, seen := answering(t, quick, s.stub)
			regs, err := c.Registers(t.Context(), s.wanted...)
			if err != nil {
				t.Fatal(err)
			}
			for r, want := range s.want {
				if got, ok := regs.Get(r); got != want || !ok {
					t.Errorf("%v = %d, %v, want %d", r, got, ok, want)
				}
			}
			for _, r := range s.not {
				if regs.Has(r) {
					t.Errorf("%v is known", r)
				}
			}
			if diff := cmp.Diff(s.packets, seen.take()); diff != "" {
				t.Errorf("packets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBankedRegisters has those of other modes.
func TestBankedRegisters(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(servers, func(s server) bool { return s.name == "OpenOCD, A-profile" })
	c, _ := answering(t, quick, servers[i].stub)
	if p, ok := c.Profile(); p != core.ProfileA || !ok {
		t.Errorf("profile %v, %v", p, ok)
	}
	regs, err := c.Registers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode core.Mode
		reg  core.BankedReg
		want uint32
	}{{core.ModeSystem, core.BankedSP, 17}, {core.ModeSystem, core.BankedLR, 18}, {core.ModeIRQ, core.BankedSP, 20}, {core.ModeIRQ, core.BankedLR, 21}, {core.ModeIRQ, core.BankedSPSR, 22}} {
		if got, ok := regs.Banked(tt.mode, tt.reg); got != tt.want || !ok {
			t.Errorf("%s = %d, %v, want %d", core.BankedName(tt.mode, tt.reg), got, ok, tt.want)
		}
	}
}

// TestRefusedRegisters asks for what the stub refuses once in a session.
func TestRefusedRegisters(t *testing.T) {
	t.Parallel()
	s := server{describe: integers + " org.gnu.gdb.arm.m-system msp psp", general: words(0, 17), numbered: map[string]string{"p11": "E01", "p12": "zz"}}
	c, seen := answering(t, quick, s.stub)
	for range 2 {
		if _, err := c.Registers(t.Context(), core.MSP); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"g", "p11", "g"}, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	if _, err := c.Registers(t.Context(), core.PSP); !errors.Is(err, ErrMalformed) {
		t.Errorf("garbage: %v", err)
	}
	s.numbered = nil
	for range 2 {
		if _, err := c.Registers(t.Context(), core.PSP); err != nil {
			t.Errorf("a stub without p: %v", err)
		}
	}
}

// TestWriteRegister writes by number, and all of them where there are no
// numbers.
func TestWriteRegister(t *testing.T) {
	t.Parallel()
	described := server{
		describe: integers + " org.gnu.gdb.arm.m-system msp control/8 org.gnu.gdb.arm.vfp d0..d15/64", general: words(0, 17),
		numbered: map[string]string{"p13": "1122334455667788"},
	}
	plain := server{general: words(0, 16)}
	tests := []struct {
		name    string
		server  server
		replies map[string]string
		reg     core.Reg
		want    []string
		err     error
	}{
		{name: "core", server: described, replies: map[string]string{"Pd=efbeadde": "OK"}, reg: core.SP, want: []string{"Pd=efbeadde"}},
		{name: "byte", server: described, replies: map[string]string{"P12=ef": "OK"}, reg: core.CONTROL, want: []string{"P12=ef"}},
		{
			name: "upper half", server: described, replies: map[string]string{"P13=11223344efbeadde": "OK"}, reg: core.S0 + 1,
			want: []string{"p13", "P13=11223344efbeadde"},
		},
		{
			name: "lower half", server: described, replies: map[string]string{"P13=efbeadde55667788": "OK"}, reg: core.S0,
			want: []string{"p13", "P13=efbeadde55667788"},
		},
		{name: "refused", server: described, replies: map[string]string{"P11=efbeadde": "E.no"}, reg: core.MSP, want: []string{"P11=efbeadde"}, err: ErrRefused},
		{name: "not there", server: described, reg: core.PSP, err: ErrUnsupported},
		{
			name: "all", server: plain, replies: map[string]string{"G" + words(0, 3) + "efbeadde" + words(4, 12): "OK"}, reg: core.R3,
			want: []string{"g", "G" + words(0, 3) + "efbeadde" + words(4, 12)},
		},
		{
			name: "numbers without P", server: described, replies: map[string]string{"Gefbeadde" + words(1, 16): "OK"}, reg: core.R0,
			want: []string{"P0=efbeadde", "g", "Gefbeadde" + words(1, 16)},
		},
		{name: "beyond all", server: plain, reg: core.PSR, want: []string{"g"}, err: ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, seen := answering(t, quick, func(request string) string {
				if r, ok := tt.replies[request]; ok {
					return r
				}
				return tt.server.stub(request)
			})
			err := c.WriteRegister(t.Context(), "", tt.reg, 0xdeadbeef)
			if !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, seen.take()); diff != "" {
				t.Errorf("packets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSelection sends H when the thread changes and at no other time.
func TestSelection(t *testing.T) {
	t.Parallel()
	c, seen := answering(t, quick, table(map[string]string{
		"qSupported": "multiprocess+", "?": "T05thread:p01.01;", "Hgp1.2": "OK", "Hgp1.1": "OK", "g": words(0, 17), "vCont?": "",
		"s": "T05thread:p1.2;", "Hg9": "E01",
	}))
	ctx := t.Context()
	read := func(thread string) {
		if _, err := c.RegistersOf(ctx, thread); err != nil {
			t.Error(err)
		}
	}
	read("") // before anything is known of threads
	if _, err := c.Halted(ctx); err != nil {
		t.Error(err)
	}
	read("")
	read("p1.1")
	read("p1.2")
	read("p1.2")
	read("")
	if _, err := c.Step(ctx); err != nil {
		t.Error(err)
	}
	read("p01.02")
	want := []string{"g", "?", "g", "g", "Hgp1.2", "g", "g", "Hgp1.1", "g", "vCont?", "s", "g"}
	if diff := cmp.Diff(want, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	if _, err := c.RegistersOf(ctx, "9"); !errors.Is(err, ErrRefused) {
		t.Errorf("a thread that is not there: %v", err)
	}
	for _, thread := range []string{"x", "p", "1.2", "p1.", "p1.2.3", strings.Repeat("1", 99), "1;c"} {
		if _, err := c.RegistersOf(ctx, thread); !errors.Is(err, ErrMalformed) {
			t.Errorf("thread %q: %v", thread, err)
		}
	}
}

// TestProcesses has cores that differ in their registers, as QEMU's
// mps2-an521 has them.
func TestProcesses(t *testing.T) {
	t.Parallel()
	process := "1"
	c, seen := answering(t, quick, func(request string) string {
		switch request {
		case "vAttach;2":
			process = "2"
			return "T05thread:p02.02;0d:78563412;"
		case "Hgp1.1", "Hgp2.2":
			process = request[3:4]
			return "OK"
		case "?":
			return "T05thread:p01.01;"
		case "g":
			return map[string]string{"1": words(0, 17), "2": words(0, 16)}[process]
		case "D;1", "D;2":
			return "OK"
		}
		words := integers
		if process == "2" {
			words = "org.gnu.gdb.arm.m-profile r1..r12 sp lr pc xpsr"
		}
		if strings.HasPrefix(request, "qSupported") {
			return "multiprocess+;PacketSize=3fff;qXfer:features:read+"
		}
		return document(request, "features", "target.xml", describe(words))
	})
	ctx := t.Context()
	if _, err := c.Halted(ctx); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Attach(ctx, 2); s.Thread != "p2.2" || err != nil {
		t.Fatalf("attach: %+v, %v", s, err)
	}
	second, err := c.Registers(ctx)
	if err != nil || second.Has(core.R0) || second.Value(core.PC) != 14 {
		t.Errorf("second: %v, PC %d", err, second.Value(core.PC))
	}
	first, err := c.RegistersOf(ctx, "p1.1")
	if err != nil || !first.Has(core.R0) || first.Value(core.PC) != 15 {
		t.Errorf("first: %v, PC %d", err, first.Value(core.PC))
	}
	seen.take()
	if err := c.Detach(ctx); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"D;1", "D;2"}, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
}

// TestOtherProcess reads the layout of a process that a thread names first.
func TestOtherProcess(t *testing.T) {
	t.Parallel()
	c, seen := answering(t, quick, func(request string) string {
		s := server{describe: integers, general: words(0, 17), numbered: map[string]string{"?": "T05thread:p1.1;", "Hgp2.2": "OK"}}
		return s.stub(request)
	})
	ctx := t.Context()
	if _, err := c.Halted(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if regs, err := c.RegistersOf(ctx, "p2.2"); err != nil || regs.Value(core.PSR) != 16 {
			t.Errorf("%v", err)
		}
	}
	want := []string{"?", "Hgp2.2", fmt.Sprintf("qXfer:features:read:target.xml:0,%x", 0x3fff-5), "g", "g"}
	if diff := cmp.Diff(want, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
}

func TestMalformedRegisters(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{words(0, 15), words(0, 16) + "0", strings.Repeat("zz", 64)} {
		c := play(t, quick, greeting(""), ask("g", reply))
		if _, err := c.Registers(t.Context()); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.20q...: %v", reply, err)
		}
	}
}

// words returns n little-endian words from first on, as digits.
func words(first, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(hex.EncodeToString([]byte{byte(first + i), 0, 0, 0}))
	}
	return b.String()
}

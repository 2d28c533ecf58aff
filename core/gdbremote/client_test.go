package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestContinue(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	opt := quick
	opt.Console = func(b []byte) { out.Write(b) }
	c := play(t, opt, greeting(""), ask("vCont?", ""),
		[]turn{{pkt("c"), "+" + pkt("O68690a")}, {"+", pkt("T05thread:p1.2;swbreak:;")}, {"+", ""}},
		ask("s", "S05"), ask("c", "W03"), ask("c", "?"), ask("c", "E01"), ask("?", ""))
	ctx := t.Context()
	got, err := c.Continue(ctx)
	want := Stop{Kind: StopSignal, Code: 5, Thread: "p1.2", Reason: ReasonSoftwareBreakpoint}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(core.Regs{})); diff != "" || err != nil || out.String() != "hi\n" {
		t.Errorf("stop (-want +got):\n%s%v, output %q", diff, err, out.String())
	}
	if got, err := c.Step(ctx); got.Kind != StopSignal || got.Code != 5 || err != nil {
		t.Errorf("step: %+v, %v", got, err)
	}
	if got, err := c.Continue(ctx); got.Kind != StopExited || got.Code != 3 || err != nil {
		t.Errorf("exit: %+v, %v", got, err)
	}
	for _, want := range []error{ErrMalformed, ErrRefused} {
		if _, err := c.Continue(ctx); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if _, err := c.Halted(ctx); !errors.Is(err, ErrUnsupported) {
		t.Errorf("?: %v", err)
	}
}

// TestInterrupt cancels a run: the target is interrupted, its stop taken, and
// the connection still in step.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	c := play(t, Options{}, greeting(""), ask("vCont?", ""),
		[]turn{{pkt("c"), "+"}, {"\x03", pkt("T02")}, {"+", ""}}, ask("qC", "QC1"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if got, err := c.Continue(ctx); got.Code != 2 || !got.Interrupted || err != nil {
		t.Errorf("stop %+v, %v", got, err)
	}
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
		t.Errorf("the exchange after it: %q, %v", got, err)
	}
	if _, err := c.Continue(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("context that ended before: %v", err)
	}
}

func TestReadMemory(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting("PacketSize=40"), // 30 bytes a packet
		ask("m20000000,1e", strings.Repeat("ab", 30)), ask("m2000001e,2", "cd"), ask("m2000001f,1", "ef"),
		ask("m0,4", "E01"), ask("m0,2", "E01"), ask("m0,1", "E01"), ask("m8,4", "0102"), ask("ma,2", "E14"), ask("ma,1", "E14"), ask("m0,2", "010203"), ask("m0,2", "zz"),
		ask("mfffffffe,4", "0102"))
	ctx := t.Context()
	p := make([]byte, 32)
	if n, err := c.ReadMemory(ctx, 0x20000000, p); n != 32 || err != nil || p[29] != 0xab || p[30] != 0xcd || p[31] != 0xef {
		t.Errorf("read %d bytes % x, %v", n, p, err)
	}
	for _, tt := range []struct {
		addr, hole core.Addr
		n          int
	}{{0, 0, 0}, {8, 10, 2}} {
		n, err := c.ReadMemory(ctx, tt.addr, p[:4])
		hole, ok := errors.AsType[*core.ReadError](err)
		if n != tt.n || !ok || hole.Addr != tt.hole {
			t.Errorf("read at %v: %d bytes, %v; want %d and a hole at %v", tt.addr, n, err, tt.n, tt.hole)
		}
	}
	for range 2 {
		if _, err := c.ReadMemory(ctx, 0, p[:2]); !errors.Is(err, ErrMalformed) {
			t.Errorf("got %v", err)
		}
	}
	if n, err := c.ReadMemory(ctx, 0xfffffffe, p[:4]); n != 2 || !errors.Is(err, core.ErrNoMemory) {
		t.Errorf("across the top: %d, %v", n, err)
	}
}

const targetXML = `<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd">
<target><architecture>arm</architecture><xi:include href="core.xml"/>
<feature name="org.gnu.gdb.arm.vfp"><reg name="d0" bitsize="64"/><reg name="d16" bitsize="64"/><reg name="fpscr" bitsize="32"/></feature>
<feature name="org.gnu.gdb.arm.m-system"><reg name="msp" bitsize="32"/><reg name="psp" bitsize="32" regnum="90"/></feature></target>`

const coreXML = `<feature name="org.gnu.gdb.arm.m-profile">%s<reg name="xpsr" bitsize="32" regnum="25"/></feature>`

// words returns n little-endian words from first on, as digits.
func words(first, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%02x000000", first+i)
	}
	return b.String()
}

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

func TestMalformedRegisters(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{words(0, 15), words(0, 16) + "0", strings.Repeat("zz", 64)} {
		c := play(t, quick, greeting(""), ask("g", reply))
		if _, err := c.Registers(t.Context()); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.20q...: %v", reply, err)
		}
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

// TestDial is refused by a port that nobody listens on.
func TestDial(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Dial(t.Context(), l.Addr().String(), quick); err == nil {
		t.Error("connected to nobody")
	}
}

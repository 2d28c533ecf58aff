package gdbremote

import (
	"context"
	"errors"
	"testing"
	"time"
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

// TestLateAcknowledgement has a stub that was only slow: it answers twice.
func TestLateAcknowledgement(t *testing.T) {
	t.Parallel()
	opt := Options{AckWait: 50 * time.Millisecond}
	twice := []turn{{pkt("qC") + pkt("qC"), "+" + pkt("QC1")}, {"+", "+" + pkt("QC1")}, {"+", ""}}
	c := play(t, opt, greeting(""), twice, ask("m0,1", "2a"), ask("vCont?", ""),
		[]turn{{pkt("s") + pkt("s"), "+" + pkt("S05")}, {"+", "+" + pkt("S05")}, {"+", ""}}, ask("?", "S02"))
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	p := make([]byte, 1)
	if _, err := c.ReadMemory(t.Context(), 0, p); p[0] != 0x2a || err != nil {
		t.Errorf("the next exchange: %x, %v", p, err)
	}
	if s, err := c.Step(t.Context()); s.Code != 5 || err != nil {
		t.Errorf("step: %+v, %v", s, err)
	}
	if s, err := c.Halted(t.Context()); s.Code != 2 || err != nil {
		t.Errorf("after it: %+v, %v", s, err)
	}
}

// TestStrayStop has a stop that an interrupt crossed, and one that a client
// before did not wait for.
func TestStrayStop(t *testing.T) {
	t.Parallel()
	c := play(t, quick, []turn{{"+", ""}, {pkt(supportedPacket), pkt("T05thread:1;")}, {"+", "+" + pkt("PacketSize=40")}, {"+", ""}},
		[]turn{{pkt("m0,1"), pkt("S02")}, {"+", "+" + pkt("2a")}, {"+", ""}},
		[]turn{{pkt("Z0,0,2"), "+" + pkt("W00;process:1")}, {"+", pkt("OK")}, {"+", ""}}, ask("?", "S05"))
	if got := c.Features().PacketSize; got != 0x40 {
		t.Errorf("packet size %d", got)
	}
	p := make([]byte, 1)
	if n, err := c.ReadMemory(t.Context(), 0, p); n != 1 || p[0] != 0x2a || err != nil {
		t.Errorf("read %x, %v", p, err)
	}
	if err := c.InsertBreakpoint(t.Context(), SoftwareBreakpoint, 0, 2); err != nil {
		t.Error(err)
	}
	if s, err := c.Halted(t.Context()); s.Code != 5 || err != nil {
		t.Errorf("%+v, %v", s, err)
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

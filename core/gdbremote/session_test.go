package gdbremote

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

func TestMonitor(t *testing.T) {
	t.Parallel()
	var console strings.Builder
	opt := quick
	opt.Console = func(b []byte) { console.Write(b) }
	packet := fmt.Sprintf("qRcmd,%x", "reset halt")
	tests := []struct {
		name   string
		script []turn
		want   string
		err    error
	}{
		{"output and OK, as OpenOCD", []turn{{pkt(packet), "+" + pkt("O"+hexText("halted\n"))}, {"+", pkt("O" + hexText("pc: 0\n"))}, {"+", pkt("OK")}, {"+", ""}}, "halted\npc: 0\n", nil},
		{"text for an answer", ask(packet, hexText("done\n")), "done\n", nil},
		{"output before the acknowledgement", []turn{{pkt(packet), pkt("O" + hexText("a"))}, {"+", "+" + pkt("OK")}, {"+", ""}}, "a", nil},
		{"nothing to say", ask(packet, "OK"), "", nil},
		{"unknown command, as Black Magic Probe", ask(packet, ""), "", ErrUnsupported},
		{"failed", ask(packet, "E01"), "", ErrRefused},
		{"garbage", ask(packet, "xyz"), "", ErrMalformed},
		{"output that is none", []turn{{pkt(packet), "+" + pkt("Oxyz")}, {"+", pkt("OK")}, {"+", ""}}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := play(t, opt, greeting(""), tt.script)
			var got strings.Builder
			err := c.Monitor(t.Context(), "reset halt", func(s string) { got.WriteString(s) })
			if got.String() != tt.want || !errors.Is(err, tt.err) || err != nil && tt.err == nil {
				t.Errorf("got %q, %v, want %q, %v", got.String(), err, tt.want, tt.err)
			}
		})
	}
	if console.Len() != 0 {
		t.Errorf("console %q", console.String())
	}
}

func hexText(s string) string { return fmt.Sprintf("%x", s) }

// TestLongCommand takes longer than an exchange may.
func TestLongCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := answering(t, Options{Timeout: defaultAckWait / 4}, func(request string) string {
			if strings.HasPrefix(request, "qRcmd") {
				time.Sleep(defaultAckWait / 2)
				return "OK"
			}
			return ""
		})
		if err := c.Monitor(t.Context(), "flash erase", nil); err != nil {
			t.Error(err)
		}
	})
}

// TestConsole has a stub that prints between an exchange and the next, as
// OpenOCD does with its log.
func TestConsole(t *testing.T) {
	t.Parallel()
	var console strings.Builder
	opt := quick
	opt.Console = func(b []byte) { console.Write(b) }
	c := play(t, opt, greeting(""), []turn{{pkt("m0,1"), "+%oocd_log:hello#00" + pkt("O"+hexText("Info: x\n"))}, {"+", pkt("2a")}, {"+", ""}})
	p := make([]byte, 1)
	if n, err := c.ReadMemory(t.Context(), 0, p); n != 1 || p[0] != 0x2a || err != nil || console.String() != "Info: x\n" {
		t.Errorf("read %x, %v, console %q", p, err, console.String())
	}
}

func TestServerName(t *testing.T) {
	t.Parallel()
	version := fmt.Sprintf("qRcmd,%x", "version")
	for _, tt := range []struct {
		replies map[string]string
		want    string
	}{
		{map[string]string{"qqemu.sstepbits": "ENABLE=1,NOIRQ=2,NOTIMER=4"}, "QEMU"},
		{map[string]string{version: hexText("Open On-Chip Debugger 0.12.0\n")}, "OpenOCD"},
		{map[string]string{version: hexText("Black Magic Probe v2.0.0\n")}, "Black Magic Probe"},
		{map[string]string{version: hexText(strings.Repeat("x", 2*maxGreeting) + "OpenOCD")}, ""},
		{map[string]string{version: "E01"}, ""},
		{nil, ""},
	} {
		c, _ := answering(t, quick, table(tt.replies))
		if got, err := c.ServerName(t.Context()); got != tt.want || err != nil {
			t.Errorf("%v: %q, %v", tt.replies, got, err)
		}
	}
}

// TestBlackMagicProbe attaches to a target after a scan, and has its registers
// only then.
func TestBlackMagicProbe(t *testing.T) {
	t.Parallel()
	attached := false
	c, seen := answering(t, quick, func(request string) string {
		switch {
		case strings.HasPrefix(request, "qSupported"):
			return "PacketSize=400;qXfer:memory-map:read+;qXfer:features:read+"
		case request == "vAttach;1":
			attached = true
			return "T05"
		case request == "?" && !attached:
			return "W00"
		case !attached:
			return "E01"
		case request == "g":
			return words(0, 19)
		}
		return document(request, "features", "target.xml", describe(integers+" msp psp"))
	})
	ctx := t.Context()
	if s, err := c.Halted(ctx); s.Kind != StopExited || err != nil {
		t.Errorf("before: %+v, %v", s, err)
	}
	if _, ok := c.Profile(); ok {
		t.Error("a profile without a target")
	}
	if s, err := c.Attach(ctx, 1); s.Kind != StopSignal || err != nil {
		t.Errorf("attach: %+v, %v", s, err)
	}
	seen.take()
	r, err := c.Registers(ctx, core.MSP)
	if err != nil || r.Value(core.MSP) != 17 {
		t.Errorf("MSP %d, %v", r.Value(core.MSP), err)
	}
	if diff := cmp.Diff([]string{"g"}, seen.take()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
}

// TestRestart has stubs that say nothing to R, and that say OK.
func TestRestart(t *testing.T) {
	t.Parallel()
	opt := quick
	opt.AckWait = 100 * time.Millisecond
	for _, script := range [][][]turn{
		{greeting(""), ask("!", "OK"), {{pkt("R00"), "+"}}, ask("?", "S05")},
		{greeting(""), ask("!", "OK"), ask("R00", "OK"), ask("?", "S05")},
		{greeting("QStartNoAckMode+"), ask("QStartNoAckMode", "OK"), {{pkt("!"), pkt("OK")}, {pkt("R00"), ""}, {pkt("?"), pkt("S05")}}},
	} {
		c := play(t, opt, script...)
		if err := c.Extended(t.Context()); err != nil {
			t.Error(err)
		}
		if s, err := c.Restart(t.Context()); s.Code != 5 || err != nil {
			t.Errorf("%+v, %v", s, err)
		}
	}
	c := play(t, quick, greeting(""), []turn{{pkt("R00"), "+"}})
	if _, err := c.Restart(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed by it: %v", err)
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reply string
		want  Features
	}{
		{"", Features{PacketSize: defaultPacketSize}},
		{"PacketSize=3fff;qXfer:memory-map:read+;qXfer:features:read-;qXfer:threads:read+;vContSupported+", Features{PacketSize: 0x3fff, MemoryMap: true, ThreadList: true}},
		{"PacketSize=1000;multiprocess+;swbreak+;hwbreak+;binary-upload+;vCtrlC+", Features{
			PacketSize: 0x1000, Multiprocess: true, SoftwareReason: true, HardwareReason: true, BinaryRead: true, InterruptPacket: true,
		}},
		{"PacketSize=1", Features{PacketSize: minPacketSize}},
		{"PacketSize=ffffffffffffffffffff", Features{PacketSize: 1 << 20}},
		{"PacketSize=;;+;-;=;PacketSize", Features{PacketSize: defaultPacketSize}},
	}
	for _, tt := range tests {
		c := play(t, quick, greeting(tt.reply))
		if diff := cmp.Diff(tt.want, c.Features()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reply, diff)
		}
	}
}

// TestNoAckRefused goes on with acknowledgements.
func TestNoAckRefused(t *testing.T) {
	t.Parallel()
	c := play(t, quick, greeting("QStartNoAckMode+"), ask("QStartNoAckMode", ""), ask("qC", "QC1"))
	if got, err := c.Exchange(t.Context(), "qC"); got != "QC1" || err != nil || c.Features().NoAck {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPackets(t *testing.T) {
	t.Parallel()
	var log []string
	opt := quick
	opt.Log = func(d Direction, p string) { log = append(log, string(rune(d))+p) }
	c := play(t, opt, greeting(""), []turn{{pkt("qC"), "-"}, {pkt("qC"), "+" + pkt("QC1")}, {"+", ""}})
	if _, err := c.Exchange(t.Context(), "qC"); err != nil {
		t.Error(err)
	}
	if sent, received := c.Packets(); sent != 2 || received != 2 {
		t.Errorf("%d sent, %d received", sent, received)
	}
	if diff := cmp.Diff([]string{">" + supportedPacket, "<", ">qC", "<QC1"}, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

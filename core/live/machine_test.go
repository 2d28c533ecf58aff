package live_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/gdbremote/rsp"
	"pushmask/core/live"
	"pushmask/core/memmap"
)

// stub answers packets by a function and notes those that begin with one of
// the letters of interest.
type stub struct {
	answer func(packet string) string
	seen   []string
}

func (s *stub) machine(t *testing.T, interest string) *live.Machine {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close() })
	go func() {
		defer theirs.Close()
		r := bufio.NewReader(theirs)
		for {
			f, err := rsp.Read(r)
			if err != nil {
				return
			}
			if f.Kind != rsp.PacketStart {
				continue
			}
			packet := string(f.Payload)
			if packet != "" && strings.Contains(interest, packet[:1]) {
				s.seen = append(s.seen, packet)
			}
			if _, err := theirs.Write(append([]byte{rsp.Ack}, rsp.Append(nil, []byte(s.answer(packet)))...)); err != nil {
				return
			}
		}
	}()
	c, err := gdbremote.New(t.Context(), ours, gdbremote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return live.New(c, core.ProfileM)
}

// TestRefusedSoftware falls back to the hardware, whose end is told with how
// many are in use.
func TestRefusedSoftware(t *testing.T) {
	t.Parallel()
	hardware := 0
	s := &stub{answer: func(packet string) string {
		switch {
		case strings.HasPrefix(packet, "Z1") && hardware < 2:
			hardware++
			return "OK"
		case strings.HasPrefix(packet, "Z1"):
			return "E01"
		}
		return ""
	}}
	m := s.machine(t, "Z")
	var err error
	for i := range 3 {
		err = m.Insert(t.Context(), live.Point{Kind: gdbremote.SoftwareBreakpoint, Addr: core.Addr(0x100 + 4*i), Size: 2})
		if i < 2 && err != nil {
			t.Fatal(err)
		}
	}
	limit, ok := errors.AsType[*live.LimitError](err)
	if !ok || limit.Used != 2 || limit.Watch || !live.Refused(err) {
		t.Errorf("the third: %v", err)
	}
	if want := []string{"Z0,100,2", "Z1,100,2", "Z1,104,2", "Z1,108,2"}; !slices.Equal(s.seen, want) {
		t.Errorf("sent %q, want %q", s.seen, want)
	}
}

// TestCache reads a block once, device memory as it is asked for, and nothing
// behind the end of memory or beyond a region.
func TestCache(t *testing.T) {
	t.Parallel()
	s := &stub{answer: func(packet string) string {
		if strings.HasPrefix(packet, "qSupported") {
			return "PacketSize=1000"
		}
		var a, n int
		if _, err := fmt.Sscanf(packet, "m%x,%x", &a, &n); err != nil {
			return ""
		}
		switch {
		case a >= 0x20000180 && a < 0x40000000:
			return "E01"
		case a < 0x20000180 && a+n > 0x20000180:
			n = 0x20000180 - a
		}
		return strings.Repeat("5a", n)
	}}
	m := s.machine(t, "m")
	read := func(a core.Addr, n, want int) {
		t.Helper()
		if got, _ := m.Memory().ReadAt(a, make([]byte, n)); got != want {
			t.Errorf("%d of %d bytes at %v, want %d", got, n, a, want)
		}
	}
	read(0x20000010, 4, 4)
	read(0x200000f0, 16, 16) // from the same block
	read(0x40000004, 4, 4)
	read(0x40000004, 4, 4)   // twice: it may have changed
	read(0x3ffffffc, 8, 0)   // normal memory that is not there; the device is left alone
	read(0x20000170, 32, 16) // to the end of memory
	read(0x20000190, 4, 0)   // known to be none
	if n := len(slices.DeleteFunc(slices.Clone(s.seen), func(p string) bool { return p != "m20000000,100" })); n != 1 {
		t.Errorf("the block was read %d times: %q", n, s.seen)
	}
	if n := len(slices.DeleteFunc(slices.Clone(s.seen), func(p string) bool { return p != "m40000004,4" })); n != 2 {
		t.Errorf("the device was read %d times: %q", n, s.seen)
	}
}

// TestShortRegisters asks for xPSR where "g" ends with PC, as st-util's does.
func TestShortRegisters(t *testing.T) {
	t.Parallel()
	s := &stub{answer: func(packet string) string {
		switch packet {
		case "g":
			return strings.Repeat("01000000", 16)
		case "p19":
			return "00000041"
		}
		return ""
	}}
	m := s.machine(t, "gp")
	for range 2 {
		regs, err := m.Registers(t.Context(), m.Thread())
		if v, ok := regs.Get(core.PSR); err != nil || !ok || v != 0x41000000 {
			t.Errorf("xPSR %#x, %v, %v", v, ok, err)
		}
	}
	if want := []string{"g", "p19"}; !slices.Equal(s.seen, want) {
		t.Errorf("sent %q, want %q", s.seen, want)
	}
}

// TestTrustCode compares the start, the middle and the end of a range, in blocks
// that are read once.
func TestTrustCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		size  uint32
		wrong core.Addr // the byte that differs in the target, 0 for none
		reads int
		ok    bool
	}{
		{0x7e8, 0, 3, true}, {0x7e8, 0x8010, 1, false}, {0x7e8, 0x87f7, 3, false}, {0x7e8, 0x8100, 3, true},
		{1, 0, 1, true}, {1, 0x8010, 1, false}, {0x35, 0x8044, 1, false}, {0, 0, 0, true},
	}
	for _, tt := range tests {
		s := &stub{answer: func(packet string) string {
			var a, n int
			if _, err := fmt.Sscanf(packet, "m%x,%x", &a, &n); err != nil {
				return ""
			}
			b := bytes.Repeat([]byte{0x5a}, n)
			if i := int(tt.wrong) - a; tt.wrong != 0 && i >= 0 && i < n {
				b[i] = 0
			}
			return hex.EncodeToString(b)
		}}
		m := s.machine(t, "m")
		var elf memmap.Map
		elf.AddBytes(0x8010, bytes.Repeat([]byte{0x5a}, int(tt.size)))
		found, _ := m.TrustCode(&elf, []live.Range{{Addr: 0x8010, Size: tt.size}})
		ok := found == live.FoundSame
		blocks := map[string]bool{}
		for _, p := range s.seen {
			blocks[p[:len("m87")]] = true
		}
		if ok != tt.ok || len(blocks) != tt.reads {
			t.Errorf("size %#x, wrong at %v: trusted is %v after %q", tt.size, tt.wrong, ok, s.seen)
		}
	}
}

// TestSecurity reads the stack pointers of both security states where they are of
// interest and the stub has them.
func TestSecurity(t *testing.T) {
	t.Parallel()
	var description strings.Builder
	description.WriteString(`l<target><architecture>arm</architecture><feature name="org.gnu.gdb.arm.m-profile">`)
	for _, name := range strings.Fields("r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc xpsr") {
		fmt.Fprintf(&description, `<reg name=%q bitsize="32"/>`, name)
	}
	description.WriteString(`</feature><feature name="org.gnu.gdb.arm.secext"><reg name="msp_ns" bitsize="32" regnum="30"/>` +
		`<reg name="msp_s" bitsize="32" regnum="31"/></feature></target>`)
	for _, both := range []bool{false, true} {
		s := &stub{answer: func(packet string) string {
			switch {
			case strings.HasPrefix(packet, "qSupported"):
				return "qXfer:features:read+;PacketSize=1000"
			case strings.HasPrefix(packet, "qXfer:features:read:"):
				return description.String()
			case packet == "g":
				return strings.Repeat("00000001", 17)
			case packet == "p1e":
				return "00000028"
			case packet == "p1f":
				return "00000038"
			}
			return ""
		}}
		m := s.machine(t, "p")
		if both {
			m.SetSecurity()
		}
		regs, err := m.Registers(t.Context(), m.Thread())
		if err != nil {
			t.Fatal(err)
		}
		secure, ok := regs.Get(core.MSPS)
		if ns := regs.Value(core.MSPNS); ok != both || both && (secure != 0x38000000 || ns != 0x28000000) || regs.Has(core.PSPNS) {
			t.Errorf("of interest %v: msp_s %#x, %v, msp_ns %#x", both, secure, ok, ns)
		}
		if asked := slices.Contains(s.seen, "p1f"); asked != both {
			t.Errorf("of interest %v: asked %q", both, s.seen)
		}
	}
}

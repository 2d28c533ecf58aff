package chromeec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/dump/crash"
)

// written is what a test writes of a panic; regs are psp, ipsr, msp, r4 to r11
// and EXC_RETURN, in that order.
type written struct {
	arch, version, flags byte
	regs                 [12]uint32
	frame                [8]uint32
	faults               [6]uint32
	room                 int // bytes behind them that other architectures need
}

func words(b []byte, list ...uint32) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (w *written) bytes() []byte {
	b := []byte{w.arch, w.version, w.flags, 0}
	if w.version == 1 {
		b = words(b, w.regs[0], w.regs[1], w.regs[11])
		b = words(b, w.regs[3:11]...)
	} else {
		b = words(b, w.regs[:]...)
	}
	b = words(b, w.frame[:]...)
	b = words(b, w.faults[:]...)
	b = append(b, make([]byte, w.room)...)
	b = words(b, uint32(len(b)+8))
	return append(b, "Pnc!"...)
}

func process() written {
	return written{
		arch: 1, version: 2, flags: 1,
		regs:   [12]uint32{0x20000980, 3, 0x20000f00, 4, 5, 6, 7, 8, 9, 10, 11, 0xfffffffd},
		frame:  [8]uint32{0x100, 0x101, 0x102, 0x103, 0x10c, 0x08000271, 0x0800351a, 0x61000200},
		faults: [6]uint32{0x8200, 0x40000000, 0xe000ed34, 0x70008, 0x40000000, 1},
	}
}

// describe says what was read.
func describe(list []*crash.Crash) string {
	var b strings.Builder
	for _, c := range list {
		th := c.Crashed()
		for r := range core.Reg(core.NumRegs) {
			if v, ok := th.Regs.Get(r); ok {
				fmt.Fprintf(&b, "%v=%x ", r, v)
			}
		}
		fmt.Fprintf(&b, "faulted=%v truncated=%v\n", th.Faulted, c.Truncated)
		for _, p := range c.Memory {
			fmt.Fprintf(&b, "%x=%x ", uint32(p.Addr), binary.LittleEndian.Uint32(p.Data))
		}
		fmt.Fprintf(&b, "\n%s %v %d\n", c.Cause, c.Details, len(c.Warnings))
	}
	return b.String()
}

const saved = "r4=4 r5=5 r6=6 r7=7 r8=8 r9=9 r10=a r11=b "

const faults = "e000ed28=8200 e000ed38=40000000 e000ed34=e000ed34 e000ed24=70008 e000ed2c=40000000 e000ed30=1 \n"

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(w *written)
		before int
		want   string
	}{
		"process": {
			want: "r0=100 r1=101 r2=102 r3=103 " + saved + "r12=10c sp=200009a4 lr=8000271 pc=800351a xpsr=61000200 msp=20000f00 psp=200009a4 faulted=true truncated=false\n" +
				faults + " [exception 3 EXC_RETURN 0xfffffffd (thread mode, PSP, basic frame)] 0\n",
		},
		"handler with FP frame, room for RISC-V": {
			change: func(w *written) { w.regs[11], w.frame[7], w.room = 0xffffffe1, 0x61000010, 28 },
			want: "r0=100 r1=101 r2=102 r3=103 " + saved + "r12=10c sp=20000f68 lr=8000271 pc=800351a xpsr=61000010 msp=20000f68 psp=20000980 faulted=true truncated=false\n" +
				faults + " [exception 3 EXC_RETURN 0xffffffe1 (handler mode, MSP, FP frame)] 0\n",
		},
		"version 1 at the end of RAM": {
			change: func(w *written) { w.version = 1 }, before: 1000,
			want: "r0=100 r1=101 r2=102 r3=103 " + saved + "r12=10c sp=200009a4 lr=8000271 pc=800351a xpsr=61000200 psp=200009a4 faulted=true truncated=false\n" +
				faults + " [exception 3 EXC_RETURN 0xfffffffd (thread mode, PSP, basic frame)] 1\n",
		},
		"no frame": {
			change: func(w *written) { w.flags, w.frame = 0, [8]uint32{} },
			want:   saved + "faulted=false truncated=false\n" + faults + " [exception 3 EXC_RETURN 0xfffffffd (thread mode, PSP, basic frame)] 1\n",
		},
		"registers left out, assertion": {
			change: func(w *written) { clear(w.frame[:5]); w.regs[3] = 0xdead6663 },
			want: strings.Replace(saved, "r4=4", "r4=dead6663", 1) + "sp=200009a4 lr=8000271 pc=800351a xpsr=61000200 msp=20000f00 psp=200009a4 faulted=true truncated=false\n" +
				faults + "software panic: assertion [exception 3 EXC_RETURN 0xfffffffd (thread mode, PSP, basic frame)] 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := process()
			if c.change != nil {
				c.change(&w)
			}
			data := append(make([]byte, c.before), w.bytes()...)
			if !Is(data) {
				t.Fatal("not recognised")
			}
			got, err := Read(data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, describe(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherArchitectures(t *testing.T) {
	t.Parallel()
	for arch, name := range map[byte]string{2: "NDS32", 3: "x86", 4: "RISC-V"} {
		w := process()
		w.arch = arch
		if _, err := Read(w.bytes()); !errors.Is(err, crash.ErrNotARM) || !strings.Contains(err.Error(), name) {
			t.Errorf("architecture %d: %v", arch, err)
		}
	}
}

// TestDamaged cuts the file at both ends and changes every byte of it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	w := process()
	data := w.bytes()
	for i := range data {
		for _, d := range [][]byte{data[:i], data[i:], append(append(append([]byte{}, data[:i]...), data[i]^0xff), data[i+1:]...)} {
			if Is(d) {
				if _, err := Read(d); err != nil && !errors.Is(err, crash.ErrNotARM) {
					t.Errorf("offset %d: %v", i, err)
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	w := process()
	f.Add(w.bytes())
	w.version = 1
	f.Add(w.bytes())
	f.Add([]byte("\x01\x02\x00\x00\x0c\x00\x00\x00Pnc!"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(data)
		if err == nil && len(list) != 1 {
			t.Fatal("no crash and no error")
		}
		for _, c := range list {
			c.Crashed()
		}
	})
}

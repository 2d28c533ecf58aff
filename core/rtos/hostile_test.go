package rtos

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"pushmask/core"
)

// hostileBuilds are the kernels that are damaged.
var hostileBuilds = []struct{ source, flags string }{
	{"freertos.c", "-DCM4F"}, {"freertos.c", "-DV8_MPU"}, {"zephyr.c", "-DEXC_RETURN"}, {"zephyr.c", "-DUSE_SWITCH"},
	{"threadx.c", "-DEXTENSION"}, {"rtx5.c", "-DOLD"}, {"ucos3.c", "-DNO_FPU"}, {"ucos2.c", "-DEXT"}, {"rtthread.c", "-DFPU"},
	{"riot.c", "-DDEVELHELP"}, {"mynewt.c", "-DHARDFLOAT"}, {"nuttx.c", "-DFPU"}, {"chibios.c", "-DLIMIT"}, {"embos.c", "-DNO_FPU"},
}

// hostileMachines builds them, with DWARF and without.
func hostileMachines(t testing.TB) []*machine {
	t.Helper()
	var out []*machine
	for _, b := range hostileBuilds {
		flags := append(append([]string{"-g", b.flags}, cortexM4...), "-DMONITOR", "-DCPUS=1")
		if b.flags == "-DV8_MPU" {
			flags = append(flags, "-DIN_TCB")
		}
		path := compile(t, b.source, flags...)
		out = append(out, open(t, path), open(t, strip(t, path)))
	}
	return out
}

// words lists the words of data that hold something.
func (m *machine) words() []core.Addr {
	var list []core.Addr
	for _, seg := range m.image.Segments() {
		for off := uint32(0); seg.Write && off+4 <= seg.FileSize; off += 4 {
			if v, err := core.ReadU32(m, core.Addr(seg.Addr+off)); err == nil && v != 0 {
				list = append(list, core.Addr(seg.Addr+off))
			}
		}
	}
	return list
}

// survive lists the threads and checks what must hold whatever memory holds.
func survive(t *testing.T, m *machine) {
	t.Helper()
	s := m.system(t, "main_task", m.symbol(t, "main_stack")+256)
	start := time.Now()
	l, err := Threads(s)
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("%v for %d threads", d, len(l.Threads))
	}
	if err == nil && len(l.Threads) == 0 || errors.Is(err, ErrNone) && len(l.Threads) > 0 {
		t.Errorf("%d threads, error %v", len(l.Threads), err)
	}
	for _, th := range l.Threads {
		if pc, ok := th.Regs.Get(core.PC); ok && !s.code(core.Addr(pc)) {
			t.Errorf("thread %q goes on at %#x, which is no code", th.Name, pc)
		}
		if th.Running && !th.Regs.Empty() {
			t.Errorf("thread %q runs and has saved registers", th.Name)
		}
		if th.Stack.HasUsed && th.Stack.Used > uint32(th.Stack.High-th.Stack.Low) {
			t.Errorf("thread %q uses more stack than it has", th.Name)
		}
	}
}

// TestMutations damages the memory of kernels in one to eight words.
func TestMutations(t *testing.T) {
	t.Parallel()
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	r := rand.New(rand.NewPCG(5, 6))
	count := 0
	for _, m := range hostileMachines(t) {
		words := m.words()
		for range rounds {
			clear(m.changed)
			m.size = 0
			for range 1 + r.IntN(8) {
				m.set(words[r.IntN(len(words))], interesting(r, words))
			}
			if r.IntN(8) == 0 {
				m.gone, m.size = words[r.IntN(len(words))], 1+r.Uint32N(256)
			}
			survive(t, m)
			count++
		}
	}
	t.Logf("%d mutations", count)
}

// interesting is a value that a broken list or context may hold: a pointer into
// data, one that is odd or into nowhere, a small number, anything.
func interesting(r *rand.Rand, words []core.Addr) uint32 {
	switch r.IntN(5) {
	case 0:
		return uint32(words[r.IntN(len(words))])
	case 1:
		return uint32(words[r.IntN(len(words))]) + r.Uint32N(4)
	case 2:
		return r.Uint32N(16)
	case 3:
		return 0xffffff00 | r.Uint32N(256)
	}
	return r.Uint32()
}

// FuzzThreads changes words of the data of a kernel: pairs of a word's number
// and its value.
func FuzzThreads(f *testing.F) {
	machines := hostileMachines(f)
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{3, 0, 0, 0, 0, 0})
	f.Add(uint8(4), []byte{9, 0, 0x10, 0, 0, 0x20, 40, 0, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		m := machines[int(which)%len(machines)]
		clear(m.changed)
		words := m.words()
		for ; len(edits) >= 6; edits = edits[6:] {
			m.set(words[int(binary.LittleEndian.Uint16(edits))%len(words)], binary.LittleEndian.Uint32(edits[2:]))
		}
		survive(t, m)
	})
}

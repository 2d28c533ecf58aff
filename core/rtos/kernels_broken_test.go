package rtos

import (
	"strings"
	"testing"

	"pushmask/core"
)

// kernelBroken leads a list from the thread nap to where another is, and says
// what is left.
var kernelBroken = []struct {
	source, flags string
	// link is the structure, and the member that leads to the next thread.
	structure, member string
	control           string // variable that the control block of nap is, or is in
	left              int    // threads that can be read
	lost              string // in a warning
}{
	{"threadx.c", "", "TX_THREAD_STRUCT", "tx_thread_created_next", "nap_tcb", 2, "the ThreadX list of threads is broken at"},
	{"rtx5.c", "", "osRtxThread_s", "delay_next", "rx_tcb", 5, "the RTX list thread.wait_list is broken at"},
	{"ucos3.c", "", "os_tcb", "DbgNextPtr", "nap_tcb", 2, "the uC/OS-III list of tasks is broken at"},
	{"rtthread.c", "", "rt_thread", "list", "nap_tcb", 2, "the RT-Thread list of threads is broken at"},
	{"mynewt.c", "", "os_task", "t_os_task_list", "nap_tcb", 3, "the Mynewt list of tasks is broken at"},
	{"chibios.c", "", "ch_thread", "rqueue.next", "nap_stack", 2, "the registry of ChibiOS is broken at"},
	{"embos.c", "", "OS_TASK_STRUCT", "pNext", "nap_tcb", 3, "the embOS list of tasks is broken at"},
}

// TestKernelsBroken leads lists to memory that holds no thread, and into
// themselves.
func TestKernelsBroken(t *testing.T) {
	t.Parallel()
	for _, b := range kernelBroken {
		t.Run(b.source, func(t *testing.T) {
			t.Parallel()
			path := compile(t, b.source, append(append([]string{"-g"}, cortexM4...), strings.Fields(b.flags)...)...)
			for _, to := range []string{"nowhere", "itself"} {
				m := open(t, path)
				at := m.memberOf(t, b.structure, b.member, b.control)
				if to == "itself" {
					m.set(at, m.linkTo(t, at))
				} else {
					m.set(at, 0xdeadbeec)
				}
				l, err := Threads(m.system(t, "main_task", m.symbol(t, "main_stack")+256))
				if err != nil {
					t.Fatal(err)
				}
				if len(l.Threads) < b.left || !strings.Contains(strings.Join(l.Warnings, "\n"), b.lost) {
					t.Errorf("to %s: %d threads, warnings %q", to, len(l.Threads), l.Warnings)
				}
			}
		})
	}
}

// memberOf returns the address of a member of the structure that a variable is,
// or ends with.
func (m *machine) memberOf(t *testing.T, structure, member, variable string) core.Addr {
	t.Helper()
	st, ok := m.image.Struct(structure)
	f, okMember := st.Member(member)
	if !ok || !okMember {
		t.Fatalf("no %s.%s", structure, member)
	}
	sym := m.image.Lookup(variable)[0]
	return core.Addr(sym.Addr + sym.Size - st.Size + f.Offset)
}

// linkTo returns what leads back to the element that has the member at a: links
// lead to the beginning of the structure or to the member.
func (m *machine) linkTo(t *testing.T, a core.Addr) uint32 {
	t.Helper()
	sym, ok := m.image.SymbolAt(uint32(a))
	if !ok {
		t.Fatal("no symbol")
	}
	for _, back := range []uint32{uint32(a), sym.Addr} {
		var found bool
		for off := range core.Addr(0x4000 / 4) {
			v, err := core.ReadU32(m, 0x20000000+4*off)
			found = found || err == nil && v == back
		}
		if found {
			return back
		}
	}
	t.Fatal("nothing leads to the element")
	return 0
}

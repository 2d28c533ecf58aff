package images

import (
	"fmt"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/elfsym"
)

// handler is the address of an image's HardFault_Handler.
func (m *Image) handler(t *testing.T) core.Addr {
	t.Helper()
	img, err := elfsym.Open(m.Path, elfsym.Options{Bias: uint32(m.Bias)})
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	list := img.Lookup("HardFault_Handler")
	if len(list) != 1 {
		t.Fatalf("%s: %d functions HardFault_Handler", m.Path, len(list))
	}
	a, _ := core.CodeAddr(list[0].Addr)
	return a
}

// crash runs until a handler of faults is entered, and returns the registers.
func crash(t *testing.T, f *Firmware, s Scenario, handlers ...core.Addr) core.Regs {
	t.Helper()
	regs, err := f.StopAt(t, s, handlers...).Registers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return regs
}

// TestScenarios crashes each firmware in each way: the handler of the right
// image sees it.
func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, name := range Cases() {
		f := Build(t, name)
		first, second := f.First.handler(t), f.Second.handler(t)
		secure := strings.HasPrefix(name, "m33-")
		for s := CrashBoot; s <= CrashCallback; s++ {
			t.Run(fmt.Sprintf("%s/%d", name, s), func(t *testing.T) {
				t.Parallel()
				want := second
				// A fault of the non-secure image that it has no handler for is secure.
				if s == CrashBoot || secure && (s == CrashService || s == CrashInterrupt) {
					want = first
				}
				if name == "m0-Os" {
					want = first // which forwards it
				}
				regs := crash(t, f, s, first, second)
				if got := core.Addr(regs.Value(core.PC)); got != want {
					t.Errorf("stopped at %v, want %v; the handlers are %v and %v", got, want, first, second)
				}
			})
		}
	}
}

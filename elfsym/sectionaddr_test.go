package elfsym_test

import (
	"testing"

	"pushmask/elfsym"
)

// TestSectionAddr tells where sections lie, moved ones where they were moved to,
// and nothing of those that are not in memory.
func TestSectionAddr(t *testing.T) {
	t.Parallel()
	const path = "../testdata/firmware/demo/fw.elf"
	linked := make(map[string]uint32)
	for _, bias := range []uint32{0, 0x1000, 0xfffff000} {
		m, err := elfsym.Open(path, elfsym.Options{Bias: bias})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		for _, name := range []string{".text", ".data", ".bss"} {
			addr, ok := m.SectionAddr(name)
			if bias == 0 {
				linked[name] = addr
			}
			if !ok || addr != linked[name]+bias {
				t.Errorf("%s moved by %#x is at %#x, %v; linked at %#x", name, bias, addr, ok, linked[name])
			}
		}
		for _, name := range []string{".debug_info", ".none", ""} {
			if addr, ok := m.SectionAddr(name); ok {
				t.Errorf("%q is at %#x", name, addr)
			}
		}
	}
}

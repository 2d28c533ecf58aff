package dap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/session"
)

func TestListing(t *testing.T) {
	t.Parallel()
	l := newListing("scale", []session.Line{
		{Addr: 0x100, Bytes: []byte{0x10, 0xb5}, Text: "push {r4, lr}", File: "/src/a.c", SrcLine: 7},
		{Addr: 0x102, Bytes: []byte{0x04, 0x46}, Text: "mov r4, r0", File: "/src/a.c", SrcLine: 7},
		{Addr: 0x104, Bytes: []byte{0xdf, 0xed, 0x0c, 0x6a}, Text: "vldr s13, [pc, #48]", File: "/src/a.c", SrcLine: 8},
		{Addr: 0x108, Bytes: []byte{0x10, 0xbd}, Text: "pop {r4, pc}", File: "/src/a.h", SrcLine: 8},
		{Addr: 0x10a, Invalid: true},
		{Addr: 0x10c, Bytes: []byte{0, 0, 0xc8, 0x42}, Text: ".word 0x42c80000", Data: true},
	})
	want := strings.TrimLeft(`
; scale, disassembly of 0x00000100 to 0x0000010c
; /src/a.c:7
0x00000100  10 b5        push {r4, lr}
0x00000102  04 46        mov r4, r0
; a.c:8
0x00000104  df ed 0c 6a  vldr s13, [pc, #48]
; /src/a.h:8
0x00000108  10 bd        pop {r4, pc}
0x0000010a               (not in the dump)
0x0000010c  00 00 c8 42  .word 0x42c80000
`, "\n")
	if diff := cmp.Diff(want, l.text); diff != "" {
		t.Errorf("listing differs (-want +got):\n%s", diff)
	}
	lines := strings.Split(l.text, "\n")
	for _, test := range []struct{ addr, shown core.Addr }{
		{0x100, 0x100}, {0x102, 0x102}, {0x106, 0x104}, {0x10c, 0x10c}, {0x200, 0x10c}, {0x10, 0x100},
	} {
		if line := lines[l.lineOf(test.addr)-1]; !strings.HasPrefix(line, test.shown.String()) {
			t.Errorf("the line of %v is %q, want that of %v", test.addr, line, test.shown)
		}
	}
}

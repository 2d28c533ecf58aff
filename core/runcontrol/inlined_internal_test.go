package runcontrol

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/memmap"
	"pushmask/elfsym"
)

// TestExits finds where code of an inlined call goes on to when it is done.
func TestExits(t *testing.T) {
	t.Parallel()
	const start = 0x100
	tests := []struct {
		name string
		code []uint16
		want []core.Addr
		ok   bool
	}{
		{"loop", []uint16{0x2000, 0x3001, 0x280a, 0xd1fc}, []core.Addr{0x108}, true},                   // movs; adds; cmp; bne .-4
		{"loop left early", []uint16{0x3001, 0xb118, 0x280a, 0xd1fb}, []core.Addr{0x10c, 0x108}, true}, // adds; cbz 0x10c; cmp; bne
		{"call", []uint16{0xf000, 0xf878, 0x3001}, []core.Addr{0x106}, true},                           // bl; adds
		{"trap", []uint16{0x3001, 0xde00}, nil, true},                                                  // adds; udf
		{"guarded branch", []uint16{0xbf08, 0xe001, 0x3001}, []core.Addr{0x108, 0x106}, true},          // it eq; beq 0x108; adds
		{"back", []uint16{0x3001, 0xe7fd}, nil, true},                                                  // adds; b .-2
		{"return", []uint16{0x3001, 0x4770}, nil, false},                                               // adds; bx lr
		{"push", []uint16{0xb510, 0x3001}, nil, false},                                                 // push {r4, lr}
		{"table", []uint16{0xe8df, 0xf000}, nil, false},                                                // tbb [pc, r0]
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var bytes []byte
			for _, h := range tt.code {
				bytes = binary.LittleEndian.AppendUint16(bytes, h)
			}
			m := new(memmap.Map)
			m.AddBytes(start, bytes)
			c := codeReader{memory: m}
			got, _, ok := c.exits([]elfsym.Range{{Lo: start, Hi: start + uint32(len(bytes))}}, true)
			if ok != tt.ok {
				t.Fatalf("known %v, want %v", ok, tt.ok)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

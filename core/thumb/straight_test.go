package thumb

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
)

// TestStraight decodes all halfwords, and many pairs: what is straight does
// nothing that a look for calls must see, and has the size that it says.
func TestStraight(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	straight := 0
	for h := range 1 << 16 {
		for range 64 {
			var b [4]byte
			binary.LittleEndian.PutUint16(b[:], uint16(h))
			binary.LittleEndian.PutUint16(b[2:], uint16(r.Uint32()))
			n := Straight(b[:])
			if n == 0 {
				continue
			}
			straight++
			i, err := Decode(b[:], 0x1000)
			if err != nil || int(i.Size) != n {
				t.Fatalf("% x: size %d, Decode has %d: %v", b, n, i.Size, err)
			}
			if i.Flow == insn.FlowUndef || i.Defs>>core.PC&1 != 0 && n == 4 {
				continue // unallocated, or UNPREDICTABLE with PC as the result
			}
			if i.Flow != insn.FlowNext || i.Op == insn.OpMSR {
				t.Fatalf("% x: straight, but flow %d, op %d", b, i.Flow, i.Op)
			}
		}
	}
	if straight == 0 {
		t.Fatal("nothing is straight")
	}
	if n := Straight([]byte{0, 0, 0}); n != 0 {
		t.Errorf("Straight of 3 bytes: %d", n)
	}
}

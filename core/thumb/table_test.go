package thumb

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core/insn"
)

// TestTables checks what the compiler cannot: every row compiles, has only
// known placeholders, and is reached by some encoding, so that no row before
// it hides it altogether.
func TestTables(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	rows := 0
	for _, table := range tables {
		for k := range table {
			rows++
			e := &table[k]
			checkPlaceholders(t, e)
			if !reached(r, compile(e), e) {
				t.Errorf("%s %q: hidden by rows before it", e.bits, e.text)
			}
		}
	}
	t.Logf("%d encodings", rows)
}

func reached(r *rand.Rand, f *form, e *encoding) bool {
	limit := uint32(0xffffffff)
	if f.size == 2 {
		limit = 0xffff
	}
	for range 20_000 {
		found := forms.find(f.value|r.Uint32()&^f.mask&limit, f.size)
		if found != nil && found.mask == f.mask && found.value == f.value && found.text == e.text {
			return true
		}
	}
	return false
}

func checkPlaceholders(t *testing.T, e *encoding) {
	t.Helper()
	for rest := e.text; ; {
		_, after, found := strings.Cut(rest, "<")
		if !found {
			return
		}
		name, after, found := strings.Cut(after, ">")
		if !found || operand(name) == nil {
			t.Errorf("%s %q: no placeholder <%s>", e.bits, e.text, name)
		}
		rest = after
	}
}

// TestITState follows a block of four and the one-instruction block.
func TestITState(t *testing.T) {
	t.Parallel()
	var got []string
	var s ITState
	for _, raw := range []uint32{0xbf1b, 0x2001, 0x2002, 0x2003, 0x4770, 0xbf08, 0x4770, 0x2004} {
		i := decodeRaw(raw, 2, 0)
		got = append(got, Text(i, s.Cond()))
		s = s.Next(i)
	}
	want := []string{"ittet ne", "movne r0, #1", "movne r0, #2", "moveq r0, #3", "bxne lr", "it eq", "bxeq lr", "movs r0, #4"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if s.InBlock() {
		t.Error("in a block at the end")
	}
}

// TestNoAllocation keeps Decode off the heap.
func TestNoAllocation(t *testing.T) {
	code := []byte{0x2d, 0xe9, 0xb0, 0x43}
	var sink insn.Inst
	if n := testing.AllocsPerRun(100, func() { sink, _ = Decode(code, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if sink.Op != insn.OpStoreMulti {
		t.Errorf("op %d", sink.Op)
	}
}

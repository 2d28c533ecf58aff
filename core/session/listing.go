package session

import (
	"errors"
	"slices"
	"sort"

	"pushmask/core"
	"pushmask/core/a32"
	"pushmask/core/insn"
	"pushmask/core/thumb"
	"pushmask/elfsym"
)

// item is one place of a listing: an instruction, a piece of data between
// instructions, or a hole.
type item struct {
	addr  core.Addr
	size  uint8
	kind  itemKind
	bytes [4]byte // of which size are valid, none in a hole
	inst  insn.Inst
	cond  insn.Cond // of the IT block around inst
}

type itemKind uint8

const (
	itemHole itemKind = iota
	itemCode
	itemData
)

// lister decodes ranges of memory. Addresses are 64 bits wide so that the top
// of the address space needs no special case.
type lister struct {
	program *Program
	mem     core.Memory
	m       bool // M-profile: T32 only
	t32     bool // state of code that nothing else is known of
	base    uint64
	page    [1024]byte
	held    int // valid bytes of page
}

func (s *Session) lister() *lister {
	return &lister{
		program: s.program,
		mem:     s.memory,
		m:       s.profile == core.ProfileM,
		t32:     s.thumb,
	}
}

// peek returns up to n bytes at a, n at most 4; fewer before a hole.
func (l *lister) peek(a uint64, n int) []byte {
	if a < l.base || a+uint64(n) > l.base+uint64(l.held) {
		l.base = a
		l.held, _ = l.mem.ReadAt(core.Addr(a), l.page[:])
	}
	b := l.page[a-l.base : l.held]
	return b[:min(n, len(b))]
}

// decode lists [lo, hi) from lo on, at most limit items, starting in IT state
// it. What would cross hi is cut to data, so that hi is a boundary always.
func (l *lister) decode(lo, hi uint64, limit int, it thumb.ITState) ([]item, thumb.ITState) {
	var items []item
	for a := lo; a < hi && len(items) < limit; {
		x := l.decodeOne(a, hi, it)
		if x.kind == itemCode {
			it = it.Next(x.inst)
		} else {
			it = 0
		}
		items = append(items, x)
		a += uint64(x.size)
	}
	return items, it
}

func (l *lister) decodeOne(a, hi uint64, it thumb.ITState) item {
	state := l.stateAt(a)
	b := l.peek(a, int(min(hi-a, 4)))
	x := item{addr: core.Addr(a)}
	switch {
	case len(b) == 0:
		x.size = uint8(min(hi-a, holeStep(state)))
		return x
	case state == elfsym.StateData || a&1 != 0:
		return x.data(b[:l.dataSize(a, len(b))])
	}
	var err error
	if state == elfsym.StateARM {
		x.inst, err = decodeARM(b, x.addr)
	} else {
		x.inst, err = thumb.Decode(b, x.addr)
		x.cond = it.Cond()
	}
	size := int(x.inst.Size)
	if err != nil || size == 0 || size > len(b) {
		return x.data(b[:min(len(b), int(holeStep(state)))])
	}
	x.kind, x.size = itemCode, x.inst.Size
	copy(x.bytes[:], b[:size])
	return x
}

func decodeARM(b []byte, a core.Addr) (insn.Inst, error) {
	if len(b) < 4 || a&3 != 0 {
		return insn.Inst{}, errNotARM
	}
	return a32.Decode(b, a)
}

var errNotARM = errors.New("no room for an A32 instruction")

// data makes an item of bytes that are no instruction.
func (x item) data(b []byte) item {
	x.kind, x.size = itemData, uint8(copy(x.bytes[:], b))
	x.inst, x.cond = insn.Inst{}, 0
	return x
}

// dataSize is the size of the data item at a: a word or a halfword where it is
// aligned and data all through, at most n bytes.
func (l *lister) dataSize(a uint64, n int) int {
	for _, size := range []int{4, 2} {
		if n >= size && a%uint64(size) == 0 && (size == 2 || l.stateAt(a+2) == l.stateAt(a)) {
			return size
		}
	}
	return 1
}

// holeStep is the distance of the places shown in a hole.
func holeStep(s elfsym.State) uint64 {
	if s == elfsym.StateARM {
		return 4
	}
	return 2
}

// stateAt returns the content of memory at a: the mapping symbols' word, else
// what the function around it runs in. A32 is out of the question on
// M-profile cores.
func (l *lister) stateAt(a uint64) elfsym.State {
	state := l.program.images.State(uint32(a))
	switch {
	case state == elfsym.StateData:
		return state
	case l.m:
		return elfsym.StateThumb
	case state != elfsym.StateUnknown:
		return state
	}
	t32 := l.t32
	if fn, ok := l.program.funcAt(core.Addr(a)); ok {
		t32 = fn.Thumb
	}
	if t32 {
		return elfsym.StateThumb
	}
	return elfsym.StateARM
}

// bounds returns the range around a in which decoding may run: the function
// that contains a, or the gap between two functions. exact is true for a
// function: its start is an instruction boundary.
func (l *lister) bounds(a uint64) (lo, hi uint64, exact bool) {
	if fn, ok := l.program.extent(core.Addr(a)); ok {
		return uint64(fn.Entry), uint64(fn.End), true
	}
	lo, hi = 0, 1<<32
	if l.program.images.Empty() {
		return lo, hi, false
	}
	funcs := l.program.images.Functions()
	next := sort.Search(len(funcs), func(i int) bool { return uint64(funcs[i].Entry) > a })
	if next < len(funcs) {
		hi = uint64(funcs[next].Entry)
	}
	if next > 0 {
		lo = min(uint64(funcs[next-1].End), a)
	}
	return lo, hi, false
}

// resync is how far before the wanted places decoding starts where nothing
// marks a boundary: T32 decoding finds the boundaries again after some
// instructions, whatever it started on.
const resync = 64

// backward lists the n places that end at a.
func (l *lister) backward(a uint64, n int) []item {
	var groups [][]item
	for n > 0 && a > 0 {
		lo, _, exact := l.bounds(a - 1)
		if window := uint64(4*n + resync); !exact && a-lo > window {
			lo = (a - window) &^ 3
		}
		items, _ := l.decode(lo, a, int(a-lo), 0)
		items = items[max(0, len(items)-n):]
		groups = append(groups, items)
		n -= len(items)
		a = lo
	}
	if n > 0 {
		groups = append(groups, padding(n))
	}
	slices.Reverse(groups)
	return slices.Concat(groups...)
}

// padding is what stands before address 0: n places whose addresses wrap.
func padding(n int) []item {
	items := make([]item, n)
	for i := range items {
		items[i] = item{addr: core.Addr(2 * (i - n)), size: 2}
	}
	return items
}

// forward lists n places from a on.
func (l *lister) forward(a uint64, n int) []item {
	items := make([]item, 0, n)
	it := l.itStateAt(a)
	for len(items) < n {
		if a >= 1<<32 {
			a = 0 // only holes or a wrapped listing follow the top of memory
		}
		_, hi, _ := l.bounds(a)
		part, _ := l.decode(a, hi, n-len(items), it)
		items = append(items, part...)
		last := part[len(part)-1]
		a, it = uint64(last.addr)+uint64(last.size), 0
	}
	return items
}

// itStateAt returns the IT state before the instruction at a.
func (l *lister) itStateAt(a uint64) thumb.ITState {
	lo, _, exact := l.bounds(a)
	if !exact || lo == a {
		return 0
	}
	_, it := l.decode(lo, a, int(a-lo), 0)
	return it
}

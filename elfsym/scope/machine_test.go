package scope_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/elfcore"
	"pushmask/elfsym"
	"pushmask/elfsym/cfi"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/scope"
)

// machine is a made-up machine stopped at an address: registers that point into
// its stack, and memory of random numbers. Where a call of the function is known,
// the return address is that of the call.
type machine struct {
	image *elfsym.Image
	regs  map[uint32]uint64 // by DWARF number
	stack []byte            // from stackBase up
	call  *scope.CallSite
	cfi   *cfi.Table
}

const (
	stackBase = 0x40000000
	stackSize = 0x2000
)

// newMachine stops at pc. floats is set for cores with an FPU.
func newMachine(m *elfsym.Image, pc uint32, r *rand.Rand, call *scope.CallSite, returns uint32) *machine {
	table, _ := m.CFI()
	x := &machine{image: m, regs: make(map[uint32]uint64), stack: make([]byte, stackSize), call: call, cfi: table}
	word := func() uint32 {
		if r.IntN(4) == 0 {
			return uint32(r.IntN(9))
		}
		return stackBase + stackSize/4 + uint32(r.IntN(stackSize/2))&^3
	}
	for i := 0; i < stackSize; i += 4 {
		x.set(stackBase+uint32(i), word())
	}
	for n := range uint32(13) {
		x.regs[n] = uint64(word())
	}
	for n := range uint32(16) {
		x.regs[256+n] = uint64(r.Uint32())<<32 | uint64(r.Uint32())
		x.regs[64+2*n], x.regs[65+2*n] = x.regs[256+n]&0xffffffff, x.regs[256+n]>>32
	}
	x.regs[7], x.regs[11] = stackBase+stackSize/2, stackBase+stackSize/2+64
	x.regs[13], x.regs[14], x.regs[15] = stackBase+stackSize/2-256, uint64(returns|1), uint64(pc)
	if row, ok := x.row(); ok {
		if rule, ok := row.Rule(cfi.LR); ok && rule.Kind == cfi.Offset {
			cfa, _ := x.CFA()
			x.set(cfa+uint32(rule.Offset), returns|1)
		}
	}
	return x
}

func (x *machine) set(addr, v uint32) {
	at := addr - stackBase
	if at < stackSize-3 {
		x.stack[at], x.stack[at+1], x.stack[at+2], x.stack[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
}

func (x *machine) row() (cfi.Row, bool) {
	f, ok := x.cfi.Lookup(uint32(x.regs[15]))
	if !ok {
		return cfi.Row{}, false
	}
	row, err := f.RowAt(uint32(x.regs[15]))
	return row, err == nil
}

// Register implements expr.Frame.
func (x *machine) Register(n uint32) (uint64, bool) {
	v, ok := x.regs[n]
	return v, ok
}

// Read implements expr.Frame.
func (x *machine) Read(addr uint32, p []byte) error {
	if at := addr - stackBase; at < stackSize && uint64(at)+uint64(len(p)) <= stackSize {
		copy(p, x.stack[at:])
		return nil
	}
	if _, err := x.image.ReadAt(addr, p); err == nil {
		return nil
	}
	for _, s := range x.image.Segments() {
		if addr >= s.Addr && uint64(addr)+uint64(len(p)) <= uint64(s.Addr)+uint64(s.MemSize) {
			clear(p) // .bss
			return nil
		}
	}
	return core.ErrNoMemory
}

// ReadAt implements core.Memory.
func (x *machine) ReadAt(addr core.Addr, p []byte) (int, error) {
	return len(p), x.Read(uint32(addr), p)
}

// CFA implements expr.Frame.
func (x *machine) CFA() (uint32, bool) {
	row, ok := x.row()
	if !ok || row.CFA.Expr != nil {
		return 0, false
	}
	return uint32(x.regs[uint32(row.CFA.Reg)]) + uint32(row.CFA.Offset), true
}

var errNoCaller = errors.New("the caller is not known")

// EntryValue implements expr.Frame.
func (x *machine) EntryValue(code []byte) (uint64, error) {
	caller, ok := x.caller()
	if !ok {
		return 0, errNoCaller
	}
	return x.call.EntryValue(code, caller)
}

// Parameter implements expr.Frame.
func (x *machine) Parameter(off uint64) (uint64, error) {
	caller, ok := x.caller()
	if !ok {
		return 0, errNoCaller
	}
	return x.call.Parameter(off, caller)
}

// caller returns the machine as it was in the calling function.
func (x *machine) caller() (*machine, bool) {
	row, ok := x.row()
	cfa, hasCFA := x.CFA()
	if !ok || !hasCFA || x.call == nil {
		return nil, false
	}
	up := &machine{image: x.image, regs: map[uint32]uint64{13: uint64(cfa)}, stack: x.stack, cfi: x.cfi}
	for n := range uint32(16) {
		saved := n >= 4 && n <= 11
		if v, ok := x.regs[n]; ok && saved {
			up.regs[n] = v
		}
	}
	for _, r := range row.Regs {
		var b [4]byte
		if r.Rule.Kind == cfi.Offset && x.Read(cfa+uint32(r.Rule.Offset), b[:]) == nil {
			up.regs[uint32(r.Reg)] = uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
		}
	}
	up.regs[15] = x.regs[14]
	if v, ok := up.regs[14]; ok {
		up.regs[15] = v
	}
	up.regs[15] &^= 1
	return up, true
}

// core writes the machine as an ELF core.
func (x *machine) core(t *testing.T, path string, floats bool) {
	t.Helper()
	var regs core.Regs
	for n := range uint32(16) {
		regs.Set(core.Reg(n), uint32(x.regs[n]))
	}
	if floats {
		for n := range uint32(32) {
			regs.Set(core.S0+core.Reg(n), uint32(x.regs[64+n]))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = elfcore.Write(f, &elfcore.Core{
		Profile:  core.ProfileM,
		Threads:  []elfcore.Thread{{Thread: core.Thread{ID: 1}, Regs: regs}},
		Segments: []elfcore.Segment{{Addr: stackBase, Size: stackSize, Source: x, Write: true}},
	})
	if err != nil {
		t.Fatal(fmt.Errorf("write %s: %w", filepath.Base(path), err))
	}
}

var _ expr.Frame = (*machine)(nil)

package unwind

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/insn"
	"pushmask/core/thumb"
)

// TestRowsExecuted executes the listings of testdata/rows, with each setting of
// the flags, and compares the rows at every instruction with what is true there:
// the stack pointer, the return address and the registers r4 to r11 and S16 to S31
// as they were at the entry. The goldens of TestRows say what the rows are; this says that
// they are right.
func TestRowsExecuted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/rows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			code, th := listingCode(t, path)
			f := Func{Entry: code.lo, End: code.lo + core.Addr(len(code.data)), Thumb: th}
			checked := 0
			plan := analyse(f, code, code)
			for flags := range uint32(16) {
				m := newMachine(code, th, flags)
				m.run(func(i *insn.Inst) {
					checked++
					if err := m.compare(plan, i.Addr); err != nil {
						t.Errorf("flags %#x, at %v: %v", m.flags>>28, i.Addr, err)
					}
				})
			}
			if checked < 16*len(code.data)/8 {
				t.Errorf("%d rows checked", checked)
			}
		})
	}
}

func listingCode(t *testing.T, path string) (code bareText, th bool) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code, th = bareText{&extent{lo: 0x1000}}, true
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			th = th && !strings.HasPrefix(line, "# a32")
			continue
		}
		code.data = append(code.data, codeBytes(t, line, th)...)
	}
	return code, th
}

// machine executes the instructions that listings use. Calls out of the listing
// come back with the registers of the AAPCS destroyed; what is not executed
// leaves a value of no meaning.
type machine struct {
	code     bareText
	thumb    bool
	reg      [16]uint32
	float    [64]uint32 // D0 to D31
	stack    [0x10000]byte
	flags    uint32 // N, Z, C and V; they never change
	it       thumb.ITState
	junk     uint32
	entry    [16]uint32
	finished bool
}

const (
	machineStack = 0x20000000
	machineSP    = 0x2000c000
	machineSteps = 64
)

func newMachine(code bareText, th bool, flags uint32) *machine {
	m := &machine{code: code, thumb: th, flags: flags << 28, junk: 0xdead0000}
	for r := range m.reg {
		m.reg[r] = 0x11110000 + uint32(r)<<8
	}
	m.reg[core.R0] = 8 * (flags & 3) // sizes of variable arrays, index of tables
	for n := range m.float {
		m.float[n] = entryFloat(n)
	}
	for i := 0; i < len(m.stack); i += 4 {
		binary.LittleEndian.PutUint32(m.stack[i:], junk)
	}
	m.reg[core.SP], m.reg[core.PC] = machineSP, uint32(code.lo)
	around := aroundListing(th)
	m.reg[core.LR] = around.inCaller
	m.store(machineSP, 44)
	m.store(machineSP+4, around.inReset)
	m.entry = m.reg
	return m
}

// ReadAt implements core.Memory.
func (m *machine) ReadAt(a core.Addr, p []byte) (int, error) {
	if a < machineStack || int(a-machineStack) >= len(m.stack) {
		return 0, &core.ReadError{Addr: a, Len: uint32(len(p))}
	}
	return copy(p, m.stack[a-machineStack:]), nil
}

func (m *machine) load(a uint32) uint32 {
	if w, ok := word(m.code, core.Addr(a)); ok {
		return w
	}
	if a-machineStack < uint32(len(m.stack)-3) {
		return binary.LittleEndian.Uint32(m.stack[a-machineStack:])
	}
	return m.meaningless()
}

func (m *machine) store(a, v uint32) {
	if a-machineStack < uint32(len(m.stack)-3) {
		binary.LittleEndian.PutUint32(m.stack[a-machineStack:], v)
	}
}

func (m *machine) meaningless() uint32 {
	m.junk += 4
	return m.junk
}

// run executes until the return, or what the listing does not hold, and calls
// visit before each instruction.
func (m *machine) run(visit func(*insn.Inst)) {
	for range machineSteps {
		i, err := fetch(m.code, core.Addr(m.reg[core.PC]), m.thumb)
		if err != nil || i.Flow == insn.FlowTrap || i.Flow == insn.FlowUndef {
			return
		}
		visit(&i)
		executes := m.executes(&i)
		m.it = m.it.Next(i)
		m.reg[core.PC] = uint32(i.Next())
		if executes {
			m.execute(&i)
		}
		if m.finished {
			return
		}
	}
}

// executes evaluates the condition of an instruction; Z stands in for the
// registers that cbz and loops test.
func (m *machine) executes(i *insn.Inst) bool {
	cond := i.Cond
	if m.it.InBlock() {
		cond = m.it.Cond()
	}
	if cond == insn.CondReg {
		cond = insn.EQ
	}
	return cond >= insn.AL || holds(cond, m.flags)
}

// regs are the registers as an artefact has them.
func (m *machine) regs() core.Regs {
	var regs core.Regs
	for r := core.R0; r <= core.PC; r++ {
		regs.Set(r, m.reg[r])
	}
	for n, v := range m.float[:numFloats] {
		regs.Set(core.S0+core.Reg(n), v)
	}
	regs.Set(core.PSR, m.flags)
	return regs
}

// compare compares the rows before the instruction at pc with the truth: one
// of them must hold.
func (m *machine) compare(p *Plan, pc core.Addr) error {
	regs := m.regs()
	err := error(errNotReach)
	for _, r := range p.Rows(pc) {
		if r.guard.set && holds(r.guard.cond, m.flags) != r.guard.taken {
			continue
		}
		if err = m.wrong(&r, &regs); err == nil {
			return nil
		}
		err = fmt.Errorf("%v: %w", &r, err)
	}
	return err
}

// wrong says what a row has wrong.
func (m *machine) wrong(r *Row, regs *core.Regs) error {
	act, err := r.apply(regs, m)
	switch {
	case err != nil:
		return err
	case act.ra != m.entry[core.LR]:
		return fmt.Errorf("return address is %#x", act.ra)
	case act.noCFA:
		return errNoCFA
	case uint32(act.cfa) != m.entry[core.SP]:
		return fmt.Errorf("CFA is %v", act.cfa)
	}
	for q := core.R4; q <= core.R11; q++ {
		if v, ok := act.regs.Get(q); ok && v != m.entry[q] {
			return fmt.Errorf("%v is %#x", q, v)
		}
	}
	for q := firstHigh; q <= core.S31; q++ {
		if v, ok := act.regs.Get(q); ok && v != entryFloat(int(q-core.S0)) {
			return fmt.Errorf("%v is %#x", q, v)
		}
	}
	return nil
}

// execute runs one instruction; PC is the next one's address already.
func (m *machine) execute(i *insn.Inst) {
	switch i.Flow {
	case insn.FlowBranch:
		m.reg[core.PC] = uint32(i.Target)
		return
	case insn.FlowCall, insn.FlowCallReg:
		m.call(i)
		return
	case insn.FlowReg:
		m.jump(m.reg[i.Rm])
		return
	case insn.FlowTable:
		table := m.code.at(core.Addr(uint32(i.Next())))
		m.reg[core.PC] = uint32(i.Next()) + 2*uint32(table[m.reg[i.Rm]/8&3])
		return
	}
	m.data(i)
	if i.Flow == insn.FlowLoad {
		m.jump(m.reg[core.PC])
	}
}

// jump goes on at v, or ends the run where that is out of the listing.
func (m *machine) jump(v uint32) {
	m.reg[core.PC] = v &^ 1
	m.finished = !m.code.contains(core.Addr(v &^ 1))
}

func (m *machine) call(i *insn.Inst) {
	if i.Flow == insn.FlowCall && m.code.contains(i.Target) && i.Target != m.code.lo {
		m.reg[core.LR], m.reg[core.PC] = uint32(i.Next())|1, uint32(i.Target)
		return
	}
	for _, r := range [...]core.Reg{core.R0, core.R1, core.R2, core.R3, core.R12, core.LR} {
		m.reg[r] = m.meaningless()
	}
	for n := range m.float[:16] {
		m.float[n] = m.meaningless()
	}
}

// operand is the value of a source register.
func (m *machine) operand(r core.Reg, i *insn.Inst) uint32 {
	if r == core.PC {
		return uint32(readPC(i))
	}
	return m.reg[r&15]
}

// data executes what moves values.
func (m *machine) data(i *insn.Inst) {
	rn, rm := uint32(0), uint32(0)
	if i.Rn <= core.PC {
		rn = m.operand(i.Rn, i)
	}
	if i.Rm <= core.PC {
		rm = m.operand(i.Rm, i)
	}
	switch i.Op {
	case insn.OpMove:
		m.reg[i.Rd] = rm
	case insn.OpConst:
		m.reg[i.Rd] = uint32(i.Imm)
	case insn.OpMovTop:
		m.reg[i.Rd] = uint32(i.Imm)<<16 | m.reg[i.Rd]&0xffff
	case insn.OpAdd:
		m.reg[i.Rd] = rn + uint32(i.Imm)
	case insn.OpAddReg:
		m.reg[i.Rd] = rn + rm<<i.Shift
	case insn.OpSubReg:
		m.reg[i.Rd] = rn - rm<<i.Shift
	case insn.OpRsb:
		m.reg[i.Rd] = uint32(i.Imm) - rn
	case insn.OpAnd:
		m.reg[i.Rd] = rn & uint32(i.Imm)
	case insn.OpOrr:
		m.reg[i.Rd] = rn | uint32(i.Imm)
	case insn.OpLsl:
		m.reg[i.Rd] = rm << i.Imm
	case insn.OpLsr:
		m.reg[i.Rd] = rm >> i.Imm
	case insn.OpLoad, insn.OpStore, insn.OpLoadDual, insn.OpStoreDual, insn.OpLoadSub, insn.OpStoreSub:
		m.single(i, rn, rm)
	case insn.OpLoadMulti, insn.OpStoreMulti, insn.OpVLoad, insn.OpVStore:
		m.multiple(i, rn)
	default:
		if m.floating(i) {
			return
		}
		for d := i.Defs; d != 0; d &= d - 1 {
			m.reg[bits.TrailingZeros16(d)] = m.meaningless()
		}
		if i.Writeback && (i.Index == insn.PreIndex || i.Index == insn.PostIndex) {
			m.reg[i.Rn] = rn + uint32(i.Imm) // VSTR and VLDR of a system register
		}
	}
}

// single executes loads and stores of one or two registers.
func (m *machine) single(i *insn.Inst, rn, rm uint32) {
	ea, after := rn+uint32(i.Imm), rn
	switch i.Index {
	case insn.PreIndex:
		after = ea
	case insn.PostIndex:
		ea, after = rn, ea
	case insn.RegOffset:
		ea = rn + rm<<i.Shift
	}
	second := i.Rd2&15 != 15
	switch i.Op {
	case insn.OpStore, insn.OpStoreDual:
		m.store(ea, m.reg[i.Rd])
		if i.Op == insn.OpStoreDual && second {
			m.store(ea+4, m.reg[i.Rd2])
		}
	}
	if i.Index == insn.PreIndex || i.Index == insn.PostIndex {
		m.reg[i.Rn] = after
	}
	switch i.Op {
	case insn.OpLoad, insn.OpLoadDual:
		m.reg[i.Rd] = m.load(ea)
		if i.Op == insn.OpLoadDual && second {
			m.reg[i.Rd2] = m.load(ea + 4)
		}
	case insn.OpLoadSub:
		m.reg[i.Rd] = m.meaningless()
	}
}

// multiple executes transfers of several registers.
func (m *machine) multiple(i *insn.Inst, rn uint32) {
	n := uint32(bits.OnesCount16(i.List))
	if i.Op == insn.OpVLoad || i.Op == insn.OpVStore {
		n = uint32(i.Words)
	}
	low, after := rn, rn+4*n
	switch i.Multi {
	case insn.DB:
		low, after = rn-4*n, rn-4*n
	case insn.IB:
		low = rn + 4
	case insn.DA:
		low, after = rn-4*n+4, rn-4*n
	}
	before := m.reg
	before[core.PC] = uint32(readPC(i))
	if i.Writeback {
		m.reg[i.Rn] = after
	}
	for k := range n {
		switch f := &m.float[(uint32(i.VFirst)+k)&63]; i.Op {
		case insn.OpVStore:
			m.store(low+4*k, *f)
		case insn.OpVLoad:
			*f = m.load(low + 4*k)
		}
	}
	for list, a := i.List, low; list != 0 && i.Op != insn.OpVLoad && i.Op != insn.OpVStore; list, a = list&(list-1), a+4 {
		r := bits.TrailingZeros16(list)
		if i.Op == insn.OpStoreMulti {
			m.store(a, before[r])
		} else {
			m.reg[r] = m.load(a)
		}
	}
}

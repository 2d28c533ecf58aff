package runcontrol

import (
	"context"
	"encoding/binary"
	"slices"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
)

// Faults is a set of exceptions to stop at, before their handlers run.
type Faults uint16

// The faults.
const (
	CatchHardFault Faults = 1 << iota
	CatchMemManage
	CatchBusFault
	CatchUsageFault
	CatchSecureFault
	CatchInterrupt // a fault while an exception is entered or left
	CatchReset     // before the first instruction
	CatchUndefined // Undefined Instruction, A- and R-profile
	CatchPrefetch  // Prefetch Abort
	CatchData      // Data Abort
)

// allFaults are those that end a step.
const allFaults = CatchHardFault | CatchMemManage | CatchBusFault | CatchUsageFault | CatchSecureFault |
	CatchUndefined | CatchPrefetch | CatchData

// demcr is the Debug Exception and Monitor Control Register, and catchBits its
// bits that halt the core (Armv7-M ARM C1.6.5, Armv8-M ARM D1.2.38). Armv6-M has
// VC_HARDERR and VC_CORERESET alone (Armv6-M ARM C1.6.4).
const demcr = 0xe000edfc

var catchBits = map[Faults]uint32{
	CatchHardFault:   1 << 10,            // VC_HARDERR
	CatchInterrupt:   1 << 9,             // VC_INTERR
	CatchBusFault:    1 << 8,             // VC_BUSERR
	CatchUsageFault:  1<<7 | 1<<6 | 1<<5, // VC_STATERR, VC_CHKERR, VC_NOCPERR
	CatchMemManage:   1 << 4,             // VC_MMERR
	CatchSecureFault: 1 << 11,            // VC_SFERR
	CatchReset:       1 << 0,             // VC_CORERESET
}

// faultNumbers are the exceptions of M-profile by number (Armv8-M ARM B3.8).
var faultNumbers = map[int]Faults{
	3: CatchHardFault, 4: CatchMemManage, 5: CatchBusFault, 6: CatchUsageFault, 7: CatchSecureFault,
}

// abortVectors are the exceptions of A- and R-profile by the number of their
// vector, with their names (Armv7-A ARM B1.8.1).
var abortVectors = map[int]struct {
	fault Faults
	name  string
}{
	1: {CatchUndefined, "Undefined Instruction"},
	3: {CatchPrefetch, "Prefetch Abort"},
	4: {CatchData, "Data Abort"},
}

// vectorCatch stops the target at faults: by DEMCR or, where the target or its
// emulation does not have it, by breakpoints where the vectors lead.
type vectorCatch struct {
	machine  *live.Machine
	vectors  map[core.Addr]int // of A- and R-profile, by place
	handlers []catchPlace      // of M-profile, that the tables of several images lead to

	user   Faults // what the user wants
	armed  Faults // what the target has
	mode   catchMode
	before uint32 // DEMCR as it was
	places map[catchPlace]live.Point
}

// catchPlace is where a fault leads.
type catchPlace struct {
	fault Faults
	addr  core.Addr
}

type catchMode uint8

const (
	catchUnknown catchMode = iota
	catchRegister
	catchPlaces
)

// SetVectorCatch chooses the exceptions that stop the target. It is kept through
// resets and is taken back at the end of the session. What the target cannot
// catch is left out. A step stops at faults whatever is chosen.
func (l *Live) SetVectorCatch(ctx context.Context, set Faults) error {
	return l.Do(ctx, func(ctx context.Context, _ *live.Machine) error {
		l.catch.user = set
		return l.catch.apply(ctx, set)
	})
}

// arm prepares for a motion: a step catches all faults, so that it is not lost
// in a handler.
func (c *vectorCatch) arm(ctx context.Context, step bool) error {
	want := c.user
	if step {
		want |= allFaults
	}
	return c.apply(ctx, want)
}

// apply makes the target catch a set.
func (c *vectorCatch) apply(ctx context.Context, want Faults) error {
	if want == c.armed {
		return nil
	}
	if c.machine.Profile() == core.ProfileM && c.mode != catchPlaces {
		ok, err := c.applyRegister(ctx, want)
		if ok || err != nil {
			return err
		}
	}
	c.mode = catchPlaces
	return c.applyPlaces(ctx, want)
}

// applyRegister writes DEMCR; ok is false where it does not hold what is
// written.
func (c *vectorCatch) applyRegister(ctx context.Context, want Faults) (ok bool, err error) {
	var bits uint32
	for f, b := range catchBits {
		if want&f != 0 {
			bits |= b
		}
	}
	if c.mode == catchUnknown {
		now, err := core.ReadU32(c.machine.Memory(), demcr)
		if err != nil {
			return false, nil
		}
		c.before = now
	}
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], c.before|bits)
	if err := c.machine.WriteMemory(ctx, demcr, word[:]); err != nil {
		if live.Refused(err) {
			return false, nil
		}
		return false, err
	}
	if c.mode == catchUnknown {
		const least = 1 << 10 // VC_HARDERR, which every core has
		if got, err := core.ReadU32(c.machine.Memory(), demcr); err != nil || got&least&bits != least&bits || bits&least == 0 {
			return false, nil
		}
		c.mode = catchRegister
	}
	c.armed = want
	return true, nil
}

// applyPlaces sets and removes breakpoints where faults lead. A place that has
// no room, or would take one of few comparators, is left out.
func (c *vectorCatch) applyPlaces(ctx context.Context, want Faults) error {
	for at, p := range c.places {
		if want&at.fault == 0 {
			if err := c.machine.Remove(ctx, p); err != nil && !live.Refused(err) {
				return err
			}
			delete(c.places, at)
		}
	}
	if c.places == nil {
		c.places = make(map[catchPlace]live.Point)
	}
	for at, p := range c.targets() {
		if want&at.fault == 0 || c.places[at] != (live.Point{}) {
			continue
		}
		switch err := c.machine.Insert(ctx, p); {
		case err != nil && !live.Refused(err):
			return err
		case err != nil:
			continue
		case c.user&at.fault == 0 && c.machine.InHardware(p):
			if err := c.machine.Remove(ctx, p); err != nil && !live.Refused(err) {
				return err
			}
			continue
		}
		c.places[at] = p
	}
	c.armed = want
	return nil
}

// targets are the first instructions that faults lead to: by the vectors in use,
// and by those of images that may be in use later.
func (c *vectorCatch) targets() map[catchPlace]live.Point {
	list := make(map[catchPlace]live.Point)
	if c.machine.Profile() == core.ProfileA {
		for at, n := range c.vectors {
			if v, ok := abortVectors[n]; ok {
				list[catchPlace{v.fault, at}] = live.Point{Kind: gdbremote.SoftwareBreakpoint, Addr: at, Size: 4}
			}
		}
		return list
	}
	all := slices.Clone(c.handlers)
	if base, ok := c.vectorTable(); ok {
		for n, f := range faultNumbers {
			if a, ok := c.handler(base, n); ok {
				all = append(all, catchPlace{f, a})
			}
		}
	}
	for _, at := range all {
		list[at] = live.Point{Kind: gdbremote.SoftwareBreakpoint, Addr: at.addr, Size: 2}
	}
	return list
}

// vectorTable is where the vectors of M-profile lie.
func (c *vectorCatch) vectorTable() (core.Addr, bool) {
	const vtor = 0xe000ed08 // Armv7-M ARM B3.2.5; 0 on Armv6-M without it
	base, err := core.ReadU32(c.machine.Memory(), vtor)
	return core.Addr(base), err == nil
}

// handler reads a vector of M-profile from the table at base.
func (c *vectorCatch) handler(base core.Addr, n int) (core.Addr, bool) {
	v, err := core.ReadU32(c.machine.Memory(), base+core.Addr(4*n))
	a, t32 := core.CodeAddr(v)
	return a, err == nil && t32
}

// restore takes back what was changed in the target.
func (c *vectorCatch) restore(ctx context.Context) error {
	c.user = 0
	if c.mode != catchRegister {
		return c.apply(ctx, 0)
	}
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], c.before)
	c.armed = 0
	err := c.machine.WriteMemory(ctx, demcr, word[:])
	if live.Refused(err) {
		return nil
	}
	return err
}

// forget takes breakpoints out of the handlers of a program that is another one
// from now on; the next motion sets those that it needs.
func (c *vectorCatch) forget(ctx context.Context) error {
	if c.mode != catchPlaces {
		return nil
	}
	return c.applyPlaces(ctx, 0)
}

// afterReset makes the target catch again what it may have forgotten.
func (c *vectorCatch) afterReset(ctx context.Context) error {
	if c.mode != catchRegister {
		return nil // breakpoints are put back as such
	}
	want := c.armed
	c.armed = 0
	return c.apply(ctx, want)
}

// caught returns the event of a stop at a fault that is caught: the core has
// just entered the handler.
func (r *runner) caught(ctx context.Context, regs *core.Regs) *Event {
	if r.catch.armed == 0 {
		return nil
	}
	pc := pcOf(regs)
	if r.machine.Profile() == core.ProfileA {
		v, ok := abortVectors[r.catch.vectors[pc]]
		if !ok || r.catch.armed&v.fault == 0 {
			return nil
		}
		return r.exception(ctx, v.name)
	}
	n := int(regs.Value(core.PSR) & ipsr)
	f, ok := faultNumbers[n]
	if !ok || r.catch.armed&f == 0 {
		return nil
	}
	base, ok := r.catch.vectorTable()
	if !ok {
		return nil
	}
	if at, ok := r.catch.handler(base, n); !ok || at != pc {
		return nil
	}
	return r.exception(ctx, exc.ExceptionName(n))
}

// ipsr is the exception number in xPSR (Armv7-M ARM B1.4.2).
const ipsr = 0x1ff

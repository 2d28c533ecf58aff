package rtos

import (
	"fmt"

	"pushmask/core"
)

// restore reads the registers that a thread goes on with, taking them to be
// saved in one particular way.
type restore func(control core.Addr) (core.Regs, error)

// contexts lets each task restore its registers in the way that the contexts of
// most waiting tasks check with. Where several ways cannot be told apart, a
// task has the registers that they agree on.
func (l *listing) contexts(ways []restore) {
	var best []restore
	bestCount := 0
	for _, way := range ways {
		count := l.countRestored(way)
		if count > bestCount || best == nil {
			best, bestCount = best[:0], count
		}
		if count == bestCount {
			best = append(best, way)
		}
	}
	for i := range l.tasks {
		t := &l.tasks[i]
		t.context = func() (core.Regs, error) { return agreed(best, t.control) }
	}
}

// countRestored counts the waiting tasks whose contexts check.
func (l *listing) countRestored(way restore) int {
	count := 0
	for i := range l.tasks {
		if t := &l.tasks[i]; !t.current || l.idle {
			if _, err := way(t.control); err == nil {
				count++
			}
		}
	}
	return count
}

// agreed returns the registers of a thread that all the ways agree on.
func agreed(ways []restore, control core.Addr) (core.Regs, error) {
	if len(ways) == 0 {
		return core.Regs{}, fmt.Errorf("%w: no port is known that could have saved it", errContext)
	}
	regs, err := ways[0](control)
	for _, way := range ways[1:] {
		other, otherErr := way(control)
		if err != nil || otherErr != nil {
			if err != nil {
				regs, err = other, otherErr
			}
			continue
		}
		for r := range core.Reg(core.NumRegs) {
			if v, ok := other.Get(r); !ok || v != regs.Value(r) {
				regs.Forget(r)
			}
		}
	}
	if err == nil && !(regs.Has(core.PC) && regs.Has(core.SP)) {
		return core.Regs{}, fmt.Errorf("%w: it may be that of several ports", errContext)
	}
	return regs, err
}

// format is the way in which ports of a kernel for M-profile save registers on
// the stack of the thread.
type format struct {
	// fits tells by the image whether the port can be the one, nil where any
	// can.
	fits func(*System) bool
	read func(*saved)
}

// mainline and baseline tell whether the image can be for cores that have, or
// lack, the instructions that store r8 to r11 at once.
func mainline(s *System) bool {
	b, known := s.Image.Baseline()
	return !known || !b
}

func baseline(s *System) bool {
	b, known := s.Image.Baseline()
	return !known || b
}

// formats makes ways of those that fit; at offset top of a control block is the
// stack pointer that contexts begin at.
func (s *System) formats(list []format, top core.Addr) []restore {
	var ways []restore
	for _, f := range list {
		if f.fits != nil && !f.fits(s) {
			continue
		}
		ways = append(ways, func(control core.Addr) (core.Regs, error) {
			sp, ok := s.word(control + top)
			if !ok {
				return core.Regs{}, fmt.Errorf("%w: the control block has no stack pointer", errContext)
			}
			c := s.savedAt(core.Addr(sp))
			f.read(c)
			return c.done()
		})
	}
	return ways
}

// Formats that several kernels have. Words are named in the order of memory.
var (
	// r4-r11 EXC_RETURN [s16-s31] frame.
	formatReturn = format{read: func(c *saved) {
		c.span(core.R4, core.R11)
		c.excReturn()
		c.calleeFP()
		c.frame()
	}}
	// r4-r11 frame, in kernels that know no floating point.
	formatPlain = format{read: func(c *saved) {
		c.span(core.R4, core.R11)
		c.frame()
	}}
	// r8-r11 r4-r7 EXC_RETURN frame.
	formatHighFirst = format{fits: baseline, read: func(c *saved) {
		c.span(core.R8, core.R11)
		c.span(core.R4, core.R7)
		c.excReturn()
		c.frame()
	}}
)

package oracle_test

import (
	"fmt"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
)

// registerKind groups registers of callers.
type registerKind uint8

const (
	coreKind registerKind = iota // r0 to LR
	highKind                     // S16 to S31
	lowKind                      // S0 to S15 and FPSCR, of interrupted code
	registerKinds
)

func kindOf(r core.Reg) registerKind {
	switch {
	case r <= core.LR:
		return coreKind
	case r >= core.S0+16:
		return highKind
	}
	return lowKind
}

// registerCount counts, by kind, the registers of callers that the truth knows:
// those that the unwinder has as they are, those that it has otherwise, and those
// that it does not have.
type registerCount [registerKinds]struct{ right, wrong, missing int }

func (c *registerCount) wrong() (n int) {
	for _, k := range c {
		n += k.wrong
	}
	return n
}

// known is how many of the registers the unwinder has, percent.
func (c *registerCount) known() float64 {
	all, right := 0, 0
	for _, k := range c {
		all += k.right + k.wrong + k.missing
		right += k.right
	}
	return 100 * float64(right) / float64(max(1, all))
}

func (c registerCount) String() string {
	text := func(k registerKind) string {
		n := c[k]
		return fmt.Sprintf("%d right, %d wrong, %d missing", n.right, n.wrong, n.missing)
	}
	return fmt.Sprintf("core %s; S16-S31 %s; S0-S15 %s", text(coreKind), text(highKind), text(lowKind))
}

// add compares the registers of the frames behind the youngest with the truth,
// as far as the frames themselves are true.
func (c *registerCount) add(t *testing.T, mode string, s *coretest.Sample, frames []core.Frame) {
	for i := 1; i < len(frames) && i < len(s.Frames) && frames[i].PC == s.Frames[i]; i++ {
		for r := range core.Reg(core.NumRegs) {
			want, known := s.Callers[i-1].Get(r)
			if !known {
				continue
			}
			n := &c[kindOf(r)]
			switch got, ok := frames[i].Regs.Get(r); {
			case !ok:
				n.missing++
			case got == want:
				n.right++
			default:
				n.wrong++
				if n.wrong <= *show {
					t.Logf("%s, step %d: %v of frame %d at %v is %#x, want %#x: %s", mode, s.Step, r, i, frames[i].PC, got, want, frames[i].Why)
				}
			}
		}
	}
}

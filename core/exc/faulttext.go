package exc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary says in one sentence, without a full stop, what the registers state:
// "precise data bus error, address 0xb0000000, escalated to HardFault". It is
// "" when they state no fault.
func (f Faults) Summary() string {
	var parts []string
	for _, c := range f.Causes() {
		parts = append(parts, c.String())
	}
	s := strings.Join(parts, "; ")
	switch {
	case !f.Escalated():
		return s
	case s == "":
		return "a fault was escalated to HardFault and its cause is not recorded"
	}
	return s + ", escalated to HardFault"
}

// String returns the cause in words with its address.
func (c Cause) String() string {
	if c.HasAddr {
		return fmt.Sprintf("%s, address %v", c.Text, c.Addr)
	}
	return c.Text
}

// Details lists the registers that state something, one line each, with their
// set bits in words: a status register that is not 0, an address register that
// is valid, 0 as well, which a null pointer leaves there. Of a CFSR that is
// known in part the parts are listed.
func (f Faults) Details() []string {
	var out []string
	for r := range numFaultRegs {
		v, ok := f.Get(r)
		if r == CFSR && !ok {
			out = append(out, f.cfsrParts()...)
		}
		if !ok || v == 0 && !r.isAddress() || !f.addressValid(r) {
			continue
		}
		out = append(out, withWords(fmt.Sprintf("%v = 0x%08x", r, v), bitWords(r, v)))
	}
	return out
}

// cfsrParts lists the known parts of CFSR that are not 0.
func (f Faults) cfsrParts() []string {
	var out []string
	for _, p := range []struct {
		name   string
		mask   uint32
		shift  uint8
		digits int
	}{{"MMFSR", 0xff, 0, 2}, {"BFSR", 0xff00, bfsrShift, 2}, {"UFSR", 0xffff0000, ufsrShift, 4}} {
		if v := f.val[CFSR] & p.mask; v != 0 {
			out = append(out, withWords(fmt.Sprintf("%s = 0x%0*x", p.name, p.digits, v>>p.shift), bitWords(CFSR, v)))
		}
	}
	return out
}

func withWords(line string, words []string) string {
	if len(words) == 0 {
		return line
	}
	return line + ": " + strings.Join(words, "; ")
}

// bitWords words the set bits of a status register in ascending order.
func bitWords(r FaultReg, v uint32) []string {
	var out []string
	known := uint32(0)
	if r == ICSR {
		out, known = exceptionFields(v)
	}
	for _, bit := range slices.Sorted(maps.Keys(faultBits[r])) {
		known |= 1 << bit
		if b := faultBits[r][bit]; v>>bit&1 != 0 {
			out = append(out, fmt.Sprintf("%s (%s)", b.text, b.name))
		}
	}
	if rest := v &^ known; rest != 0 && faultBits[r] != nil {
		out = append(out, fmt.Sprintf("bits 0x%08x are not defined", rest))
	}
	return out
}

// exceptionFields words the exception numbers in ICSR, VECTACTIVE in bits 8..0
// and VECTPENDING in bits 20..12 (Armv7-M ARM B3.2.4), and returns the mask of
// the bits they take.
func exceptionFields(v uint32) (words []string, mask uint32) {
	const field = maxException
	if n := int(v & field); n != 0 {
		words = append(words, fmt.Sprintf("%s is active (VECTACTIVE %d)", ExceptionName(n), n))
	}
	if n := int(v >> 12 & field); n != 0 {
		words = append(words, fmt.Sprintf("%s is the next pending exception (VECTPENDING %d)", ExceptionName(n), n))
	}
	return words, field | field<<12
}

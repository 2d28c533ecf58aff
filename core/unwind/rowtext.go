package unwind

import (
	"fmt"
	"strconv"

	"pushmask/core"
)

// String is the notation of plans: "sp+8", "[r7+4]-16".
func (c CFARule) String() string { return string(c.append(nil)) }

func (c CFARule) append(b []byte) []byte {
	if !c.Deref {
		return appendOffset(b, c.Reg.String(), c.Off)
	}
	if c.Reg == core.NoReg {
		b = fmt.Appendf(b, "[%v]", core.Addr(c.Off))
	} else {
		b = appendWord(b, c.Reg.String(), c.Off)
	}
	if c.Add != 0 {
		b = appendOffset(b, "", c.Add)
	}
	return b
}

// String is the notation of plans: "lr", "[CFA-4]", "[r7+8]", "lost".
func (l Loc) String() string { return string(l.append(nil)) }

func (l Loc) append(b []byte) []byte {
	switch l.Kind {
	case LocReg:
		return append(b, l.Reg.String()...)
	case LocAtCFA:
		return appendWord(b, "CFA", l.Off)
	case LocAtReg:
		return appendWord(b, l.Reg.String(), l.Off)
	}
	return append(b, "lost"...)
}

// appendWord writes the memory word at a base and an offset: "[r7+4]".
func appendWord(b []byte, base string, off int32) []byte {
	return append(appendOffset(append(b, '['), base, off), ']')
}

// appendOffset writes a base and an offset, which always has its sign.
func appendOffset(b []byte, base string, off int32) []byte {
	b = append(b, base...)
	if off >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(off), 10)
}

// String formats the row on one line: "CFA=sp+8 ra=[CFA-4] r4=[CFA-8]".
func (r *Row) String() string {
	if r.text != "" {
		return r.text
	}
	b := append(make([]byte, 0, 128), "CFA="...)
	if len(r.CFA) == 0 {
		b = append(b, '?')
	} else {
		b = r.CFA[0].append(b)
	}
	if r.HasRA {
		b = r.RA.append(append(b, " ra="...))
	}
	for _, s := range r.Saved {
		b = append(b, ' ')
		b = append(b, s.Reg.String()...)
		b = s.Loc.append(append(b, '='))
	}
	return string(b)
}

// Package thumb decodes T16 and T32 instructions of ARMv6-M to ARMv8.1-M.
package thumb

import (
	"errors"

	"pushmask/core"
	"pushmask/core/insn"
)

// ErrTruncated is returned when fewer bytes are given than the instruction has.
var ErrTruncated = errors.New("instruction is truncated")

// Decode decodes the instruction at the start of b, which lies at addr.
func Decode(b []byte, addr core.Addr) (insn.Inst, error) { panic("owner") }

// Text returns the UAL text; cond is the condition of the enclosing IT block, insn.AL outside of one.
func Text(i insn.Inst, cond insn.Cond) string { panic("owner") }

// Package a32 decodes A32 instructions through golang.org/x/arch/arm/armasm.
package a32

import (
	"pushmask/core"
	"pushmask/core/insn"
)

// Decode decodes the A32 instruction at the start of b, which lies at addr.
func Decode(b []byte, addr core.Addr) (insn.Inst, error) { panic("owner") }

// Text returns the UAL text.
func Text(i insn.Inst) string { panic("owner") }

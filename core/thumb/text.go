package thumb

import (
	"fmt"

	"pushmask/core/insn"
)

// Text returns the UAL text; cond is the condition of the enclosing IT block, insn.AL outside of one.
func Text(i insn.Inst, cond insn.Cond) string {
	if i.Size == 2 {
		return fmt.Sprintf(".inst.n 0x%04x", i.Raw)
	}
	return fmt.Sprintf(".inst.w 0x%08x", i.Raw)
}

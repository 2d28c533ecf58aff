package inspect

import (
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/types"
)

// Where says for people where a value lies: "at 0x20000010", "in r4", "in r4 and
// at 0x20000010" for one in pieces, "nowhere: it was optimized out".
func (v *Value) Where() string {
	switch {
	case v.err != nil:
		return "nowhere: " + reason(v.err, v.ctx.frame)
	case v.bitSize > 0 && v.inMemory:
		return fmt.Sprintf("at %v, bits %d to %d", core.Addr(v.addr), v.bitOffset, uint16(v.bitOffset)+v.bitSize-1)
	case v.inMemory && v.Type.underlying().kind == types.Function:
		return "at " + core.Addr(v.addr&^1).String()
	case v.inMemory:
		return "at " + core.Addr(v.addr).String()
	case v.hasRegister:
		return "in " + v.register.String()
	case v.symbol != "":
		n, _ := v.bits()
		return "at " + core.Addr(n).String()
	}
	var parts []string
	for _, p := range v.place {
		parts = append(parts, pieceText(p))
	}
	if len(parts) == 0 {
		return "nowhere: it is computed"
	}
	return strings.Join(parts, " and ")
}

// pieceText says where a piece of a value lies.
func pieceText(p expr.Piece) string {
	switch p.Kind {
	case expr.Register:
		return "in " + expr.RegisterName(p.Register)
	case expr.Memory:
		return "at " + core.Addr(p.Addr).String()
	case expr.OptimizedOut:
		return "optimized out"
	}
	return "nowhere: the compiler tells its value"
}

package dap

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/gdbcommand"
)

// Limits of what one command prints.
const (
	mostExamined     = 4096 // bytes
	mostInstructions = 256
)

// address evaluates an expression that is an address, or lies at one.
func (in *interpreter) address(ctx context.Context, expr string) (core.Addr, error) {
	v, err := in.evaluate(ctx, expr)
	if err != nil {
		return 0, err
	}
	a, err := v.Value.Word()
	return core.Addr(a), err
}

// examine prints memory.
func (in *interpreter) examine(ctx context.Context, cmd gdbcommand.Examine) error {
	if cmd.Expr == "" || cmd.Count < 0 {
		return errors.New("give an address")
	}
	at, err := in.address(ctx, cmd.Expr)
	if err != nil {
		return err
	}
	count := max(cmd.Count, 1)
	switch cmd.Format {
	case 'i':
		return in.instructions(ctx, at&^1, min(count, mostInstructions))
	case 's':
		return in.examineText(at, min(count, mostExamined))
	}
	return in.examineUnits(at, count, unitSize(cmd), cmd.Format)
}

// unitSize is the size of what x prints, in bytes.
func unitSize(cmd gdbcommand.Examine) int {
	switch cmd.Size {
	case 'b':
		return 1
	case 'h':
		return 2
	case 'g':
		return 8
	case 0:
		if cmd.Format == 'c' {
			return 1
		}
	}
	return 4
}

// examineUnits prints numbers, those of 16 bytes in a line, characters 8. What is
// not in memory ends them with the reason.
func (in *interpreter) examineUnits(at core.Addr, count, size int, format byte) error {
	b := make([]byte, min(count*size, mostExamined))
	n, err := in.debuggee.session.Memory().ReadAt(at, b)
	if n < size && err != nil {
		return err
	}
	perLine := 16 / size
	if format == 'c' {
		perLine = 8
	}
	for i := 0; (i+1)*size <= n; i++ {
		if i%perLine == 0 {
			in.printf("%s%v:", map[bool]string{true: "\n"}[i > 0], at+core.Addr(i*size))
		}
		var unit [8]byte
		copy(unit[:], b[i*size:][:size])
		in.printf(" %s", in.unitText(binary.LittleEndian.Uint64(unit[:]), size, format))
	}
	in.printf("\n")
	if err != nil {
		in.printf("%v\n", err)
	}
	return nil
}

// unitText writes a number of a size in bytes by a letter of x.
func (in *interpreter) unitText(n uint64, size int, format byte) string {
	shift := 64 - 8*size
	signed := int64(n<<shift) >> shift
	switch format {
	case 'd':
		return strconv.FormatInt(signed, 10)
	case 'u':
		return strconv.FormatUint(n, 10)
	case 'o':
		return fmt.Sprintf("%#o", n)
	case 't':
		return fmt.Sprintf("%0*b", 8*size, n)
	case 'c':
		return fmt.Sprintf("%d %q", int8(n), rune(n&0xff))
	case 'a':
		text := core.Addr(n).String()
		if name := in.debuggee.program.SymbolText(core.Addr(n)); name != "" {
			text += " <" + name + ">"
		}
		return text
	case 'f':
		if size == 8 {
			return strconv.FormatFloat(math.Float64frombits(n), 'g', -1, 64)
		} else if size == 4 {
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(n))), 'g', -1, 32)
		}
		return strconv.FormatInt(signed, 10) // as gdb: there is no such number
	}
	return fmt.Sprintf("0x%0*x", 2*size, n)
}

// examineText prints strings one after the other.
func (in *interpreter) examineText(at core.Addr, count int) error {
	left := mostExamined
	for i := 0; i < count && left > 0; i++ {
		b := make([]byte, min(left, 256))
		n, err := in.debuggee.session.Memory().ReadAt(at, b)
		if n == 0 && err != nil {
			if i > 0 {
				in.printf("%v\n", err)
				return nil
			}
			return err
		}
		text, _, ended := strings.Cut(string(b[:n]), "\x00")
		in.printf("%v: %q%s\n", at, text, map[bool]string{false: "..."}[ended])
		at += core.Addr(len(text))
		if ended {
			at++
		}
		left -= len(text) + 1
	}
	return nil
}

// instructions prints instructions from an address on.
func (in *interpreter) instructions(ctx context.Context, at core.Addr, count int) error {
	lines, err := in.debuggee.session.Disassemble(ctx, at, 0, count)
	for _, x := range lines {
		in.printf("%v  %-11s  %s\n", x.Addr, hexBytes(x.Bytes), placeText(x))
	}
	return err
}

package session

import (
	"context"
	"errors"
	"fmt"

	"pushmask/core"
)

// MaxLines bounds the count and the offset of one request for disassembly.
const MaxLines = 1 << 16

// ErrTooManyLines is returned for requests beyond [MaxLines].
var ErrTooManyLines = errors.New("too many lines of disassembly in one request")

// Line is one disassembled instruction, or a hole.
type Line struct {
	Addr    core.Addr
	Bytes   []byte // empty in a hole
	Text    string // UAL text; "" in a hole
	Invalid bool
	Symbol  string // "main+4"
	File    string
	SrcLine int
	Data    bool // literal pool or table
}

// Disassemble returns exactly count lines such that the line at index -offset
// is the instruction at addr (offset in instructions, negative reaches back);
// places without memory or code are padded with Invalid lines. Boundaries
// before addr are found by decoding from the start of the function, because
// T32 cannot be read backwards. Padding before address 0 wraps.
func (s *Session) Disassemble(ctx context.Context, addr core.Addr, offset, count int) ([]Line, error) {
	if count < 0 || count > MaxLines || offset < -MaxLines || offset > MaxLines {
		return nil, fmt.Errorf("%d lines from offset %d: %w (limit %d)", count, offset, ErrTooManyLines, MaxLines)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, a := s.lister(), uint64(addr)
	var items []item
	if offset < 0 {
		items = l.backward(a, -offset)
	}
	if ahead := offset + count; ahead > 0 {
		items = append(items, l.forward(a, ahead)...)
	}
	if offset > 0 {
		items = items[offset:]
	}
	return s.render(ctx, items[:count])
}

// DisassembleFunc lists the function that contains addr. Where no function is
// known around it, it lists the neighbourhood of addr under the name that the
// stack shows. Where there is no memory either, the error is a
// [*core.ReadError].
func (s *Session) DisassembleFunc(ctx context.Context, addr core.Addr) (name string, lines []Line, err error) {
	const before, after = 16, 48
	fn, ok := s.program.extent(addr)
	if !ok {
		if _, err := s.memory.ReadAt(addr, make([]byte, 1)); err != nil {
			return "", nil, err
		}
		lines, err = s.Disassemble(ctx, addr, -before, before+after)
		return unnamed(addr), lines, err
	}
	name = s.program.extentName(fn)
	items, _ := s.lister().decode(uint64(fn.Entry), uint64(fn.End), MaxLines+1, 0)
	if len(items) > MaxLines {
		return name, nil, fmt.Errorf("function %s: %w (limit %d)", name, ErrTooManyLines, MaxLines)
	}
	lines, err = s.render(ctx, items)
	return name, lines, err
}

// render turns places into text.
func (s *Session) render(ctx context.Context, items []item) ([]Line, error) {
	lines := make([]Line, len(items))
	for i := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lines[i] = s.renderOne(&items[i])
	}
	return lines, nil
}

func (s *Session) renderOne(x *item) Line {
	line := Line{Addr: x.addr}
	if x.kind == itemHole {
		line.Invalid = true
		return line
	}
	line.Bytes = append(line.Bytes, x.bytes[:x.size]...)
	line.Symbol = s.program.symbolText(x.addr)
	if x.kind == itemData {
		line.Data = true
		line.Text = s.dataText(x)
		return line
	}
	line.Text = s.codeText(x)
	if locs := s.program.locate(x.addr); len(locs) > 0 && locs[0].Line > 0 {
		line.File, _ = s.program.files.Resolve(locs[0].File)
		line.SrcLine = locs[0].Line
	}
	return line
}

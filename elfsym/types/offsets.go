package types

import (
	"fmt"
	"strings"
)

// SourceOffsets is [Type.Source] with the offset and the size of each member
// before it, the bytes and bits that no member takes, and the size of the whole,
// as gdb's "ptype /o" and pahole have them. Members that are structures are
// written in full too.
func (t *Type) SourceOffsets() string { return t.source(&offsets{}) }

// OffsetHeading stands over the columns of [Type.SourceOffsets].
const OffsetHeading = "/* offset      |    size */"

// offsetColumns is how many columns are before each line.
const offsetColumns = len(OffsetHeading)

// offsets are those of the object that is written.
type offsets struct {
	base uint32 // of the structure that is written, in the outermost, in bytes
}

// extent is how far the members before take up a structure.
type extent struct {
	bits uint64 // where the one that ends last ends
	// open says that a virtual base class is somewhere behind.
	open bool
}

// offset writes the columns of a member.
func (w *recordWriter) offset(m *Member, end *extent) {
	w.hole(m, end)
	size, _ := m.Type.Size()
	switch {
	case w.of.Kind == Union:
		fmt.Fprintf(w, "/*              %8d */", size)
	case m.BitSize > 0:
		fmt.Fprintf(w, "/* %6d:%2d   | %7d */", w.offsets.base+m.Offset, m.BitOffset, size)
	default:
		fmt.Fprintf(w, "/* %6d      | %7d */", w.offsets.base+m.Offset, size)
	}
}

// hole writes what lies between a member and those before, and counts it.
func (w *recordWriter) hole(m *Member, end *extent) {
	from := uint64(m.Offset)*8 + uint64(m.BitOffset)
	size, _ := m.Type.Size()
	width := uint64(size) * 8
	if m.BitSize > 0 {
		width = uint64(m.BitSize)
	}
	if w.of.Kind != Union {
		w.gap(end.bits, from, "hole")
	}
	end.bits = max(end.bits, from+width)
}

// gap writes that nothing lies from one bit to another.
func (w *recordWriter) gap(from, to uint64, what string) {
	if to <= from {
		return
	}
	if bits := min((8-from%8)%8, to-from); bits > 0 {
		w.WriteString(gapLine(bits, "bit", what))
		from += bits
	}
	if bytes := (to - from) / 8; bytes > 0 {
		w.WriteString(gapLine(bytes, "byte", what))
		from += bytes * 8
	}
	if bits := to - from; bits > 0 {
		w.WriteString(gapLine(bits, "bit", what))
	}
}

func gapLine(n uint64, unit, what string) string {
	text := fmt.Sprintf("/* --- %2d-%s %s", n, unit, what)
	return text + strings.Repeat(" ", max(len(OffsetHeading)-2-len(text), 1)) + "*/\n"
}

// baseOffset writes a line for a base class.
func (w *recordWriter) baseOffset(m *Member, end *extent) {
	if m.Expr != nil {
		end.open = true
		w.line(w.level+indentation, "<virtual "+m.Type.Name()+">;")
		return
	}
	w.offset(m, end)
	w.WriteString(strings.Repeat(" ", w.level+indentation) + "<" + m.Type.Name() + ">;\n")
}

// total writes what is left at the end, and the size of the structure.
func (w *recordWriter) total(t *Type, end *extent) {
	size, _ := t.Size()
	if t.Kind != Union && !end.open && end.bits > 0 {
		w.gap(end.bits, uint64(size)*8, "padding")
	}
	w.WriteByte('\n')
	w.line(w.level+indentation, fmt.Sprintf("/* total size (bytes): %4d */", size))
}

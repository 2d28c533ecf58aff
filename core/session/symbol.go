package session

import (
	"cmp"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// FrameKind is the kind of a shown frame: the public contract of bt --json.
type FrameKind string

// The kinds.
const (
	KindFrame     FrameKind = "frame"
	KindInline    FrameKind = "inline"
	KindException FrameKind = "exception"
)

// Frame is a line of the call stack as a user sees it. Inlined calls come
// before the frame they are in and share its Core.
type Frame struct {
	Kind     FrameKind
	Core     *core.Frame // activation this line belongs to
	Function string      // "main", "sub_08001234", "<exception HardFault>"
	Image    string      // name of the ELF with the code; "" where the program has no more than one, or none has it
	Offset   uint32      // of PC into the function, bytes
	File     string      // path on this machine where it was found, else as recorded; "" without line info
	Recorded string      // path as recorded in DWARF
	Found    bool        // File exists on this machine
	Line     int
	Column   int

	main    bool   // the image is the main one
	stack   *Stack // that the line is of, nil for none
	index   int    // in the stack
	inlined int    // calls inlined at the same place that are younger
}

// Label is the name of the function as people read it: with the ELF that it is
// of where that is not the main one, "boot.elf!main".
func (f *Frame) Label() string {
	if f.Image == "" || f.main {
		return f.Function
	}
	return f.Image + "!" + f.Function
}

// symbolise turns one activation into the lines that a user sees.
func (s *Session) symbolise(f *core.Frame) []Frame {
	lines := s.lines(f)
	image := s.program.imageName(f.Lookup)
	for i := range lines {
		if f.Kind != core.FrameException {
			lines[i].Image = image
			lines[i].main = image == s.program.images.Name(s.program.images.Main())
		}
	}
	return lines
}

// lines are those of symbolise without their image.
func (s *Session) lines(f *core.Frame) []Frame {
	if f.Kind == core.FrameException {
		return []Frame{{Kind: KindException, Core: f, Function: exceptionName(f.Exception)}}
	}
	locs := s.program.locate(f.Lookup)
	frames := make([]Frame, 0, len(locs)+1)
	for _, l := range locs {
		if l.Inline {
			line := s.sourceFrame(KindInline, f, l)
			line.inlined = len(frames)
			frames = append(frames, line)
		}
	}
	outer := Frame{Kind: KindFrame, Core: f}
	if n := len(locs); n > 0 && !locs[n-1].Inline {
		outer = s.sourceFrame(KindFrame, f, locs[n-1])
	}
	outer.inlined = len(frames)
	s.nameFunction(&outer)
	return append(frames, outer)
}

// sourceFrame returns the line of one source position.
func (s *Session) sourceFrame(kind FrameKind, f *core.Frame, l elfsym.Location) Frame {
	path, found := s.program.files.Resolve(l.File)
	name := l.Function
	if name == "" && kind == KindInline {
		name = "<inlined call>"
	}
	return Frame{
		Kind:     kind,
		Core:     f,
		Function: name,
		File:     path,
		Recorded: l.File,
		Found:    found,
		Line:     l.Line,
		Column:   l.Column,
	}
}

// nameFunction completes the name and the offset of an activation.
func (s *Session) nameFunction(f *Frame) {
	pc := f.Core.PC
	if fn, ok := s.program.funcAt(f.Core.Lookup); ok {
		f.Offset = uint32(pc) - fn.Entry
		if f.Function == "" {
			f.Function = fn.Name
		}
	}
	if f.Function != "" {
		return
	}
	switch s.program.contentAt(f.Core.Lookup) {
	case contentData:
		f.Function = fmt.Sprintf("<no code at %v>", pc)
	case contentForeign:
		f.Function = fmt.Sprintf("<not in the image: %v>", pc)
	case contentCode:
		entry := s.program.entryOf(f.Core)
		f.Function, f.Offset = unnamed(entry), uint32(pc-entry)
	}
}

// entryOf is where the unwinder thinks that the function of an activation
// starts, its PC where it does not know.
func (p *Program) entryOf(f *core.Frame) core.Addr {
	if fn, ok := p.code.FuncAt(f.Lookup); ok && fn.Entry <= f.PC {
		return fn.Entry
	}
	return f.PC
}

// extent returns the function around an address, its End past its Entry: that
// of a symbol or, in an image without symbols, the one that the unwinder found.
func (p *Program) extent(a core.Addr) (unwind.Func, bool) {
	if p.images.Empty() {
		return unwind.Func{}, false
	}
	if _, ok := p.funcAt(a); !ok && p.images.HasSymbols() {
		return unwind.Func{}, false
	}
	fn, ok := p.code.FuncAt(a)
	return fn, ok && fn.Entry <= a && a < fn.End
}

// extentName is the name of a function that extent returned.
func (p *Program) extentName(fn unwind.Func) string {
	return p.FunctionName(fn.Entry)
}

// unnamed is the name of a function that no symbol names.
func unnamed(entry core.Addr) string { return fmt.Sprintf("sub_%08x", uint32(entry)) }

// content is what the images say of an address.
type content uint8

const (
	contentCode    content = iota // can hold instructions, or there is no image to ask
	contentData                   // in an image, and no code
	contentForeign                // outside of all images: ROM, a boot loader, or a wild pointer
)

// contentAt classifies an address by segments and mapping symbols.
func (p *Program) contentAt(a core.Addr) content {
	if p.images.Empty() {
		return contentCode
	}
	for _, seg := range p.images.Segments() {
		if uint32(a)-seg.Addr >= seg.MemSize {
			continue
		}
		if !seg.Exec || p.images.State(uint32(a)) == elfsym.StateData {
			return contentData
		}
		return contentCode
	}
	return contentForeign
}

// exceptionName is the text of a hardware exception entry.
func exceptionName(e *core.ExceptionEntry) string {
	if e == nil {
		return "<exception>"
	}
	return strings.TrimSpace("<exception "+exceptionText(e)) + ">"
}

// exceptionText names an exception, "" where it is not known.
func exceptionText(e *core.ExceptionEntry) string { return cmp.Or(e.Name, exc.ExceptionName(e.Number)) }

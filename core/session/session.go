// Package session is the one API that the debug adapter, the language server
// and the command line use: it opens an image and a dump, checks that they
// belong together, and answers threads, stacks, memory, instructions and
// expressions in terms that need no further symbolisation.
package session

import (
	"context"

	"pushmask/core"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// Config says what to open and how.
type Config struct {
	Image     string // path of the firmware ELF; "" only where a dump alone is enough
	NoDebug   bool   // ignore DWARF, CFI and EHABI
	NoSymbols bool   // ignore symbols
	Cwd       string // base of relative paths; "" is the process's
	// SourceMap maps recorded source paths to paths on this machine, applied
	// before the automatic suffix match in Workspace.
	SourceMap []PathRule
	Workspace string // root for automatic source matching, "" for none
	// Progress, when set, is told about steps that may take long.
	Progress func(step string)
}

// PathRule replaces a path prefix.
type PathRule struct{ From, To string }

// Program is an opened image with everything that is shared by its dumps.
// It is safe for concurrent use.
type Program struct{}

// OpenProgram opens the image.
func OpenProgram(ctx context.Context, cfg Config) (*Program, error) { panic("owner") }

func (p *Program) Close() error            { return nil }
func (p *Program) Image() *elfsym.Image    { return nil }
func (p *Program) Unwind() *unwind.Program { return nil }

// OpenDump opens a crash artefact of the program.
func (p *Program) OpenDump(ctx context.Context, path string) (*Session, error) { panic("owner") }

// Session is a stopped target with its program. It is not safe for concurrent
// use: its user owns it.
type Session struct{}

func (s *Session) Close() error           { return nil }
func (s *Session) Program() *Program      { return nil }
func (s *Session) Target() core.Target    { return nil }
func (s *Session) Memory() core.Memory    { return nil } // spliced: dump over image
func (s *Session) Format() string         { return "" }  // of the artefact
func (s *Session) Warnings() []string     { return nil } // mismatch of dump and ELF, truncation, ...
func (s *Session) Threads() []core.Thread { return nil }

// Stack returns the (lazily growing, cached) stack of a thread.
func (s *Session) Stack(id core.ThreadID) (*Stack, error) { return nil, nil }

// Stack is the symbolised stack of one thread.
type Stack struct{}

// Frames returns n frames from start on (n <= 0: all), unwinding no further
// than needed. It returns fewer at the end.
func (k *Stack) Frames(ctx context.Context, start, n int) ([]Frame, error) { return nil, nil }

// Len returns the number of frames and true once the walk has ended.
func (k *Stack) Len() (int, bool) { return 0, false }

// Stop says why the stack ended; StopNone before that.
func (k *Stack) Stop() core.Stop { return core.Stop{} }

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
	Offset   uint32      // of PC into the function, bytes
	File     string      // path on this machine where it was found, else as recorded; "" without line info
	Recorded string      // path as recorded in DWARF
	Found    bool        // File exists on this machine
	Line     int
	Column   int
}

// Cause says why the target stopped.
type Cause struct {
	Name        string // "HardFault", "SIGSEGV", "Breakpoint", "Halted"
	Description string // one sentence: "precise data bus error reading 0xb0000000"
	Details     []string
}

// Cause explains the stop of a thread.
func (s *Session) Cause(ctx context.Context, id core.ThreadID) Cause { return Cause{} }

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
// places without memory or code are padded with Invalid lines.
func (s *Session) Disassemble(ctx context.Context, addr core.Addr, offset, count int) ([]Line, error) {
	return nil, nil
}

// DisassembleFunc lists the function that contains addr.
func (s *Session) DisassembleFunc(ctx context.Context, addr core.Addr) (name string, lines []Line, err error) {
	return "", nil, nil
}

// Value is the result of an expression.
type Value struct {
	Text    string    // natural form
	Type    string    // "register", "symbol", "address", "int"
	Addr    core.Addr // memory it refers to, when HasAddr
	HasAddr bool
	U32     uint32
}

// Evaluate evaluates registers ($sp, r0), addresses and numbers (0x20000000),
// symbols (main, &main), dereference (*0x20000000) and sums of them in the
// context of a frame (nil: the crashed thread's frame 0).
func (s *Session) Evaluate(ctx context.Context, expr string, f *Frame) (Value, error) {
	return Value{}, nil
}

package cause

import (
	"pushmask/core"
	"pushmask/core/exc"
	"pushmask/core/insn"
)

// Input is what is known of a stopped thread.
type Input struct {
	Profile core.Profile
	Thread  core.Thread
	// Regs are the thread's registers at the stop.
	Regs core.Regs
	// Frames are the youngest activations of its stack, hardware exceptions
	// included. A few are enough to find the fault below its handler.
	Frames []Frame
	// Memory is the target's over the image's code, Own what the artefact holds
	// itself.
	Memory, Own core.Memory
	// Arm are the fault registers of an A- or R-profile core; those of an
	// M-profile core are in Own.
	Arm exc.ArmFaults
	// Program answers for the image. It may not be nil.
	Program Program
	// Reported is what the artefact says of the cause in a line, "" where it does
	// not, and ReportedDetails what else it says, a line each.
	Reported        string
	ReportedDetails []string
}

// Frame is an activation with its names.
type Frame struct {
	*core.Frame
	// Functions are the names of its function and of those inlined into it at
	// its PC, innermost first.
	Functions []string
}

// Program is what is asked of the program that crashed.
type Program interface {
	// Content says what the image has at an address.
	Content(a core.Addr) Content
	// Symbol names the object or function at an address, "buffer+8", or where the
	// image has none the register of a device. It is "" where there is neither.
	Symbol(a core.Addr) string
	// Place names the source position of the instruction at pc: "app.c:120",
	// "main+12" without line information, "" without symbols.
	Place(pc core.Addr) string
	// Lookup returns the address of a symbol.
	Lookup(name string) (core.Addr, bool)
	// Body returns the instructions of the function around pc in the order of
	// addresses, nil where its bounds are not known.
	Body(pc core.Addr) []insn.Inst
	// Thumb reports whether code at an address is T32.
	Thumb(a core.Addr) bool
}

// Content is what the image has at an address.
type Content uint8

// The contents.
const (
	ContentUnknown  Content = iota // there is no image to ask
	ContentNone                    // outside of the image
	ContentCode                    // can hold instructions
	ContentCopied                  // the same in RAM, where start-up code copied it
	ContentConstant                // read-only data
	ContentVariable                // writable data
)

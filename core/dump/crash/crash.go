// Package crash describes one crash as a reader of core/dump found it in an
// artefact: registers of threads, pieces of memory, fault registers, and what
// the writer said in words. Readers of single formats return it; core/dump
// makes a target of it.
//
// What an artefact does not carry stays unknown: a register that is not set, a
// piece of memory that is not added.
package crash

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/core/exc"
)

// ErrNotARM is what errors.Is finds in the error of a reader for the dump of
// another architecture, which the error names.
var ErrNotARM = errors.New("not a dump of a 32-bit ARM processor")

// NotARM refuses the report of another machine by its name, "RISC-V".
func NotARM(machine string) error { return fmt.Errorf("the report is of %s: %w", machine, ErrNotARM) }

// Crash is one crash of an artefact, which can hold several.
type Crash struct {
	Format     string // for people: "Zephyr core dump", "NuttX crash log"
	System     string // operating system and version, "" if not stated
	Executable string // name of the program, "" if not stated
	BuildID    []byte // GNU build ID, nil if not stated
	Time       string // when it happened, in the artefact's words
	Where      Place
	// Core is the ELF core that the crash was written as, nil if it was not.
	// Threads and Memory are empty then. Lost lists the bytes of it that did not
	// arrive.
	Core []byte
	Lost []Span
	// Reported is the thread that crashed as a report of the same crash says, for
	// a Core that does not tell which of its threads that was; nil without one.
	Reported *Thread
	// Profile is what the format or the registers tell; ProfileKnown is false
	// where they do not.
	Profile      core.Profile
	ProfileKnown bool
	// Threads lists the threads, the crashed one marked.
	Threads []Thread
	Memory  []Piece
	// Arm holds the fault registers of an A- or R-profile core. Those of an
	// M-profile core are memory; see [Crash.SetFault].
	Arm exc.ArmFaults
	Told
	// Truncated says that the end of the crash is missing.
	Truncated bool
	// Refused says why nothing of the crash can be used, nil where something
	// can; see [NotARM].
	Refused error
	// Nested says that it happened while an earlier crash was being reported:
	// the handler crashed, and the earlier one is what went wrong.
	Nested   bool
	Warnings []string // what is missing or odd, for people
	// Unplaced lists what belongs to the crash and was not understood, in the
	// artefact's words, at most maxUnplaced entries.
	Unplaced []string
}

// Place is where in an artefact a crash begins.
type Place struct {
	Offset int64 // bytes from the start of the (unpacked) file
	Line   int   // of a text, from 1; 0 in binary files
}

// Span is a range of bytes of a file.
type Span struct{ Offset, Size int64 }

// Thread is a thread with its registers.
type Thread struct {
	core.Thread
	Regs core.Regs
}

// Piece is memory at an address.
type Piece struct {
	Addr core.Addr
	Data []byte
}

// Told is what the writer of the artefact said of the crash itself. It is
// shown as what it is, and never believed over registers and memory.
type Told struct {
	Cause    string   // one line: "MPU FAULT: Data Access Violation"
	Details  []string // further lines
	Location string   // source position: "main.c:120"
	// Backtrace is a call stack that the writer printed, youngest first.
	// Writers scan stacks and err.
	Backtrace []Call
}

// Call is an activation of a call stack that the writer printed.
type Call struct {
	// Addr is an address of code, with bit 0 clear, where HasAddr: where the
	// call returns to if Return is set, otherwise the PC.
	Addr            core.Addr
	HasAddr, Return bool
	// Name is the function in the writer's words, which may have an offset
	// behind it, and Location the source position: "seq_vprintf+0x18/0x64",
	// "src/main.rs:12:5". Each is "" where the writer does not say.
	Name, Location string
}

// AddCall adds an activation to the printed call stack: the PC of the youngest,
// a return address in callers. Bit 0 of the address may tell T32.
func (t *Told) AddCall(a uint32, name string) {
	t.add(Call{Addr: core.Addr(a &^ 1), HasAddr: true, Return: len(t.Backtrace) > 0, Name: name})
}

// AddReturn adds an activation that is known by a return address into it.
func (t *Told) AddReturn(a uint32, name string) {
	t.add(Call{Addr: core.Addr(a &^ 1), HasAddr: true, Return: true, Name: name})
}

// AddName adds an activation that is known by the name of its function.
func (t *Told) AddName(name, location string) { t.add(Call{Name: name, Location: location}) }

// maxCalls bounds a printed call stack.
const maxCalls = 1024

func (t *Told) add(c Call) {
	if len(t.Backtrace) < maxCalls {
		t.Backtrace = append(t.Backtrace, c)
	}
}

// maxUnplaced and maxWarnings bound lists for artefacts that are wrong
// throughout.
const (
	maxUnplaced = 100
	maxWarnings = 100
)

// Warnf adds a warning.
func (c *Crash) Warnf(format string, args ...any) {
	switch {
	case len(c.Warnings) < maxWarnings-1:
		c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
	case len(c.Warnings) == maxWarnings-1:
		c.Warnings = append(c.Warnings, "further warnings are left out")
	}
}

// Skip notes a part of the crash that was not understood.
func (c *Crash) Skip(text string) {
	if len(c.Unplaced) < maxUnplaced {
		c.Unplaced = append(c.Unplaced, text)
	}
}

// AddMemory adds memory; of pieces that overlap the earlier one counts.
func (c *Crash) AddMemory(a core.Addr, data []byte) {
	if len(data) > 0 {
		c.Memory = append(c.Memory, Piece{a, data})
	}
}

// AddWord adds a little-endian word of memory.
func (c *Crash) AddWord(a core.Addr, v uint32) {
	if n := len(c.Memory); n > 0 {
		if p := &c.Memory[n-1]; p.Addr+core.Addr(len(p.Data)) == a {
			p.Data = binary.LittleEndian.AppendUint32(p.Data, v)
			return
		}
	}
	c.AddMemory(a, binary.LittleEndian.AppendUint32(nil, v))
}

// SetFault adds the value of a fault register of an M-profile core as the word
// of memory that it is.
func (c *Crash) SetFault(r exc.FaultReg, v uint32) { c.AddWord(r.Addr(), v) }

// Crashed returns the crashed thread, adding one if there is none.
func (c *Crash) Crashed() *Thread {
	for i := range c.Threads {
		if c.Threads[i].Crashed {
			return &c.Threads[i]
		}
	}
	c.Threads = append(c.Threads, Thread{Thread: core.Thread{Crashed: true}})
	return &c.Threads[len(c.Threads)-1]
}

// Complete ranks a crash among others of its artefact: how much of what an
// unwinder needs is there.
func (c *Crash) Complete() int {
	n := 0
	if c.Core != nil {
		n = 6
	}
	for _, t := range c.Threads {
		if !t.Crashed {
			continue
		}
		if t.Regs.Has(core.PC) {
			n += 4
		}
		if t.Regs.Has(core.SP) && len(c.Memory) > 0 {
			n += 2
		}
	}
	if n > 0 && !c.Truncated {
		n++
	}
	if n > 0 && c.Nested { // less than an earlier one that has a PC
		n = max(1, n-4)
	}
	return n
}

// Package unwind answers how a stopped program got where it is: it walks the
// stack of one thread using instruction analysis of the code itself, hardware
// exception frames, and the link register. It needs no debug information.
//
// A [Program] holds the code of the images and the [Plan] of each function that
// was analysed so far; a [Walker] executes the rows of the plans on one
// thread's registers and memory, and proves each return address by its call
// site before it shows the frame.
package unwind

import (
	"sync"

	"pushmask/core"
	"pushmask/elfsym"
)

// Program is the code of the images of one address space with the plans computed
// for it so far. It is safe for concurrent use and shared by all dumps of them.
type Program struct {
	syms    symbols
	text    imageText
	profile core.Profile
	resets  map[core.Addr]bool // entries of reset handlers
	// handlers are the entries of exception handlers in the vector tables.
	handlers map[core.Addr]bool
	// modeVectors are the places and the handlers of the vector tables of A- and
	// R-profile: the number of the exception, 0 for handlers of several.
	modeVectors  map[core.Addr]int
	modeHandlers []codePtr     // of those tables
	vectorTables []VectorTable // of M-profile, at most one of each image
	// entryThumb tells the state that the ELFs' entries are entered in.
	entryThumb map[core.Addr]bool

	mu    sync.Mutex
	plans map[bounds]*Plan
	// entries are the analyses of functions as handlers of exceptions.
	entries map[entryKey]*Plan
	// proofs remembers how return addresses were graded, bounded by maxProofs.
	proofs map[proofKey]proven
	subs   map[core.Addr]bool // what subroutine found
	gone   map[codePtr]bool   // what endless found

	images *elfsym.Set // nil without one; for its frame tables

	callsOnce sync.Once
	sites     callSites
	discover  sync.Once
	found     discovery

	pointersOnce sync.Once
	pointers     []uint32         // what codePointers found
	ownPointers  []uint32         // what pointersWithin found
	pointees     map[codePtr]bool // what isPointee found; under mu
}

// symbols is what the unwinder asks of the images beside their code.
type symbols interface {
	FuncAt(pc uint32) (elfsym.Func, bool)
	State(addr uint32) elfsym.State
}

// noSymbols stands in where there is no image.
type noSymbols struct{}

func (noSymbols) FuncAt(uint32) (elfsym.Func, bool) { return elfsym.Func{}, false }
func (noSymbols) State(uint32) elfsym.State         { return elfsym.StateUnknown }

// Options configure a walk.
type Options struct {
	MaxFrames int // 0 means DefaultMaxFrames
	Profile   core.Profile
	// RAM lists the memory that the artefact holds. Where PSP is unknown the
	// walker looks there for the frame of an interrupted thread.
	RAM []Range
	// Foreign lists the stacks of other threads, which do not run: the frame
	// of an interrupted thread is not there.
	Foreign []Range
	// Running is the stack of the thread that runs by the word of the kernel, of
	// size 0 where that is not known. What an exception interrupts is that thread,
	// on that stack, unless its handler is that of SVCall or PendSV, where kernels
	// switch. Where PSP is unknown the walker looks there first.
	Running Range
}

// Range is a piece of the address space.
type Range struct {
	Addr core.Addr
	Size uint32 // bytes
}

// DefaultMaxFrames caps a stack that does not end by itself. Runaway recursion
// fills 64 KiB of stack with frames of 16 bytes before it faults.
const DefaultMaxFrames = 4096

// maxProofs bounds the memory of proofs: garbage stacks of many dumps must not
// fill it.
const maxProofs = 1 << 16

// maxCode bounds how much code of the images is held, in bytes. The largest
// flash of a Cortex-M part is 8 MiB.
const maxCode = 256 << 20

// FromImages prepares the code of images of one address space; it may be nil.
func FromImages(images *elfsym.Set) *Program {
	if images.Empty() {
		return newProgram(nil, noSymbols{}, nil, core.ProfileM)
	}
	profile := core.ProfileM
	if !images.MProfile() {
		profile = core.ProfileA
	}
	var code imageText
	total := 0
	for _, s := range images.Segments() {
		if !s.Exec || s.FileSize == 0 || total+int(s.FileSize) > maxCode {
			continue
		}
		buf := make([]byte, s.FileSize)
		n, _ := images.ReadAt(s.Addr, buf)
		code = append(code, extent{core.Addr(s.Addr), buf[:n], images.At(s.Addr)})
		total += n
	}
	var entries []uint32
	for _, m := range images.Images() {
		entries = append(entries, m.Entry())
	}
	return newProgram(images, images, code, profile, entries...)
}

// newProgram makes a program of code, of the images if there are any; entries are those of the ELFs, 0 for none.
// The reset handlers are the functions that hardware or a boot loader enters: the
// entries and, on M-profile, the second words of the vector tables (Armv7-M ARM
// B1.5.3).
func newProgram(images *elfsym.Set, syms symbols, code imageText, profile core.Profile, entries ...uint32) *Program {
	p := &Program{
		images: images, syms: syms, text: code, profile: profile,
		resets: make(map[core.Addr]bool), handlers: make(map[core.Addr]bool), entryThumb: make(map[core.Addr]bool),
		plans: make(map[bounds]*Plan), entries: make(map[entryKey]*Plan), proofs: make(map[proofKey]proven),
		subs: make(map[core.Addr]bool), gone: make(map[codePtr]bool), pointees: make(map[codePtr]bool),
	}
	for _, entry := range entries {
		if entry == 0 {
			continue
		}
		a, odd := core.CodeAddr(entry)
		p.resets[a], p.entryThumb[a] = true, odd
	}
	if profile == core.ProfileA {
		p.findModeVectors()
	}
	if profile == core.ProfileM {
		p.findVectorTables()
		p.noteVectorTables()
	}
	return p
}

// FuncAt returns the function that contains pc.
func (p *Program) FuncAt(pc core.Addr) (Func, bool) {
	if f, ok := p.syms.FuncAt(uint32(pc)); ok {
		return Func{
			Name: f.Name, Entry: core.Addr(f.Entry), End: core.Addr(f.End),
			Thumb: f.Thumb, Known: true, handler: p.handlers[core.Addr(f.Entry)],
			label: !f.Sized,
		}, true
	}
	if p.isData(pc) {
		return Func{}, false
	}
	f, ok := p.discovered().at(pc)
	if ok {
		f = p.narrow(f, pc)
	}
	f.handler = p.handlers[f.Entry]
	return f, ok
}

// discovered finds the functions the first time it is asked.
func (p *Program) discovered() *discovery {
	p.discover.Do(func() { p.found = discoverFunctions(p) })
	return &p.found
}

// Plan returns the analysis of the function f, computing it the first time.
func (p *Program) Plan(f Func) *Plan {
	p.mu.Lock()
	pl, ok := p.plans[f.bounds()]
	p.mu.Unlock()
	if ok {
		return pl
	}
	pl = analyse(f, p.text, p)
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, ok := p.plans[f.bounds()]; ok {
		return first
	}
	p.plans[f.bounds()] = pl
	return pl
}

// isData reports whether a lies in data according to mapping symbols.
func (p *Program) isData(a core.Addr) bool {
	return p.syms.State(uint32(a)) == elfsym.StateData
}

func (p *Program) starts(a core.Addr) bool { return p.resets[a] }

// thumb is the instruction set state at a: mapping symbols, then the profile.
func (p *Program) thumb(a core.Addr) bool {
	if p.profile == core.ProfileM {
		return true
	}
	switch p.syms.State(uint32(a)) {
	case elfsym.StateThumb:
		return true
	case elfsym.StateARM:
		return false
	}
	f, ok := p.syms.FuncAt(uint32(a))
	return ok && f.Thumb
}

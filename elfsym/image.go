package elfsym

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"pushmask/elfsym/scope"
)

// Image is an opened firmware ELF. Everything past the headers is read at
// first use. An Image is safe for concurrent use, except for Close.
type Image struct {
	path       string
	file       *elf.File
	closer     io.Closer // nil when the caller owns the reader
	opt        Options
	entry      uint32
	mProfile   bool
	attributes buildAttributes
	segments   []segment
	regions    []region // by section index; end is 0 for sections that are not loaded

	symtab      func() *symbolTable
	symbolFuncs func() *functionTable // of the symbol table
	functions   func() *functionTable // of the symbol table or, if it has none, of DWARF
	objects     func() *objectTable
	demangled   func() map[string][]int
	variables   func() map[string][]int // by source name
	debug       func() *debugInfo       // nil when there is no DWARF
	scopes      func() *scope.Program   // nil when there is no DWARF
	frames      frameInfo
	macros      macros

	mu       sync.Mutex
	problems []error
}

// Open opens the ELF file at path. It does not parse DWARF. A file that is no
// firmware image for 32-bit ARM gives a [*FormatError].
func Open(path string, opt Options) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		f.Close()
		return nil, &FormatError{path, 0, ErrNotELF, "it is a folder", "give the .elf that the linker wrote"}
	}
	m, err := New(f, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	m.closer = f
	return m, nil
}

// New reads an ELF from r; name is used in errors. The caller keeps r open as
// long as the image is in use.
func New(r io.ReaderAt, name string, opt Options) (m *Image, err error) {
	// debug/elf documents that it is not hardened against malformed files.
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, &FormatError{name, 0, ErrMalformed, fmt.Sprint(p), "build the file again"}
		}
	}()
	size, err := readerSize(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if err := (headerCheck{name, size}).check(r); err != nil {
		return nil, err
	}
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, parseError(name, err)
	}
	move(f, opt.Bias)
	m = &Image{path: name, file: f, opt: opt, entry: uint32(f.Entry)}
	if err := m.loadSegments(f, size); err != nil {
		return nil, err
	}
	if err := m.checkSections(f, size); err != nil {
		return nil, err
	}
	m.loadRegions(f)
	m.loadAttributes(f)
	m.setLazy()
	m.mProfile = m.detectProfile()
	return m, nil
}

func parseError(name string, err error) error {
	fe := &FormatError{Path: name, Reason: ErrMalformed, Detail: err.Error(), Remedy: "build the file again"}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		fe.Reason, fe.Detail, fe.Remedy = ErrTruncated, "a section header names bytes past the end", "copy or build the file again"
	}
	return fe
}

// setLazy declares what is computed at first use.
func (m *Image) setLazy() {
	m.symtab = sync.OnceValue(func() *symbolTable {
		if m.opt.NoSymbols {
			return &symbolTable{}
		}
		t, err := m.parseSymbols(m.file)
		m.report(err)
		return t
	})
	m.symbolFuncs = sync.OnceValue(func() *functionTable {
		return newFunctionTable(m.symbolFunctions(m.symtab()))
	})
	m.functions = sync.OnceValue(func() *functionTable {
		t := m.symbolFuncs()
		if len(t.funcs) > 0 {
			return t
		}
		if d := m.debug(); d != nil {
			t = newFunctionTable(d.allFunctions())
		}
		return t
	})
	m.debug = sync.OnceValue(m.openDebug)
	m.scopes = sync.OnceValue(m.openScopes)
	m.frames = newFrameInfo(m)
	m.macros.sections = sync.OnceValue(m.macroSections)
	m.objects = sync.OnceValue(func() *objectTable { return newObjectTable(m.symtab().symbols) })
	m.demangled = sync.OnceValue(func() map[string][]int { return demangledNames(m.symtab().symbols) })
	m.variables = sync.OnceValue(func() map[string][]int { return variableIndex(m.symtab().symbols) })
}

func (m *Image) loadAttributes(f *elf.File) {
	s := f.Section(".ARM.attributes")
	if s == nil {
		return
	}
	b, err := sectionData(s)
	if err == nil {
		m.attributes, err = parseAttributes(b)
	}
	m.report(err)
}

// report records a part of the image that could not be read.
func (m *Image) report(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.problems) < maxProblems {
		m.problems = append(m.problems, err)
	}
}

// maxProblems bounds the list of a file that is damaged everywhere.
const maxProblems = 20

// Problems returns the parts of the image that could not be read so far: a
// damaged symbol table, DWARF units. What depends on them is missing from the
// answers of the other methods, the rest is complete.
func (m *Image) Problems() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.problems)
}

// Close closes the file that [Open] opened.
func (m *Image) Close() error {
	if m.closer == nil {
		return nil
	}
	return m.closer.Close()
}

// Path returns the path or name the image was opened with.
func (m *Image) Path() string { return m.path }

// Entry returns e_entry of the header, moved by the bias, with the Thumb bit; 0
// where the image has none.
func (m *Image) Entry() uint32 { return m.entry }

// MProfile reports whether the image is for an M-profile core, from its build
// attributes or, without them, from the instruction sets it uses.
func (m *Image) MProfile() bool { return m.mProfile }

// HasSymbols reports whether the image has a symbol table with entries and is
// allowed to use it.
func (m *Image) HasSymbols() bool { return len(m.symtab().symbols) > 0 }

// State returns what the mapping symbols say about addr. An M-profile core
// has no ARM state, so $a there means Thumb code.
func (m *Image) State(addr uint32) State {
	s := m.symtab().stateAt(addr)
	if s == StateARM && m.mProfile {
		return StateThumb
	}
	return s
}

// Functions returns the functions sorted by Entry, one for each entry address.
// A sized function may contain further entries. Without a symbol table the
// functions come from DWARF, which reads all of its units.
func (m *Image) Functions() []Func { return slices.Clone(m.functions().funcs) }

// FuncAt returns the function that contains pc, the innermost where functions
// overlap. Where the symbol table has none, DWARF is asked (static functions
// of images stripped of local symbols). It is false between functions: code
// there belongs to nobody known. Bit 0 of pc is ignored.
func (m *Image) FuncAt(pc uint32) (Func, bool) {
	pc &^= 1
	if f, ok := m.symbolFuncs().at(pc); ok {
		return f, true
	}
	d := m.debug()
	if d == nil {
		return Func{}, false
	}
	return d.functionFor(pc)
}

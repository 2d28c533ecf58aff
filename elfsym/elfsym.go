// Package elfsym reads firmware ELF images: loadable segments, symbols with
// ARM mapping symbols, and, lazily, the DWARF line tables and inlined call
// chains that turn an address into source positions. It knows nothing of
// targets, registers or editors; addresses are plain 32-bit numbers.
package elfsym

// Options restrict what an image is allowed to use, and place it in memory.
type Options struct {
	NoSymbols bool // ignore the symbol tables
	NoDebug   bool // ignore DWARF, .eh_frame and EHABI tables
	// Bias is how far, modulo 1<<32, a position-independent program was loaded
	// from where it is linked: a multiple of the page size. All addresses of the
	// image, of what it takes and what it gives, are those of the moved program.
	// The content stays that of the file: what a dynamic linker would relocate is
	// not.
	Bias uint32
}

// State is the content of code memory according to the mapping symbols
// (ELF for the Arm Architecture, "Mapping symbols").
type State uint8

// The states.
const (
	StateUnknown State = iota
	StateThumb         // $t
	StateARM           // $a
	StateData          // $d
)

// Segment is a PT_LOAD segment.
type Segment struct {
	Addr, PhysAddr    uint32 // virtual and load address
	FileSize, MemSize uint32 // bytes
	Offset            uint32 // of its content in the file, in bytes
	Read, Write, Exec bool
}

// Func is a function as the symbol table (or, without one for it, DWARF) has it.
type Func struct {
	Name  string // most readable of the aliases, as in the symbol table
	Entry uint32 // bit 0 clear
	End   uint32 // first address past the function
	Thumb bool
	// Sized is false where End was derived from the next symbol or section end.
	Sized bool
}

// Symbol is a symbol table entry, bit 0 of function values cleared.
type Symbol struct {
	Name string
	Addr uint32
	Size uint32
	Func bool
}

// Location is a source position of an address. A list of them is the chain of
// inlined calls, innermost first; only the last is the real function.
type Location struct {
	Function string // demangled, "" when not known
	File     string // as recorded, made absolute with DW_AT_comp_dir; "" when not known
	Line     int    // 1-based, 0 when not known
	Column   int    // 1-based, 0 when not known
	Inline   bool   // this entry is an inlined call
}

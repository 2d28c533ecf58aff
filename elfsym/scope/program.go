package scope

import (
	"debug/dwarf"

	"pushmask/elfsym/die"
	"pushmask/elfsym/loclist"
	"pushmask/elfsym/types"
)

// Image is what the package has to know of the program beyond its DWARF.
type Image interface {
	// Bias is how far the program was moved, modulo 1<<32.
	Bias() uint32
	// FunctionEntry returns the place of the entry of the function at pc, of those
	// that the linker kept.
	FunctionEntry(pc uint32) (die.Offset, bool)
	// HoldsData reports whether a variable may lie at addr: the linker gives those
	// that it left out the address 0.
	HoldsData(addr uint32) bool
	// SourceFile returns the path of a file number of the unit whose own entry
	// lies at unit, "" when unknown.
	SourceFile(unit die.Offset, number int64) string
}

// Program is what a program declares. It is safe for concurrent use.
type Program struct {
	Types *types.Reader
	data  *die.Data
	image Image
}

// New returns the declarations in d.
func New(d *die.Data, image Image) *Program {
	return &Program{Types: types.New(d), data: d, image: image}
}

// Data returns the entries that the program was read from.
func (p *Program) Data() *die.Data { return p.data }

// Position is a place in the source.
type Position struct {
	File string // as recorded, "" when not known
	Line int    // 1-based, 0 when not known
}

// declared returns where an entry was declared.
func (p *Program) declared(e die.Entry) Position {
	return p.position(e.Inherited(dwarf.AttrDeclFile), e.Inherited(dwarf.AttrDeclLine))
}

func (p *Program) position(file, line die.Value) Position {
	var at Position
	if n, ok := line.Uint(); ok && n < 1<<31 {
		at.Line = int(n)
	}
	if n, ok := file.Int(); ok && n >= 0 && file.Unit() != nil {
		at.File = p.image.SourceFile(file.Unit().First, n)
	}
	return at
}

// ranges returns the addresses that an entry covers.
func (p *Program) ranges(e die.Entry) []loclist.Range {
	list, err := e.Ranges()
	if err != nil {
		return nil
	}
	bias := p.image.Bias()
	for i := range list {
		list[i].Lo += bias
		list[i].Hi += bias
	}
	return list
}

func covers(list []loclist.Range, pc uint32) bool {
	for _, r := range list {
		if r.Contains(pc) {
			return true
		}
	}
	return false
}

package elfsym

// Locate returns the source positions of the instruction at pc: the chain of
// inlined calls, innermost first, and last the real function. For a caller's
// frame pass an address inside the call instruction, not the return address.
// Without DWARF for pc it names the function only; nil where not even that is
// known. Bit 0 of pc is ignored.
func (m *Image) Locate(pc uint32) []Location {
	f, ok := m.FuncAt(pc)
	if !ok {
		return nil
	}
	return []Location{{Function: Demangle(f.Name)}}
}

// HasDebug reports whether the image has DWARF that it is allowed to use.
func (m *Image) HasDebug() bool { return false }

// Sources returns the source files that the line tables name.
func (m *Image) Sources() []string { return nil }

// Addresses returns the addresses where statements of a source line begin.
func (m *Image) Addresses(file string, line int) []uint32 { return nil }

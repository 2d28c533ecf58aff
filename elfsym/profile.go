package elfsym

import "encoding/binary"

// detectProfile decides whether the image is for an M-profile core. The build
// attributes are the toolchain's own statement; without them the instruction
// sets in use decide, because M-profile executes T32 only (Armv7-M ARM A4.1).
func (m *Image) detectProfile() bool {
	if mp, known := m.attributes.mProfile(); known {
		return mp
	}
	if mp, known := m.symtab().usesOnlyThumb(); known {
		return mp
	}
	return m.hasVectorTable() || m.entry == 0 || m.entry&1 != 0
}

// Baseline reports whether the image is for a core of the smaller M-profile
// instruction set, Armv6-M or Armv8-M Baseline, from its build attributes. It is
// not known where these are absent.
func (m *Image) Baseline() (baseline, known bool) {
	a := m.attributes
	if !a.hasArch || a.arch >= 64 {
		return false, false
	}
	return baselineArchs>>a.arch&1 != 0, true
}

// usesOnlyThumb looks for A32 code: a $a mapping symbol or a function whose
// address has bit 0 clear. known is false when there are no functions.
func (t *symbolTable) usesOnlyThumb() (only, known bool) {
	for _, s := range t.mapping {
		if s.state == StateARM {
			return false, true
		}
	}
	for i := range t.symbols {
		if s := &t.symbols[i]; s.isFunc() {
			if known = true; !s.thumb {
				return false, true
			}
		}
	}
	return true, known
}

// hasVectorTable reports whether a segment begins with what an M-profile core
// loads at reset: an aligned stack pointer that is no code address and a
// reset vector with the Thumb bit into code (Armv7-M ARM B1.5.3).
func (m *Image) hasVectorTable() bool {
	for i := range m.segments {
		var b [8]byte
		if _, err := m.ReadAt(m.segments[i].Addr, b[:]); err != nil {
			continue
		}
		sp, reset := binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])
		if sp != 0 && sp%4 == 0 && !m.executable(sp) && reset&1 != 0 && m.executable(reset&^1) {
			return true
		}
	}
	return false
}

package elfsym

import (
	"slices"

	"pushmask/elfsym/line"
)

// Locate returns the source positions of the instruction at pc: the chain of
// inlined calls, innermost first, and last the real function. For a caller's
// frame pass an address inside the call instruction, not the return address.
// Without DWARF for pc it names the function only; nil where not even that is
// known. Bit 0 of pc is ignored.
func (m *Image) Locate(pc uint32) []Location {
	pc &^= 1
	f, hasFunc := m.symbolFuncs().at(pc)
	if d := m.debug(); d != nil {
		if chain := d.locate(pc, f); chain != nil {
			return chain
		}
	}
	if !hasFunc {
		return nil
	}
	return []Location{{Function: Demangle(f.Name)}}
}

// locate returns nil when DWARF knows neither function nor line.
func (d *debugInfo) locate(pc uint32, f Func) []Location {
	d.mu.Lock()
	defer d.mu.Unlock()
	if fn, ok := d.functionAt(pc); ok {
		return d.chain(pc, fn, f)
	}
	for _, u := range d.unitsAt(pc) {
		if loc, ok := d.position(u, pc, pcRange{f.Entry, f.End}); ok {
			loc.Function = Demangle(f.Name)
			return []Location{loc}
		}
	}
	return nil
}

// chain builds the positions of pc in fn; f is the function of the symbol
// table, which names C++ functions that have no linkage name in DWARF.
func (d *debugInfo) chain(pc uint32, fn interval[*subprogram], f Func) []Location {
	u := fn.value.unit
	name := d.name(fn.value.offset)
	if name == "" || !mangled(name) && mangled(f.Name) {
		name = f.Name
	}
	at, _ := d.position(u, pc, pcRange{fn.lo, fn.hi})
	at.Function = Demangle(name)
	chain := []Location{at}
	for _, c := range d.callsAt(fn.value, pc) {
		inner := chain[len(chain)-1]
		inner.Function, inner.Inline = Demangle(d.name(c.offset)), true
		caller := &chain[len(chain)-1]
		caller.File, caller.Line, caller.Column = d.file(u, c.file), int(c.line), int(c.column)
		chain = append(chain, inner)
	}
	slices.Reverse(chain)
	return chain
}

// position looks pc up in the unit's line table. in is the function that pc
// is in, empty where that is not known.
func (d *debugInfo) position(u *unit, pc uint32, in pcRange) (Location, bool) {
	table := d.lineTable(u)
	if table == nil {
		return Location{}, false
	}
	s := d.chooseSequence(table.Covering(pc), in)
	if s == nil {
		return Location{}, false
	}
	row := s.At(pc)
	return Location{File: d.file(u, int64(row.File)), Line: int(row.Line), Column: int(row.Column)}, true
}

// chooseSequence returns the sequence of the function in among those that
// cover an address, nil when all belong to discarded functions. Where the
// function lies at the address that discarded ones claim, the sequence that
// ends with the function is its own.
func (d *debugInfo) chooseSequence(covering []*line.Sequence, in pcRange) *line.Sequence {
	var best *line.Sequence
	for _, s := range covering {
		proven := in.hi != 0 && s.Start >= in.lo
		switch {
		case !proven && !d.image.live(s.Start):
		case best == nil:
			best = s
		case s.Start == best.Start && s.End >= in.hi && (best.End < in.hi || s.End < best.End):
			best = s
		}
	}
	return best
}

// functionFor returns the DWARF function at pc as a Func.
func (d *debugInfo) functionFor(pc uint32) (Func, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn, ok := d.functionAt(pc)
	if !ok {
		return Func{}, false
	}
	return d.export(fn), true
}

// export makes a Func of one range of a function.
func (d *debugInfo) export(fn interval[*subprogram]) Func {
	m := d.image
	thumb := m.mProfile || m.symtab().stateAt(fn.lo) == StateThumb ||
		len(m.symtab().mapping) == 0 && m.entry&1 != 0
	return Func{Name: d.name(fn.value.offset), Entry: fn.lo, End: fn.hi, Thumb: thumb, Sized: true}
}

// allFunctions lists the functions of all units, for images without symbols.
func (d *debugInfo) allFunctions() []Func {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Func
	seen := make(map[uint32]bool)
	for _, u := range d.units {
		for _, fn := range d.unitFunctions(u).list {
			if !seen[fn.lo] && d.live(fn) {
				seen[fn.lo] = true
				out = append(out, d.export(fn))
			}
		}
	}
	return out
}

package elfsym

import "slices"

// Locate returns the source positions of the instruction at pc: the chain of
// inlined calls, innermost first, and last the real function. For a caller's
// frame pass an address inside the call instruction, not the return address.
// Without DWARF for pc it names the function only; nil where not even that is
// known. Bit 0 of pc is ignored.
func (m *Image) Locate(pc uint32) []Location {
	pc &^= 1
	f, hasFunc := m.symbolFuncs().at(pc)
	if d := m.debug(); d != nil {
		if chain := d.locate(pc, f, hasFunc); chain != nil {
			return chain
		}
	}
	if !hasFunc {
		return nil
	}
	return []Location{{Function: Demangle(f.Name)}}
}

// locate returns nil when DWARF knows neither function nor line.
func (d *debugInfo) locate(pc uint32, f Func, hasFunc bool) []Location {
	d.mu.Lock()
	defer d.mu.Unlock()
	if fn, ok := d.functionAt(pc); ok {
		return d.chain(pc, fn, f)
	}
	for _, u := range d.unitsAt(pc) {
		loc, ok := d.position(u, pc, func(start uint32) bool { return hasFunc && start >= f.Entry || d.image.live(start) })
		if ok {
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
	at, _ := d.position(u, pc, func(start uint32) bool { return start >= fn.lo || d.image.live(start) })
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

// position looks pc up in the unit's line table.
func (d *debugInfo) position(u *unit, pc uint32, live func(start uint32) bool) (Location, bool) {
	table := d.lineTable(u)
	if table == nil {
		return Location{}, false
	}
	row, ok := table.Find(pc, live)
	if !ok {
		return Location{}, false
	}
	return Location{File: d.file(u, int64(row.File)), Line: int(row.Line), Column: int(row.Column)}, true
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

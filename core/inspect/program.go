package inspect

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pushmask/core"
	"pushmask/elfsym"
	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// Program is the images of a program, whose variables can be looked at. It is
// safe for concurrent use; frames and values are not.
type Program struct {
	images *elfsym.Set
	// name describes what a word points to: " <main+4>", "" for nothing.
	name    func(word uint32) string
	vtables vtables
}

// New returns the variables of images, which may be nil: registers and memory
// remain. name describes what a word points to, as " <main+4>"; it may be nil.
func New(images *elfsym.Set, name func(word uint32) string) *Program {
	if name == nil {
		name = func(uint32) string { return "" }
	}
	return &Program{images: images, name: name}
}

// imageOf returns the image that the code of a frame belongs to: the main one
// where it is nobody's, nil where there is none.
func (p *Program) imageOf(f *Frame) *elfsym.Image {
	if f.HasPC {
		if m := p.images.At(uint32(f.Lookup)); m != nil {
			return m
		}
	}
	return p.images.Main()
}

// declarations returns what an image declares, nil where it has no DWARF.
func declarations(m *elfsym.Image) *scope.Program {
	if m == nil {
		return nil
	}
	return m.Scopes()
}

// context makes what expressions in a frame are evaluated in.
func (p *Program) context(f *Frame) *context {
	c := &context{program: p, frame: f, image: p.imageOf(f), result: typeInt}
	c.decls = declarations(c.image)
	c.machine = &machine{frame: f, program: p}
	if c.decls == nil || !f.HasPC {
		return c
	}
	c.scopes = skipInlined(c.decls.At(uint32(f.Lookup)), f.Inlined)
	if l := c.language(); l.IsCPlusPlus() || l == die.Rust {
		c.result = typeBool
	}
	return c
}

// skipInlined leaves out the n innermost inlined calls with all within.
func skipInlined(scopes []scope.Scope, n int) []scope.Scope {
	for i := 0; n > 0 && i < len(scopes); i++ {
		if scopes[i].Kind == scope.Inlined {
			if n--; n == 0 {
				return scopes[i+1:]
			}
		}
	}
	return scopes
}

// prefixes are the scopes that a name is looked up in, innermost first.
func (c *context) prefixes() []string {
	if c.decls != nil && c.searched == nil {
		c.searched = c.decls.Prefixes(c.scopes, c.unit())
	}
	return c.searched
}

func (c *context) language() die.Language {
	if len(c.scopes) == 0 || c.scopes[0].Entry.Unit == nil {
		return 0
	}
	return c.scopes[0].Entry.Unit.Language()
}

// unit is the unit of the function, nil where it is not known.
func (c *context) unit() *die.Unit {
	if len(c.scopes) == 0 {
		return nil
	}
	return c.scopes[0].Entry.Unit
}

// variable returns the value of a variable.
func (c *context) variable(v *scope.Variable) *Value {
	if c.real != nil {
		return c.memory(c.real.resolveLengths(v, wrap(v.Type)), assumedWord)
	}
	value := c.locate(v)
	if _, lost := errors.AsType[*RegisterError](value.err); lost && c.keeps(v) {
		kept := *c
		kept.machine = &machine{frame: c.frame, program: c.program, kept: true}
		if again := kept.locate(v); again.err == nil {
			return again
		}
	}
	return value
}

// keeps reports whether the compiler says that the call, in which the frame is,
// leaves the place of a variable alone, although it is in a register that calls
// may change. gcc knows what functions of the same file change (-fipa-ra), and
// ends the place of what a call destroys in the middle of the call: a place that
// holds there and at the return address is not destroyed. Other compilers let it
// end at the return address, where another one may begin that looks the same.
func (c *context) keeps(v *scope.Variable) bool {
	root, err := v.Entry.Unit.Root()
	if err != nil || !c.frame.IsCaller || !tracksCalls(root.Attr(dwarf.AttrProducer).Text()) {
		return false
	}
	before, err := v.Expr()
	if err != nil {
		return false
	}
	for _, s := range c.decls.At(uint32(c.frame.Return)) {
		for _, w := range s.Variables {
			if w.Entry.Offset == v.Entry.Offset {
				after, err := w.Expr()
				return err == nil && bytes.Equal(before.Code, after.Code)
			}
		}
	}
	return false
}

// tracksCalls reports whether places of variables in code of a producer end
// where calls destroy them: in that of gcc where it optimises. It states its
// options.
func tracksCalls(producer string) bool {
	return strings.HasPrefix(producer, "GNU ") && strings.Contains(producer, " -O") && !strings.Contains(producer, " -O0")
}

// locate is variable by the registers that are known.
func (c *context) locate(v *scope.Variable) *Value {
	t := c.resolveLengths(v, wrap(v.Type))
	where, err := v.Locate(c.machine)
	if err != nil {
		return c.failed(t, c.machine.explain(err))
	}
	value := c.at(t, where)
	_, value.isStatic = v.StaticAddress()
	return value
}

// resolveLengths gives an array whose length depends on the frame the length
// that it has there.
func (c *context) resolveLengths(v *scope.Variable, t *Type) *Type {
	u := t.underlying()
	if u.kind != types.Array {
		return t
	}
	dims := make([]types.Dim, len(u.dims))
	changed := false
	for i, d := range u.dims {
		dims[i] = d
		if d.Known || d.Bound == nil {
			continue
		}
		if n, err := v.Length(d, c.machine); err == nil {
			dims[i].Count, dims[i].Known, changed = n, true, true
		}
	}
	if !changed {
		return t
	}
	return &Type{kind: types.Array, dwarf: u.dwarf, elem: u.elem, dims: dims}
}

// at returns the value of a type at a place.
func (c *context) at(t *Type, where expr.Location) *Value {
	size, ok := t.Size()
	// What is in one piece that is shorter has a part that was optimized out.
	if a, is := where.Address(); is && (where[0].BitSize == 0 || ok && where[0].BitSize >= uint64(size)*8) {
		return c.memory(t, a).settled()
	}
	if !ok {
		return c.failed(t, fmt.Errorf("%w: %s", errIncomplete, t.Name()))
	}
	b, err := where.Read(c.machine, size)
	if err != nil {
		return c.failed(t, c.machine.explain(err))
	}
	v := &Value{Type: t, ctx: c, data: b.Data, known: b.Known, place: where, pointer: b.Pointer}
	if v.pointer == nil && size > 0 {
		v.trim()
	}
	return v
}

// EntryValue implements expr.Frame.
func (m *machine) EntryValue(code []byte) (uint64, error) {
	site, caller, err := m.callSite()
	if err != nil {
		return 0, err
	}
	return noEntryValue(site.EntryValue(code, caller))
}

// Parameter implements expr.Frame. A caller in another image knows nothing of
// parameters by their place in the DWARF of this one.
func (m *machine) Parameter(off uint64) (uint64, error) {
	site, caller, err := m.callSite()
	if err != nil {
		return 0, err
	}
	if m.image() != caller.image() {
		return 0, expr.ErrOptimizedOut
	}
	return noEntryValue(site.Parameter(off, caller))
}

// noEntryValue makes the lack of a value at entry what it means for a variable.
func noEntryValue(n uint64, err error) (uint64, error) {
	if err != nil {
		return 0, fmt.Errorf("%w: the value at entry is not known: %v", expr.ErrOptimizedOut, err)
	}
	return n, nil
}

// image is that of the code of m's frame.
func (m *machine) image() *elfsym.Image { return m.program.imageOf(m.frame) }

// callSite returns the call that entered the function of m. A call of another
// function says nothing: tail calls lie between.
func (m *machine) callSite() (*scope.CallSite, *machine, error) {
	caller, err := m.caller()
	if err != nil {
		return nil, nil, err
	}
	own := m.scopes()
	outer := caller.scopes()
	if len(own) == 0 || len(outer) == 0 {
		return nil, nil, expr.ErrOptimizedOut
	}
	site, ok := caller.image().Scopes().CallSite(outer[len(outer)-1].Entry, uint32(caller.frame.Return))
	if !ok || !m.isEnteredBy(site, caller, own[len(own)-1].Entry) {
		return nil, nil, expr.ErrOptimizedOut
	}
	return site, caller, nil
}

// isEnteredBy reports whether a call went to the function of m.
func (m *machine) isEnteredBy(site *scope.CallSite, caller *machine, function die.Entry) bool {
	switch {
	case site.Origin.Zero():
		return m.reaches(site, caller)
	case m.image() == caller.image():
		yes, _ := site.Calls(function)
		return yes
	}
	// Of a function of another image, the caller's has no more than the address.
	name := cmp.Or(site.Origin.LinkageName(), site.Origin.Name())
	fn, found := m.program.images.FuncAt(uint32(m.frame.Lookup))
	return found && slices.ContainsFunc(caller.image().Lookup(name), func(s elfsym.Symbol) bool { return s.Addr&^1 == fn.Entry })
}

// scopes returns those around the code of m's frame.
func (m *machine) scopes() []scope.Scope {
	decls := declarations(m.image())
	if decls == nil {
		return nil
	}
	return decls.At(uint32(m.frame.Lookup))
}

// reaches reports whether a call through a pointer went to the function of m.
func (m *machine) reaches(site *scope.CallSite, caller *machine) bool {
	target, ok := site.Target()
	if !ok {
		return false
	}
	to, err := expr.Number(target, caller)
	fn, found := m.program.images.FuncAt(uint32(m.frame.Lookup))
	return err == nil && found && uint32(to)&^1 == fn.Entry
}

// symbolAddress returns the address of an ELF symbol; bit 0 of functions is
// clear.
func (c *context) symbolAddress(name string) (addr core.Addr, n int) {
	if c.image == nil {
		return 0, 0
	}
	found := c.image.Lookup(name)
	if len(found) == 0 {
		return 0, 0
	}
	return core.Addr(found[0].Addr), len(found)
}

package inspect

import (
	"errors"
	"fmt"

	"pushmask/core"
	"pushmask/elfsym"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/macro"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// Value is a typed value: what a variable, a part of one or an expression is.
// Memory is read when the value is used, and no more of it than is shown.
type Value struct {
	Type *Type

	// Expr is an expression that evaluates to the value in the same frame, ""
	// where none does.
	Expr string

	ctx *context // what the value was evaluated in

	// One of these says where the value is: memory at addr, or data, of which
	// the bits set in known are there (nil: all are). place is where data came
	// from, nil for what an expression computed.
	addr     uint32
	inMemory bool
	data     []byte
	known    []byte
	place    expr.Location

	bitOffset uint8  // of a bit field, in the first byte
	bitSize   uint16 // 0 for what is no bit field

	// isStatic says that the program has the value at this address all the time,
	// or what it is a part of.
	isStatic bool

	// foreign is whom memory belongs to that an expression read for another image.
	foreign *elfsym.Image

	device  *DeviceRegister // a register of the device, which is read when it is used
	pointer *expr.Piece     // what an implicit pointer points to
	err     error           // why there is no value

	symbol string // the name of a symbol that the value is the address of
	// register is the core register that an expression named, NoReg else.
	register    core.Reg
	hasRegister bool
	raw         bool   // shown as it is laid out, not as what it means
	format      Format // that an expression asked for
	outer       string // expression of what an anonymous member is in
}

// context is what expressions and values are evaluated in.
type context struct {
	program  *Program
	frame    *Frame
	image    *elfsym.Image  // that names are looked up in first, nil where there is none
	decls    *scope.Program // of the image, nil without DWARF
	machine  *machine
	scopes   []scope.Scope
	searched []string     // what prefixes returned
	result   *Type        // of comparisons: int, or bool in C++ and Rust
	alone    bool         // other images are not asked
	macros   *macro.Scope // what macroScope returned
	// real is set in a context for types alone: it is that of the frame, which
	// knows how long arrays are.
	real *context
}

// failed is a value that is not there.
func (c *context) failed(t *Type, err error) *Value { return &Value{Type: t, ctx: c, err: err} }

// memory is a value of a type in memory.
func (c *context) memory(t *Type, addr uint32) *Value {
	return &Value{Type: t, ctx: c.owning(t), addr: addr, inMemory: true}
}

// computed is a value that is nowhere.
func (c *context) computed(t *Type, data []byte) *Value {
	return &Value{Type: t, ctx: c.owning(t), data: data}
}

// Errors that a value may have, beside those of package expr and
// [core.ErrNoMemory].
var (
	errIncomplete = errors.New("incomplete type")
	errTooLarge   = errors.New("too large to be read whole")
)

// Err returns why the value is not there, nil where at least a part may be.
func (v *Value) Err() error { return v.err }

// OptimizedOut reports whether the program has no value here.
func (v *Value) OptimizedOut() bool { return errors.Is(v.err, expr.ErrOptimizedOut) }

// Address returns where in memory the value lies; false where it does not, or is
// a bit field.
func (v *Value) Address() (core.Addr, bool) {
	if v.device != nil && !v.device.Field {
		return v.device.Addr, v.err == nil
	}
	return core.Addr(v.addr), v.inMemory && v.bitSize == 0 && v.err == nil
}

// MemoryReference returns the address that a user who asks for the memory of v
// means: where pointers point to, what an expression computed, and where else the
// value lies.
func (v *Value) MemoryReference() (core.Addr, bool) {
	t := v.Type.underlying()
	if t.isPointer() || !v.inMemory && v.place == nil && t.isInteger() && t.kind != types.Enum {
		n, err := v.bits()
		if size, ok := t.Size(); err == nil && ok && size == pointerSize {
			return core.Addr(n), true
		}
	}
	if t.kind == types.Function {
		return core.Addr(v.addr &^ 1), v.inMemory
	}
	return v.Address()
}

// maxRead bounds what is read of one value in one piece, in bytes.
const maxRead = 1 << 20

// content is the bytes of a value as far as they are there.
type content struct {
	data  []byte
	known []byte // bits that are there; nil: all
	err   error  // why some are not; the first reason
}

// complete reports whether all bits of n bytes from off on are there.
func (c *content) complete(off, n uint32) bool {
	if uint64(off)+uint64(n) > uint64(len(c.data)) {
		return false
	}
	if c.known == nil {
		return true
	}
	for _, k := range c.known[off : off+n] {
		if k != 0xff {
			return false
		}
	}
	return true
}

// read returns up to n bytes of v from off on.
func (v *Value) read(off, n uint32) content {
	switch {
	case v.err != nil:
		return content{err: v.err}
	case v.pointer != nil:
		return content{err: errSynthetic}
	case v.device != nil:
		return v.device.content(off, n)
	case n > maxRead:
		return content{err: errTooLarge}
	case v.inMemory:
		return readMemory(v.ctx.frame.Memory, v.addr+off, n)
	}
	end := min(uint64(off)+uint64(n), uint64(len(v.data)))
	if uint64(off) > end {
		return content{err: expr.ErrOptimizedOut}
	}
	c := content{data: v.data[off:end]}
	if v.known != nil {
		c.known, c.err = v.known[off:end], expr.ErrOptimizedOut
	}
	return c
}

var errSynthetic = errors.New("synthetic pointer")

// maxHoles bounds the holes that one read steps over.
const maxHoles = 256

// readMemory reads what there is of n bytes at addr.
func readMemory(m core.Memory, addr, n uint32) content {
	c := content{data: make([]byte, n)}
	for off, holes := uint32(0), 0; off < n; {
		got, err := m.ReadAt(core.Addr(addr+off), c.data[off:])
		if got > 0 && c.known != nil {
			setKnown(c.known[off:min(off+uint32(got), n)])
		}
		if err == nil {
			return c
		}
		if c.known == nil {
			c.err, c.known = err, make([]byte, n)
			setKnown(c.known[:min(off+uint32(max(got, 0)), n)])
		}
		off += uint32(max(got, 0))
		hole, ok := errors.AsType[*core.ReadError](err)
		if holes++; !ok || holes > maxHoles || addr+off < addr {
			return c
		}
		skip := max(hole.Len, 1)
		if uint64(off)+uint64(skip) >= uint64(n) {
			return c
		}
		off += skip
	}
	return c
}

func setKnown(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}

// whole returns all bytes of v, or why not all are there.
func (v *Value) whole() ([]byte, error) {
	size, ok := v.Type.Size()
	if !ok {
		return nil, fmt.Errorf("%w: %s", errIncomplete, v.Type.Name())
	}
	c := v.read(0, size)
	if !c.complete(0, size) {
		return nil, c.reason()
	}
	return c.data, nil
}

func (c *content) reason() error {
	if c.err == nil {
		return expr.ErrOptimizedOut
	}
	return c.err
}

// bits returns a scalar of up to 8 bytes, in the low end and not extended.
func (v *Value) bits() (uint64, error) {
	if v.bitSize > 0 {
		return v.field()
	}
	b, err := v.whole()
	if err != nil {
		return 0, err
	}
	if len(b) > 8 {
		return 0, fmt.Errorf("%w: a number of %d bytes", errTooLarge, len(b))
	}
	return little(v.Type.underlying().ordered(b)), nil
}

// Word returns a number or a pointer as a word; of what has parts and of
// functions it is the address.
func (v *Value) Word() (uint32, error) {
	n, err := v.decayed().number()
	if err == nil {
		return uint32(n.integer()), nil
	}
	if a, ok := v.Address(); ok {
		return uint32(a), nil
	}
	return 0, err
}

// field returns a bit field.
func (v *Value) field() (uint64, error) {
	if v.bitSize > 64 {
		return 0, fmt.Errorf("%w: a bit field of %d bits", errTooLarge, v.bitSize)
	}
	last := uint32(v.bitOffset) + uint32(v.bitSize)
	c := v.read(0, (last+7)/8)
	var n uint64
	for i := range uint32(v.bitSize) {
		at, mask := v.fieldBit(i)
		if at >= uint32(len(c.data)) || c.known != nil && c.known[at]&mask == 0 {
			return 0, c.reason()
		}
		if c.data[at]&mask != 0 {
			n |= 1 << i
		}
	}
	return n, nil
}

// fieldBit returns the byte and the mask of bit i of a bit field. Those of big-endian
// types are counted from the top of the first byte.
func (v *Value) fieldBit(i uint32) (at uint32, mask byte) {
	n := uint32(v.bitOffset) + i
	if !v.Type.underlying().isBigEndian() {
		return n / 8, 1 << (n % 8)
	}
	n = uint32(v.bitOffset) + uint32(v.bitSize) - 1 - i
	return n / 8, 0x80 >> (n % 8)
}

// little reads up to 8 bytes as a number.
func little(b []byte) (n uint64) {
	for i, x := range b {
		n |= uint64(x) << (8 * i)
	}
	return n
}

// littleBytes is the inverse of little.
func littleBytes(n uint64, size uint32) []byte {
	b := make([]byte, size)
	for i := range b {
		if i < 8 {
			b[i] = byte(n >> (8 * i))
		}
	}
	return b
}

// part returns a part of v: a value of a type that begins off bytes into it.
func (v *Value) part(t *Type, off uint32) *Value {
	p := &Value{Type: t, ctx: v.ctx.owning(t), err: v.err, raw: v.raw, foreign: v.foreign}
	switch {
	case v.err != nil:
	case v.inMemory:
		p.addr, p.inMemory, p.isStatic = v.addr+off, true, v.isStatic
	case v.pointer != nil:
		p.err = expr.ErrOptimizedOut
	case off > uint32(len(v.data)):
		p.err = expr.ErrOptimizedOut
	default:
		p.data, p.place = v.data[off:], v.place
		if v.known != nil {
			p.known = v.known[off:]
		}
		p.trim()
	}
	return p
}

// trim cuts the data of a part to its size, and makes a value without any bits
// one that is not there.
func (v *Value) trim() {
	if size, ok := v.Type.Size(); ok && size < uint32(len(v.data)) {
		v.data = v.data[:size]
		if v.known != nil {
			v.known = v.known[:size]
		}
	}
	switch {
	case allBits(v.known):
		v.known = nil
	case !anyBit(v.known):
		v.err = expr.ErrOptimizedOut
	}
}

// anyBit reports whether a bit is set.
func anyBit(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return true
		}
	}
	return false
}

// allBits reports whether all bits are set.
func allBits(b []byte) bool {
	for _, x := range b {
		if x != 0xff {
			return false
		}
	}
	return true
}

// IsPointer reports whether v is a pointer or a reference: its parts are not in
// it.
func (v *Value) IsPointer() bool {
	t := v.Type.underlying()
	return t.isPointer() || t.isReference()
}

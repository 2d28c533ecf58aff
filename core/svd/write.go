package svd

import (
	"errors"
	"fmt"
)

// Errors of writes, found by errors.Is.
var (
	// ErrNotWritable is for fields that are read-only, or of unknown access.
	ErrNotWritable = errors.New("not writable")
	// ErrValue is for values that do not fit or that the description forbids.
	ErrValue = errors.New("value cannot be written")
	// ErrUnknown is for a register that has to be read first and was not.
	ErrUnknown = errors.New("value of the other fields is not known")
	// ErrNoWay is for a value that no write gives to the field.
	ErrNoWay = errors.New("no write gives the field that value")
)

// WriteError says which field of which register cannot be written, and why.
type WriteError struct {
	Register *Register
	Field    *Field // nil for the whole register
	Value    uint64
	Err      error
}

// Error implements error.
func (e *WriteError) Error() string {
	name := e.Register.String()
	if e.Field != nil {
		name += "." + e.Field.Name
	}
	return fmt.Sprintf("write %#x to %s: %v", e.Value, name, e.Err)
}

// Unwrap returns the reason.
func (e *WriteError) Unwrap() error { return e.Err }

// Content is what a register holds, as far as it was read.
type Content struct {
	Value uint64
	Known bool
}

// Write is one write to a register.
type Write struct {
	// Value is what to write, in an access of the register's width.
	Value uint64
	// Touched are other fields that the write may change: those that any write
	// clears or sets or whose effect is not known, that count only once after
	// reset, or that cannot be read and get their reset value.
	Touched []*Field
}

// NeedsContent reports whether what a register holds has to be known to write
// the field alone: there are other bits that the write must keep.
func (r *Register) NeedsContent(f *Field) bool {
	if f.Constraint != nil && f.Constraint.AsRead {
		return true
	}
	keep := ones(r.Size) &^ f.Mask()
	for _, o := range r.Fields {
		if o.Access.Readable() && o.Access.Writable() && o.WriteEffect == WriteModifies && o.Mask()&keep != 0 {
			return true
		}
		keep &^= o.Mask()
	}
	return keep != 0 && r.own() != NotReadable && r.WriteEffect == WriteModifies
}

// Put returns the write that puts the bits v into a field and leaves the other
// fields as they are. What the bits do is the field's matter: with
// [OneToClear], 1 clears. See [Register.Set] for a value that the field should
// have. now is what the register holds; it must be known if
// [Register.NeedsContent].
func (r *Register) Put(f *Field, v uint64, now Content) (Write, error) {
	if err := r.check(f, v, now); err != nil {
		return Write{}, &WriteError{r, f, v, err}
	}
	w := Write{Value: r.rest(now)}
	taken := f.Mask()
	for _, o := range r.Fields {
		mask := o.Mask() &^ taken
		if o == f || mask == 0 {
			continue
		}
		taken |= mask
		w.Value = w.Value&^mask | r.neutral(o, now)&mask
		if r.touches(o) {
			w.Touched = append(w.Touched, o)
		}
	}
	w.Value = w.Value&^f.Mask() | v<<f.LSB
	return w, nil
}

// PutAll returns the write that puts v into the whole register. Bits of fields
// that are read-only have no effect. now is what the register holds; it must be
// known where only what was read may be written to a field.
func (r *Register) PutAll(v uint64, now Content) (Write, error) {
	fail := func(err error) (Write, error) { return Write{}, &WriteError{r, nil, v, err} }
	switch {
	case !r.Writable():
		return fail(ErrNotWritable)
	case v > ones(r.Size):
		return fail(fmt.Errorf("%w: the register has %d bits", ErrValue, r.Size))
	}
	for _, f := range r.Fields {
		if !f.Access.Writable() || f.Constraint == nil {
			continue
		}
		if f.Constraint.AsRead && !now.Known {
			return fail(ErrUnknown)
		}
		if err := f.allows(v>>f.LSB&f.Max(), now.Value>>f.LSB&f.Max()); err != nil {
			return fail(fmt.Errorf("field %s: %w", f.Name, err))
		}
	}
	if c := r.Constraint; c != nil && len(r.Fields) == 0 {
		if c.AsRead && !now.Known {
			return fail(ErrUnknown)
		}
		whole := Field{Width: r.Size, Constraint: c}
		if err := whole.allows(v, now.Value); err != nil {
			return fail(err)
		}
	}
	return Write{Value: v}, nil
}

// Writable reports whether writes to the register as a whole have a defined
// result: one of its fields may be written, where it has any.
func (r *Register) Writable() bool {
	if len(r.Fields) == 0 {
		return r.Access.Writable()
	}
	for _, f := range r.Fields {
		if f.Access.Writable() {
			return true
		}
	}
	return false
}

// check reports why v must not be put into a field.
func (r *Register) check(f *Field, v uint64, now Content) error {
	switch {
	case !f.Access.Writable():
		return ErrNotWritable
	case v > f.Max():
		return fmt.Errorf("%w: the field has %d bits", ErrValue, f.Width)
	case !now.Known && r.NeedsContent(f):
		return ErrUnknown
	}
	return f.allows(v, now.Value>>f.LSB&f.Max())
}

// allows reports why the constraint of a field, which holds have, forbids to
// write v.
func (f *Field) allows(v, have uint64) error {
	c := f.Constraint
	switch {
	case c == nil:
	case c.AsRead && v != have:
		return fmt.Errorf("%w: only what was read may be written", ErrValue)
	case c.Enumerated && f.nameOf(v, UseWrite) == nil:
		return fmt.Errorf("%w: only values with names may be written", ErrValue)
	case c.Range && (v < c.Min || v > c.Max):
		return fmt.Errorf("%w: it must be from %d to %d", ErrValue, c.Min, c.Max)
	}
	return nil
}

// rest returns what to write to bits that belong to no field: what they hold,
// or else their reset value; nothing where bits act.
func (r *Register) rest(now Content) uint64 {
	v := r.ResetValue
	if now.Known && r.own() != NotReadable {
		v = now.Value & ones(r.Size)
	}
	return keeping(r.WriteEffect, v) & ones(r.Size)
}

// neutral returns the bits to write, at their place in the register, so that
// a field stays as it is.
func (r *Register) neutral(f *Field, now Content) uint64 {
	v := r.ResetValue
	if now.Known && f.Access.Readable() {
		v = now.Value
	}
	return keeping(f.WriteEffect, v)
}

// keeping returns the bits that keep a value v under an effect.
func keeping(e WriteEffect, v uint64) uint64 {
	switch e {
	case OneToClear, OneToSet, OneToToggle:
		return 0
	case ZeroToClear, ZeroToSet, ZeroToToggle:
		return ^uint64(0)
	}
	return v
}

// touches reports whether a write may change a field although it should keep
// it.
func (r *Register) touches(f *Field) bool {
	switch {
	case !f.Access.Writable():
		return false
	case f.WriteEffect >= WriteClears || f.Access.once():
		return true
	}
	return !f.Access.Readable() && f.WriteEffect == WriteModifies
}

// Set returns the write after which a field has the value want, and the other
// fields are as they are: to clear a [OneToClear] flag, it writes 1. now is
// what the register holds. [ErrNoWay] says that the field's effect cannot make
// that value of the one it has.
func (r *Register) Set(f *Field, want uint64, now Content) (Write, error) {
	if want > f.Max() {
		return Write{}, &WriteError{r, f, want, fmt.Errorf("%w: the field has %d bits", ErrValue, f.Width)}
	}
	if f.WriteEffect == WriteModifies {
		return r.Put(f, want, now)
	}
	if !now.Known || !f.Access.Readable() {
		return Write{}, &WriteError{r, f, want, ErrUnknown}
	}
	have := now.Value >> f.LSB & f.Max()
	bits, ok := acting(f, have, want)
	if !ok {
		return Write{}, &WriteError{r, f, want, ErrNoWay}
	}
	return r.Put(f, bits&f.Max(), now)
}

// acting returns the bits to write to make want of have; where any bits do, they
// are want.
func acting(f *Field, have, want uint64) (uint64, bool) {
	clears, sets := have&^want, want&^have
	switch f.WriteEffect {
	case OneToClear:
		return clears, sets == 0
	case OneToSet:
		return sets, clears == 0
	case OneToToggle:
		return have ^ want, true
	case ZeroToClear:
		return ^clears, sets == 0
	case ZeroToSet:
		return ^sets, clears == 0
	case ZeroToToggle:
		return ^(have ^ want), true
	case WriteClears:
		return want, want == 0
	case WriteSets:
		return want, want == f.Max()
	}
	return 0, false
}

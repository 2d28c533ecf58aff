package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pushmask/core"
	"pushmask/core/svd"
)

// Errors of changes to peripherals, found by errors.Is.
var (
	// ErrNotLive is returned where a dump would have to be changed.
	ErrNotLive = errors.New("a crash dump is not changed: only a live target can be")
	// ErrNoRegister is returned for items that hold no value of their own.
	ErrNoRegister = errors.New("only registers and their fields can be changed")
)

// SetPeripheral gives a register or a field of a live target a value: a number,
// or the name of a value of the field. Names that the description has for writes
// alone say which bits to write; all other values are what the field is to have.
// The other fields keep what they hold, which is read where that changes nothing;
// touched are those that the write may change all the same.
func (s *Session) SetPeripheral(ctx context.Context, x PeripheralItem, text string) (touched []string, err error) {
	d, r := s.program.description.read(), x.register
	live, ok := s.target.(accessor)
	switch {
	case !ok:
		return nil, ErrNotLive
	case d == nil || r == nil:
		return nil, ErrNoRegister
	}
	held := s.content(ctx, d, r)
	if held.hazard == svd.Conditional {
		return nil, fmt.Errorf("%v is not written: its peripheral may only be touched under the condition %q", r, r.Peripheral.DisableCondition)
	}
	if held.err != nil {
		return nil, fmt.Errorf("%v is read first: %w", r, held.err)
	}
	w, err := writeOf(r, x.field, text, held.Content)
	if errors.Is(err, svd.ErrUnknown) && held.hazard != svd.NoHazard {
		err = fmt.Errorf("%w (%s)", err, held.text(r))
	}
	if err != nil {
		return nil, err
	}
	access := d.Accesses(r)
	if uint32(access.Addr)%uint32(access.Width) != 0 {
		return nil, fmt.Errorf("write %v: it is %v", r, svd.Unaligned)
	}
	for i := range access.Count {
		p := make([]byte, access.Width)
		for k := range p {
			p[k] = byte(w.Value >> (8 * (i*access.Width + k)))
		}
		if err := live.WriteAccess(ctx, access.Addr+core.Addr(i*access.Width), p); err != nil {
			return nil, err
		}
	}
	for _, f := range w.Touched {
		touched = append(touched, f.Name)
	}
	return touched, nil
}

// writeOf returns what to write to a register to give it, or a field of it, the
// value that text says.
func writeOf(r *svd.Register, f *svd.Field, text string, now svd.Content) (svd.Write, error) {
	// Values are shown with their names behind them: "3 (SLOW)".
	text, _, _ = strings.Cut(strings.TrimSpace(text), " (")
	v, err := strconv.ParseUint(text, 0, 64)
	switch {
	case f == nil && err != nil:
		return svd.Write{}, fmt.Errorf("%q is no number", text)
	case f == nil:
		return r.PutAll(v, now)
	case err == nil:
		return r.Set(f, v, now)
	}
	v, use, err := namedValue(f, text)
	switch {
	case err != nil:
		return svd.Write{}, err
	case use == svd.UseWrite:
		return r.Put(f, v, now)
	}
	return r.Set(f, v, now)
}

// namedValue returns the value that a name of a field stands for, and what the
// description has the name for.
func namedValue(f *svd.Field, name string) (uint64, svd.Usage, error) {
	var known []string
	for _, e := range f.Enums {
		for i := range e.Values {
			v := &e.Values[i]
			if v.Default || v.Name == "" {
				continue
			}
			if v.Name == name {
				return v.Value, e.Usage, nil
			}
			known = append(known, v.Name)
		}
	}
	if len(known) == 0 {
		return 0, 0, fmt.Errorf("%q is no number, and the values of %s have no names", name, f.Name)
	}
	return 0, 0, fmt.Errorf("%q is neither a number nor one of the names %s", name, strings.Join(known, ", "))
}

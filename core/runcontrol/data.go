package runcontrol

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
	"pushmask/core/gdbremote"
	"pushmask/core/live"
)

const hardware = gdbremote.HardwareBreakpoint

// watchKinds are the watchpoints for the accesses.
var watchKinds = map[Access]gdbremote.BreakpointKind{
	AccessWrite:     gdbremote.WriteWatchpoint,
	AccessRead:      gdbremote.ReadWatchpoint,
	AccessReadWrite: gdbremote.AccessWatchpoint,
}

// maxWatched is the size of the largest value that one data breakpoint watches,
// in words of a comparator.
const maxWatched = 4

// placeData sets a data breakpoint; the error is that of a lost connection. It
// is made of aligned pieces of 1, 2 or 4 bytes, which is what every comparator
// can watch (Armv7-M ARM C1.8: DWT compares naturally aligned ranges).
func (l *Live) placeData(ctx context.Context, p *placed) error {
	s := p.spec
	if s.Size < 1 || s.Size > 4*maxWatched {
		p.Message = fmt.Sprintf("a value of %d bytes cannot be watched: 1 to %d bytes can", s.Size, 4*maxWatched)
		return nil
	}
	value := make([]byte, s.Size)
	if n, err := l.machine.Memory().ReadAt(s.Addr, value); n < len(value) {
		if err != nil && !live.Refused(err) {
			return err
		}
		p.Message = fmt.Sprintf("the %d bytes at %v cannot be read", s.Size, s.Addr)
		return nil
	}
	p.value = value
	for _, piece := range pieces(s) {
		if err := l.insert(ctx, p, piece); err != nil {
			return err
		}
	}
	if len(p.points) < len(pieces(s)) {
		message := p.Message
		err := l.remove(ctx, p)
		p.Message = message
		return err
	}
	p.Message = ""
	return nil
}

// pieces cuts a range into aligned watchpoints.
func pieces(s Spec) []live.Point {
	var list []live.Point
	for at, left := s.Addr, s.Size; left > 0; {
		size := 4
		for size > left || uint32(at)%uint32(size) != 0 {
			size /= 2
		}
		list = append(list, live.Point{Kind: watchKinds[s.Access], Addr: at, Size: size})
		at, left = at+core.Addr(size), left-size
	}
	return list
}

// watched finds the data breakpoints that a stop is of: those around the address
// that the stub tells and, where it tells none, those whose value has changed.
func (r *runner) watched(stop *gdbremote.Stop) (hit []*placed, tells bool) {
	tells = stop.Reason == gdbremote.ReasonWatch || stop.Reason == gdbremote.ReasonReadWatch || stop.Reason == gdbremote.ReasonAccessWatch
	for _, p := range r.points.data() {
		s := p.spec
		near := stop.Address&^3 <= s.Addr+core.Addr(s.Size-1) && stop.Address|3 >= s.Addr
		if tells && near || !tells && s.Access != AccessRead && r.changed(p) {
			hit = append(hit, p)
		}
	}
	return hit, tells
}

// passAccess runs the instruction whose access stopped the target: QEMU stops
// before it, and would again. A comparator of DWT stops behind it, which nothing
// tells; then it is one instruction more, as with gdb.
func (r *runner) passAccess(ctx context.Context) error {
	lower, err := r.machine.LiftWatchpoints(ctx)
	if err == nil {
		var regs core.Regs
		if regs, err = r.regs(ctx); err == nil {
			var down func(context.Context) error
			if down, err = r.machine.Lift(ctx, pcOf(&regs)); err == nil {
				_, _, err = r.run(ctx, false, func(ctx context.Context) (gdbremote.Stop, error) {
					return r.machine.Step(ctx, r.thread)
				})
			}
			err = errors.Join(err, down(ctx))
		}
	}
	if err = errors.Join(err, lower(ctx)); err != nil {
		return fmt.Errorf("step over the access to watched data: %w", err)
	}
	return nil
}

// changed reports whether a watched value is not the one of the last stop.
func (r *runner) changed(p *placed) bool {
	now := make([]byte, len(p.value))
	n, _ := r.machine.Memory().ReadAt(p.spec.Addr, now)
	return n == len(now) && !bytes.Equal(now, p.value)
}

// dataHits decides which of the data breakpoints stop the target, and says what
// happened to the first.
func (r *runner) dataHits(ctx context.Context, list []*placed) (*Event, error) {
	var ev *Event
	for _, p := range list {
		old := slices.Clone(p.value)
		_, _ = r.machine.Memory().ReadAt(p.spec.Addr, p.value) // stays as it was where it cannot be read
		if p.spec.Access == AccessWrite && bytes.Equal(old, p.value) {
			continue // written with the value that it has
		}
		stops, text, err := r.hit(ctx, p)
		if err != nil {
			return nil, err
		}
		if !stops {
			continue
		}
		if ev == nil {
			ev = &Event{Kind: EventDataBreakpoint, HitKind: DataBreakpoint}
			ev.Description = "watch " + r.nameOf(p)
			ev.Text = r.nameOf(p) + ": " + transition(old, p.value)
		}
		if text != "" {
			ev.Text += "\n" + text
		}
		ev.Hit = append(ev.Hit, p.ID)
	}
	return ev, nil
}

// nameOf is the watched thing for people.
func (l *Live) nameOf(p *placed) string {
	a := p.spec.Addr
	if p.spec.Name != "" {
		return p.spec.Name
	}
	if !l.lines.images.Empty() {
		if sym, ok := l.lines.images.SymbolAt(uint32(a)); ok && !sym.Func {
			name := l.lines.images.Label(l.lines.images.At(uint32(a)), sym.Name)
			if off := uint32(a) - sym.Addr; off > 0 {
				return fmt.Sprintf("%s+%d", name, off)
			}
			return name
		}
	}
	return a.String()
}

// transition tells old and new value.
func transition(old, now []byte) string {
	if bytes.Equal(old, now) {
		return "accessed, " + valueText(now)
	}
	return valueText(old) + " -> " + valueText(now)
}

// valueText is a value as a number where it has the size of one.
func valueText(b []byte) string {
	switch len(b) {
	case 1, 2, 4, 8:
		var wide [8]byte
		copy(wide[:], b)
		v := binary.LittleEndian.Uint64(wide[:])
		return fmt.Sprintf("%d (0x%0*x)", v, 2*len(b), v)
	}
	return fmt.Sprintf("% x", b)
}

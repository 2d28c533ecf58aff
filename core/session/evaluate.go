package session

import (
	"context"
	"fmt"
	"sync"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/memmap"
)

// ExprError says what is wrong with an expression and where.
type ExprError = inspect.ExprError

// Value is the result of an expression.
type Value struct {
	Text    string    // natural form, or that of the expression's format
	Type    string    // "int", "struct packet *"
	Addr    core.Addr // memory it refers to, when HasAddr
	HasAddr bool
	// U32 is the low word of a number or a pointer; of what has parts and of
	// functions it is the address.
	U32 uint32
	// Value has the parts, and says where it lies.
	Value *inspect.Value
}

// Evaluate evaluates an expression of C in the context of a frame (nil: the
// crashed thread's frame 0), as docs/variables.md describes. An error in the
// expression is an [*ExprError].
func (s *Session) Evaluate(ctx context.Context, expr string, f *Frame) (Value, error) {
	frame, err := s.InspectFrame(ctx, f)
	if err != nil {
		return Value{}, err
	}
	v, err := s.program.inspect().Evaluate(frame, expr)
	if err != nil {
		return Value{}, err
	}
	out := Value{Text: v.Text(), Type: v.Type.Name(), Value: v}
	out.Addr, out.HasAddr = v.MemoryReference()
	if n, err := v.Word(); err == nil {
		out.U32 = n
	}
	return out, nil
}

// Place returns where in memory a variable, or a part of one, lies all the time,
// and its size in bytes; false for what lies elsewhere or depends on a frame.
func (p *Program) Place(expr string) (addr core.Addr, size uint32, ok bool) {
	v, err := p.inspect().Evaluate(&inspect.Frame{Memory: new(memmap.Map)}, expr)
	if err == nil {
		addr, ok = v.Address()
		if size, _ = v.Type.Size(); ok && size > 0 {
			return addr, size, true
		}
	}
	for _, s := range p.images.Variables(expr) { // without debug information
		if s.Size > 0 {
			return core.Addr(s.Addr), s.Size, true
		}
	}
	return 0, 0, false
}

// Truth reports whether the value counts as true in a condition.
func (v Value) Truth() (bool, error) { return inspect.Truth(v.Value) }

// Inspect returns the variables of the program.
func (s *Session) Inspect() *inspect.Program { return s.program.inspect() }

// InspectFrame returns a line of a stack as package inspect takes it (nil: the
// crashed thread's frame 0; without threads nothing but memory is known).
func (s *Session) InspectFrame(ctx context.Context, f *Frame) (*inspect.Frame, error) {
	if f != nil && f.Core != nil && f.Kind != KindException {
		return s.inspected(ctx, f), nil
	}
	if len(s.threads) == 0 {
		return &inspect.Frame{Memory: s.memory, Quiet: s.quiet(s.memory), Device: s.device(ctx)}, nil
	}
	id := s.threads[0].ID
	k, err := s.Stack(id)
	if err != nil {
		return nil, fmt.Errorf("read registers of thread %d: %w", id, err)
	}
	frames, err := k.Frames(ctx, 0, 1)
	switch {
	case err != nil:
		return nil, err
	case len(frames) > 0 && frames[0].Kind != KindException:
		return s.inspected(ctx, &frames[0]), nil
	}
	regs, err := s.Registers(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read registers of thread %d: %w", id, err)
	}
	return &inspect.Frame{Memory: s.memory, Quiet: s.quiet(s.memory), Device: s.device(ctx), Regs: &regs}, nil
}

// inspected makes an inspect.Frame of a line of a stack.
func (s *Session) inspected(ctx context.Context, f *Frame) *inspect.Frame {
	a := f.Core
	out := &inspect.Frame{
		Lookup: a.Lookup, HasPC: true, Return: a.PC, Inlined: f.inlined,
		Regs: &a.Regs, CFA: a.CFA, HasCFA: a.HasCFA, Memory: s.memory, Quiet: s.quiet(s.memory), Device: s.device(ctx),
	}
	if a.Lookup != a.PC {
		out.Lookup = a.PC - 1 // in the middle of the call, where gcc ends what it may destroy
	}
	k := f.stack
	if k == nil {
		return out
	}
	if t, ok := s.target.(allRegisters); ok {
		out.More = sync.OnceValue(func() *core.Regs { return k.completed(ctx, t, a) })
	}
	out.IsCaller = len(k.frames) > 0 && k.frames[0].Core != a
	out.Callee = func() *inspect.Frame {
		if next := k.calleeOf(f); next != nil {
			return s.inspected(ctx, next)
		}
		return nil
	}
	out.Caller = func() *inspect.Frame {
		if next := k.callerOf(ctx, f); next != nil {
			return s.inspected(ctx, next)
		}
		return nil
	}
	if w, ok := s.target.(writer); ok {
		out.Writer = &frameWriter{ctx, s, w, f}
	}
	return out
}

// allRegisters is what a live target can do whose registers are read when they
// are needed.
type allRegisters interface {
	AllRegisters(ctx context.Context, id core.ThreadID) (core.Regs, error)
	HasRegister(ctx context.Context, id core.ThreadID, r core.Reg) bool
}

// MayHave reports whether a register of a thread, which its frames do not have,
// may be read when it is asked for.
func (s *Session) MayHave(ctx context.Context, id core.ThreadID, r core.Reg) bool {
	t, ok := s.target.(allRegisters)
	own, runs := s.OwnThread(id)
	return ok && runs && t.HasRegister(ctx, own, r)
}

// completed returns the registers of an activation as all registers of its thread
// give them, nil where they cannot be read.
func (k *Stack) completed(ctx context.Context, t allRegisters, a *core.Frame) *core.Regs {
	s := k.session
	own, ok := s.OwnThread(k.id)
	if !ok || k.walker == nil {
		return nil
	}
	regs, err := t.AllRegisters(ctx, own)
	if err != nil {
		return nil
	}
	w := s.walk(k.id, regs, s.program.cfg.MaxFrames)
	for i := range k.frames {
		if i > 0 && k.frames[i].Core == k.frames[i-1].Core {
			continue // inlined there
		}
		f, ok := w.Next(ctx)
		if !ok || f.PC != k.frames[i].Core.PC {
			return nil
		}
		if k.frames[i].Core == a {
			return &f.Regs
		}
	}
	return nil
}

// calleeOf returns the outermost line of the activation that f called; nil where
// there is none, and where hardware interrupted it.
func (k *Stack) calleeOf(f *Frame) *Frame {
	for i := min(f.index, len(k.frames)) - 1; i >= 0; i-- {
		next := &k.frames[i]
		if next.Kind == KindException {
			return nil
		}
		if next.Core != f.Core {
			return next
		}
	}
	return nil
}

// callerOf returns the first line of the activation that called that of f; nil
// where the stack ends, and where hardware entered it.
func (k *Stack) callerOf(ctx context.Context, f *Frame) *Frame {
	for i := f.index + 1; ; i++ {
		next, err := k.Frames(ctx, i, 1)
		if err != nil || len(next) == 0 || next[0].Kind == KindException {
			return nil
		}
		if next[0].Core != f.Core {
			return &next[0]
		}
	}
}

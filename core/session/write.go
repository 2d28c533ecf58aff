package session

import (
	"context"
	"fmt"
	"slices"

	"pushmask/core"
)

// writer is what a live target can do beyond being read.
type writer interface {
	WriteMemory(ctx context.Context, a core.Addr, p []byte) error
	WriteRegister(ctx context.Context, id core.ThreadID, r core.Reg, v uint32) error
}

// frameWriter changes a live target as the code of a frame would; it implements
// inspect.Writer.
type frameWriter struct {
	ctx     context.Context
	session *Session
	target  writer
	frame   *Frame
}

// WriteMemory implements inspect.Writer.
func (w *frameWriter) WriteMemory(a core.Addr, p []byte) error {
	return w.target.WriteMemory(w.ctx, a, p)
}

// WriteRegister implements inspect.Writer. The frame has what the register holds
// then, which is not always v: of PC and xPSR some bits cannot be changed.
func (w *frameWriter) WriteRegister(r core.Reg, v uint32) error {
	if err := w.write(r, v); err != nil {
		return err
	}
	if own, ok := w.session.OwnThread(w.frame.stack.id); ok && w.isYoungest() {
		if regs, err := w.session.target.Registers(w.ctx, own); err == nil && regs.Has(r) {
			v = regs.Value(r)
		}
	}
	w.frame.Core.Regs.Set(r, v)
	return nil
}

func (w *frameWriter) isYoungest() bool { return w.frame.stack.frames[0].Core == w.frame.Core }

// write changes a register: those of callers are in the slots that younger frames
// saved them in.
func (w *frameWriter) write(r core.Reg, v uint32) error {
	k := w.frame.stack
	var slot core.Addr
	saved := false
	for i := range k.frames {
		a := k.frames[i].Core
		if a == w.frame.Core {
			break
		}
		if n := slices.IndexFunc(a.Saved, func(s core.SavedReg) bool { return s.Reg == r }); n >= 0 {
			slot, saved = a.Saved[n].Addr, true // the frame next to this one has its value
		}
	}
	if saved {
		return w.target.WriteMemory(w.ctx, slot, le32bytes(v))
	}
	if w.isYoungest() || !w.frame.Core.Regs.Has(r) {
		own, ok := w.session.OwnThread(k.id)
		if !ok {
			return fmt.Errorf("the thread does not run: where %v lies in its saved context is not known", r)
		}
		return w.target.WriteRegister(w.ctx, own, r, v)
	}
	return fmt.Errorf("where %v of this frame lies is not known", r)
}

func le32bytes(v uint32) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)} }

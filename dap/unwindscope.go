package dap

import (
	"context"
	"fmt"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

// trustTexts say what each level of trust means.
var trustTexts = map[core.Trust]string{
	core.TrustContext:      "registers of the stopped thread",
	core.TrustException:    "frame that the hardware stacked",
	core.TrustCFI:          "DWARF call frame information",
	core.TrustEXIDX:        "EHABI unwind table",
	core.TrustAnalysis:     "instruction analysis, proven by the call before the return address",
	core.TrustLinkRegister: "return address still in LR",
	core.TrustFramePointer: "a guess: chain of frame pointers",
	core.TrustScan:         "a guess: found by a scan of the stack",
}

// unwindVariables tell how the frame was found and how its caller is.
func (a *adapter) unwindVariables(ctx context.Context, v *view) ([]dap.Variable, error) {
	f := v.frame.Core
	list := []dap.Variable{fact("found by", fmt.Sprintf("%s (%s)", f.Trust, trustTexts[f.Trust]))}
	if f.Why != "" {
		list = append(list, fact("rule", f.Why))
	}
	if v.frame.Kind == session.KindInline {
		list = append(list, fact("inlined", "this call was inlined: the registers are those of the function below"))
	}
	if f.Kind == core.FrameException {
		list = append(list, a.exceptionVariables(f.Exception)...)
	} else {
		list = append(list, a.place("pc", f.PC))
		if f.Lookup != f.PC {
			list = append(list, a.place("call", f.Lookup))
		}
	}
	if f.HasCFA {
		list = append(list, a.place("cfa", f.CFA))
	}
	if len(f.Saved) > 0 {
		saved := fact("saved registers", plural(len(f.Saved), "register"))
		saved.VariablesReference = v.debuggee.values.id(containerKey{frame: v.key.frame, group: containerSaved})
		saved.NamedVariables = len(f.Saved)
		list = append(list, saved)
	}
	list = append(list, a.sourceRows(v)...)
	end, err := v.end(ctx)
	if err != nil || end == "" {
		return list, err
	}
	return append(list, fact("stack ends here", end)), nil
}

// sourceRows puts side by side what each source of unwind knowledge says of
// the frame's instruction, that is how it would find the frame's caller.
func (a *adapter) sourceRows(v *view) []dap.Variable {
	rows, conflict := v.debuggee.session.Rows(v.frame)
	var list []dap.Variable
	for _, r := range rows {
		rule := r.Rule
		if r.CallsOnly {
			rule += " (holds at calls only: the frame stands at none)"
		}
		list = append(list, fact(r.Name(), rule))
	}
	if conflict != "" {
		list = append(list, fact("sources disagree", conflict))
	}
	return list
}

// exceptionVariables describe a hardware exception entry.
func (a *adapter) exceptionVariables(e *core.ExceptionEntry) []dap.Variable {
	if e == nil {
		return nil
	}
	if e.ExcReturn == 0 { // A- and R-profile: hardware stacks nothing
		return []dap.Variable{fact("exception", e.Name)}
	}
	stack, frame := "main (MSP)", "basic"
	if e.PSP {
		stack = "process (PSP)"
	}
	if e.FP {
		frame = "extended with FP registers"
	}
	var list []dap.Variable
	if e.Number != 0 {
		list = append(list, fact("exception", exceptionText(uint32(e.Number))))
	}
	return append(list,
		fact("exc_return", fmt.Sprintf("0x%08x", e.ExcReturn)),
		fact("stack", stack),
		a.place("stacked frame", e.Frame),
		fact("frame layout", fmt.Sprintf("%s, %d bytes", frame, e.Size)))
}

// end says why the stack ends, if the view's frame is its last.
func (v *view) end(ctx context.Context) (string, error) {
	next, err := v.stack.Frames(ctx, v.key.frame.index+1, 1)
	if err != nil || len(next) > 0 {
		return "", err
	}
	stop := v.stack.Stop()
	if stop.Detail == "" {
		return stop.Kind.String(), nil
	}
	return fmt.Sprintf("%s: %s", stop.Kind, stop.Detail), nil
}

// savedVariables list the slots in which the frame saved its caller's
// registers.
func (a *adapter) savedVariables(v *view) []dap.Variable {
	list := make([]dap.Variable, 0, len(v.frame.Core.Saved))
	for _, s := range v.frame.Core.Saved {
		slot := a.place(s.Reg.String(), s.Addr)
		slot.Value = "at " + s.Addr.String()
		if word, err := core.ReadU32(v.debuggee.session.Memory(), s.Addr); err == nil {
			slot.Value = fmt.Sprintf("0x%08x at %s", word, s.Addr)
		}
		list = append(list, slot)
	}
	return list
}

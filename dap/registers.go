package dap

import (
	"context"
	"fmt"
	"maps"
	"math"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/session"
)

// registerGroup is a scope of registers.
type registerGroup struct {
	name      string
	expensive bool // not shown unless asked for
	regs      []core.Reg
	// always lists registers whether or not anything is known of them.
	always bool
}

var registerGroups = map[container]registerGroup{
	containerCore: {name: "Registers", always: true, regs: registerRange(core.R0, core.PSR)},
	containerSystem: {name: "System registers", regs: []core.Reg{
		core.MSP, core.PSP, core.CONTROL, core.PRIMASK, core.BASEPRI, core.FAULTMASK, core.MSPLIM, core.PSPLIM,
	}},
	containerFP: {name: "FP registers", expensive: true, regs: append([]core.Reg{core.FPSCR}, registerRange(core.S0, core.S31)...)},
}

func registerRange(first, last core.Reg) []core.Reg {
	var list []core.Reg
	for r := first; r <= last; r++ {
		list = append(list, r)
	}
	return list
}

// shownRegisters returns the registers of a group that the frame shows: all
// of those that the dump has for the thread, or the target can be asked for.
func (a *adapter) shownRegisters(ctx context.Context, v *view, group registerGroup) ([]core.Reg, error) {
	if group.always {
		return group.regs, nil
	}
	top, err := v.stack.Frames(ctx, 0, 1)
	if err != nil || len(top) == 0 {
		return nil, err
	}
	var list []core.Reg
	for _, r := range group.regs {
		if top[0].Core.Regs.Has(r) || v.frame.Core.Regs.Has(r) || v.debuggee.session.MayHave(ctx, v.key.frame.thread, r) {
			list = append(list, r)
		}
	}
	return list, nil
}

// registerVariables lists a group of registers as the frame's code sees them.
func (a *adapter) registerVariables(ctx context.Context, v *view) ([]dap.Variable, error) {
	regs, err := a.shownRegisters(ctx, v, registerGroups[v.key.group])
	if err != nil {
		return nil, err
	}
	origins, err := v.origins(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]dap.Variable, 0, len(regs))
	for _, r := range regs {
		list = append(list, a.register(ctx, v, r, origins))
	}
	return list, nil
}

// register describes one register of a frame.
func (a *adapter) register(ctx context.Context, v *view, r core.Reg, origins map[core.Reg]core.Addr) dap.Variable {
	name := registerName(r, v.debuggee.session.Target().Profile())
	value, known := v.frame.Core.Regs.Get(r)
	if !known && v.frame.Kind != session.KindException {
		if at, err := v.debuggee.session.InspectFrame(ctx, v.frame); err == nil {
			value, known = at.Register(r)
		}
	}
	if !known {
		if v.key.frame.index == 0 {
			return fact(name, "not in the dump")
		}
		return fact(name, "not saved")
	}
	res := fact(name, a.registerText(ctx, v, r, value))
	res.EvaluateName = "$" + r.String()
	if a.client.variableTypes {
		res.Type = "register"
		if slot, ok := origins[r]; ok {
			res.Type += ", saved at " + slot.String()
		}
	}
	if r < core.PSR && v.debuggee.session.Readable(core.Addr(value)) {
		res.MemoryReference = a.client.memoryReference(core.Addr(value).String())
	}
	return res
}

// registerText is the value of a register for people.
func (a *adapter) registerText(ctx context.Context, v *view, r core.Reg, value uint32) string {
	plain := fmt.Sprintf("0x%08x", value)
	switch {
	case v.hex:
		return plain
	case r >= core.S0 && r <= core.S31:
		return fmt.Sprintf("%s (%g)", plain, math.Float32frombits(value))
	case r == core.PSR:
		return plain + " (" + psrText(value, v.debuggee.session.Target().Profile()) + ")"
	case r == core.CONTROL:
		return plain + " (" + controlText(value) + ")"
	}
	if shown, err := v.debuggee.session.Evaluate(ctx, "$"+r.String(), v.frame); err == nil {
		return shown.Text
	}
	return plain
}

// registerName is the register's name on a core of the profile.
func registerName(r core.Reg, p core.Profile) string {
	if r == core.PSR && p == core.ProfileA {
		return "cpsr"
	}
	return r.String()
}

// origins tells where in memory the registers of the frame were found: in the
// slots of the nearest of the frames above it that saved them. Slots of
// registers that a call may change are good for the next activation only, and
// the return address in the slot of LR is its PC.
func (v *view) origins(ctx context.Context) (map[core.Reg]core.Addr, error) {
	younger, err := v.younger(ctx)
	if err != nil {
		return nil, err
	}
	slots := map[core.Reg]core.Addr{}
	for _, f := range younger {
		if f.Core == v.frame.Core {
			break // the same activation: a call that was inlined
		}
		maps.DeleteFunc(slots, func(r core.Reg, _ core.Addr) bool { return r < core.R4 || r > core.R11 })
		for _, s := range f.Core.Saved {
			if s.Reg == core.LR && f.Core.Kind == core.FrameFunction {
				s.Reg = core.PC
			}
			slots[s.Reg] = s.Addr
		}
	}
	return slots, nil
}

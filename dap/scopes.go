package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

// container is a group of variables of a frame.
type container uint8

// The containers. Those before containerSaved are scopes.
const (
	containerLocals container = iota
	containerCore
	containerSystem
	containerFP
	containerStatics
	containerGlobals
	containerUnwind
	containerPeripherals // the device's, or the parts of one
	containerSaved
	containerValue // the parts of a value
)

// scopeContainers are the scopes of a frame in the order shown.
var scopeContainers = []container{
	containerLocals, containerCore, containerSystem, containerFP, containerUnwind, containerStatics, containerGlobals,
	containerPeripherals,
}

// containerKey names a container of a frame.
type containerKey struct {
	frame frameKey
	group container
	value *inspect.Value         // of containerValue
	item  session.PeripheralItem // of containerPeripherals
	image string                 // of containerGlobals: of which ELF, "" for that of the frame's code
}

// view is what the variables of a container are made from.
type view struct {
	debuggee *debuggee
	key      containerKey
	frame    *session.Frame
	stack    *session.Stack
	hex      bool // ValueFormat.hex: no decimal, no floating point
}

// viewOf returns the view of a container.
func (d *debuggee) viewOf(ctx context.Context, key containerKey, format *dap.ValueFormat) (*view, error) {
	f, stack, err := d.frame(ctx, key.frame)
	if err != nil {
		return nil, err
	}
	return &view{debuggee: d, key: key, frame: f, stack: stack, hex: format != nil && format.Hex}, nil
}

// younger returns the lines of the stack above the view's frame, youngest
// first. They have been walked already.
func (v *view) younger(ctx context.Context) ([]session.Frame, error) {
	if v.key.frame.index == 0 {
		return nil, nil
	}
	return v.stack.Frames(ctx, 0, v.key.frame.index)
}

func (a *adapter) scopes(ctx context.Context, req *dap.ScopesRequest) (*dap.ScopesResponse, error) {
	d := a.focus(req.Arguments.FrameId)
	key, f, err := d.frameByID(ctx, req.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	keys, err := d.scopeKeys(ctx, key, f)
	if err != nil {
		return nil, err
	}
	resp := &dap.ScopesResponse{Body: dap.ScopesResponseBody{Scopes: []dap.Scope{}}}
	for _, key := range keys {
		v, err := d.viewOf(ctx, key, nil)
		if err != nil {
			return nil, err
		}
		s, ok, err := a.scope(ctx, v)
		if err != nil {
			return nil, err
		}
		if ok {
			resp.Body.Scopes = append(resp.Body.Scopes, s)
		}
	}
	return resp, nil
}

// scopeKeys names the scopes of a frame: the globals of the ELF that its code is of
// come before those of the others.
func (d *debuggee) scopeKeys(ctx context.Context, frame frameKey, f *session.Frame) ([]containerKey, error) {
	var keys []containerKey
	for _, group := range scopeContainers {
		keys = append(keys, containerKey{frame: frame, group: group})
		if group != containerGlobals || f.Kind == session.KindException {
			continue
		}
		at, err := d.session.InspectFrame(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, image := range d.session.Inspect().OtherImages(at) {
			keys = append(keys, containerKey{frame: frame, group: group, image: image})
		}
	}
	return keys, nil
}

// scope describes a container as a scope; false where it would be empty.
func (a *adapter) scope(ctx context.Context, v *view) (s dap.Scope, ok bool, err error) {
	switch of, isProgram := variableScopes[v.key.group]; {
	case v.key.group == containerUnwind:
		s.Name, ok = "Unwind", true
	case v.key.group == containerPeripherals: // of the machine, whatever the frame: once is enough
		s.Name, s.Expensive = "Peripherals", true
		ok = v.key.frame.index == 0 && v.debuggee.program.HasDescription()
	case v.frame.Kind == session.KindException:
		return s, false, nil // between two activations: it has no registers
	case isProgram:
		s.Name, s.PresentationHint, s.Expensive = of.name, of.hint, of.expensive
		if v.key.image != "" {
			s.Name += " (" + v.key.image + ")"
		}
		s.NamedVariables, ok, err = v.size(ctx)
	default:
		group := registerGroups[v.key.group]
		var regs []core.Reg
		regs, err = a.shownRegisters(ctx, v, group)
		s.Name, s.PresentationHint, s.Expensive = group.name, "registers", group.expensive
		s.NamedVariables, ok = len(regs), len(regs) > 0
	}
	if ok && err == nil {
		s.VariablesReference = v.debuggee.values.id(v.key)
	}
	return s, ok, err
}

func (a *adapter) variables(ctx context.Context, req *dap.VariablesRequest) (*dap.VariablesResponse, error) {
	args := req.Arguments
	d := a.owner(args.VariablesReference)
	key, ok := d.values.value(args.VariablesReference)
	if !ok {
		return nil, failf(errUnknownVariable, "there is nothing with the reference %d: ask for scopes first", args.VariablesReference)
	}
	v, err := d.viewOf(ctx, key, args.Format)
	if err != nil {
		return nil, err
	}
	var list []dap.Variable
	switch key.group {
	case containerUnwind:
		list, err = a.unwindVariables(ctx, v)
	case containerSaved:
		list = a.savedVariables(v)
	case containerLocals, containerStatics, containerGlobals, containerValue, containerPeripherals:
		if key.group == containerPeripherals {
			list, err = a.peripheralVariables(ctx, v, &args)
		} else {
			list, err = a.programVariables(ctx, v, &args)
		}
		return &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: append([]dap.Variable{}, list...)}}, err
	default:
		list, err = a.registerVariables(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	if args.Filter == "indexed" {
		list = nil // all children here are named
	}
	list = paged(list, args.Start, args.Count)
	return &dap.VariablesResponse{Body: dap.VariablesResponseBody{Variables: append([]dap.Variable{}, list...)}}, nil
}

// fact is a variable that cannot be changed and has no type.
func fact(name, value string) dap.Variable {
	return dap.Variable{Name: name, Value: value, PresentationHint: readOnly()}
}

// place is a fact that is an address in memory.
func (a *adapter) place(name string, addr core.Addr) dap.Variable {
	v := fact(name, addr.String())
	v.MemoryReference = a.client.memoryReference(addr.String())
	return v
}

func readOnly() *dap.VariablePresentationHint {
	return &dap.VariablePresentationHint{Attributes: []string{"readOnly"}}
}

package dap

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/session"
)

// assign evaluates an assignment in a frame of a live target.
func (a *adapter) assign(ctx context.Context, d *debuggee, to, value string, f *session.Frame) error {
	if d.live == nil {
		return failf(errReadOnly, "a crash dump is not changed: only a live target can be")
	}
	if err := d.halted(); err != nil {
		return err
	}
	v, err := a.evaluateIn(ctx, d, "", "("+to+") = ("+value+")", f)
	if err != nil {
		return failf(errEvaluate, "%s is not changed: %w", to, err)
	}
	if addr, size, ok := memoryOf(v.Value); ok {
		a.memoryChanged(addr, size)
	}
	return nil
}

// memoryChanged tells the client of written memory.
func (a *adapter) memoryChanged(addr core.Addr, size int) {
	if a.client.memoryEvents {
		a.later("memory", &dap.MemoryEvent{Body: dap.MemoryEventBody{MemoryReference: addr.String(), Count: size}})
	}
}

// invalidated tells the client that what it shows of a stop may differ now.
func (a *adapter) invalidated() {
	if a.client.invalidated {
		a.later("invalidated", &dap.InvalidatedEvent{Body: dap.InvalidatedEventBody{Areas: []dap.InvalidatedAreas{"all"}}})
	}
}

func (a *adapter) setVariable(ctx context.Context, req *dap.SetVariableRequest) (*dap.SetVariableResponse, error) {
	args := req.Arguments
	d := a.owner(args.VariablesReference)
	key, ok := d.values.value(args.VariablesReference)
	if !ok {
		return nil, failf(errUnknownVariable, "there is nothing with the reference %d: ask for scopes first", args.VariablesReference)
	}
	if key.group == containerPeripherals {
		text, err := a.setPeripheral(ctx, d, key, args.Name, args.Value)
		return &dap.SetVariableResponse{Body: dap.SetVariableResponseBody{Value: text}}, err
	}
	if old, ok := d.child(ctx, key, args.Name); ok {
		v, err := a.setProgramVariable(ctx, d, key, old, args.Value)
		return &dap.SetVariableResponse{Body: dap.SetVariableResponseBody{Value: v.Text}}, err
	}
	r, isReg := core.LookupReg(args.Name)
	if _, shown := registerGroups[key.group]; !isReg || !shown {
		return nil, failf(errReadOnly, "%q cannot be changed", args.Name)
	}
	f, _, err := d.frame(ctx, key.frame)
	if err != nil {
		return nil, err
	}
	if err := a.assign(ctx, d, "$"+r.String(), args.Value, f); err != nil {
		return nil, err
	}
	v, err := d.viewOf(ctx, key, args.Format)
	if err != nil {
		return nil, err
	}
	shown := a.register(ctx, v, r, nil)
	return &dap.SetVariableResponse{Body: dap.SetVariableResponseBody{Value: shown.Value}}, nil
}

func (a *adapter) setExpression(ctx context.Context, req *dap.SetExpressionRequest) (*dap.SetExpressionResponse, error) {
	args := req.Arguments
	d, key, f, err := a.frameOrFirst(ctx, args.FrameId)
	if err != nil {
		return nil, err
	}
	if err := a.assign(ctx, d, args.Expression, args.Value, f); err != nil {
		return nil, err
	}
	if _, f, err = d.frameAt(ctx, key); err != nil {
		return nil, err
	}
	v, err := d.session.Evaluate(ctx, args.Expression, f)
	if err != nil {
		return nil, failf(errEvaluate, "%w", err)
	}
	return &dap.SetExpressionResponse{Body: dap.SetExpressionResponseBody{Value: v.Text}}, nil
}

// frameOrFirst returns the frame with an id, or for 0 the first of the thread
// that stopped.
func (a *adapter) frameOrFirst(ctx context.Context, id int) (*debuggee, frameKey, *session.Frame, error) {
	if id != 0 {
		d := a.owner(id)
		key, f, err := d.frameByID(ctx, id)
		return d, key, f, err
	}
	d := a.focused()
	key, f, err := d.frameAt(ctx, frameKey{thread: d.crashedThread()})
	return d, key, f, err
}

func (a *adapter) writeMemory(ctx context.Context, req *dap.WriteMemoryRequest) (*dap.WriteMemoryResponse, error) {
	args := req.Arguments
	d := a.focused()
	if d.live == nil {
		return nil, failf(errReadOnly, "a crash dump is not changed: only a live target can be")
	}
	addr, err := parseReference(args.MemoryReference, args.Offset)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(args.Data)
	if err != nil {
		return nil, failf(errArgument, `"writeMemory": data is not base64: %w`, err)
	}
	if err := a.writeBytes(ctx, d, addr, data); err != nil {
		return nil, err
	}
	return &dap.WriteMemoryResponse{Body: dap.WriteMemoryResponseBody{BytesWritten: len(data)}}, nil
}

// writeBytes writes memory, also that of a running target.
func (a *adapter) writeBytes(ctx context.Context, d *debuggee, addr core.Addr, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if int64(addr)+int64(len(data)) > 1<<32 {
		return failf(errArgument, "%d bytes from %v on are outside of the 32-bit address space", len(data), addr)
	}
	if err := d.live.control.WriteMemory(ctx, addr, data); err != nil {
		return failf(errMemory, "%s at %v cannot be written: %w", plural(len(data), "byte"), addr, err)
	}
	a.memoryChanged(addr, len(data))
	a.invalidated()
	return d.refresh()
}

// assignment executes commands that change registers and memory.
func (in *interpreter) assignment(ctx context.Context, cmd gdbcommand.Command) (bool, error) {
	var to, value string
	switch cmd := cmd.(type) {
	case gdbcommand.SetRegister:
		to, value = "$"+cmd.Name, cmd.Value
	case gdbcommand.SetVar:
		to, value = cmd.Target, cmd.Value
	case gdbcommand.SetMemory:
		to, value = fmt.Sprintf("*(%s *)(%s)", cmd.Type, cmd.Address), cmd.Value
	default:
		return false, nil
	}
	f, err := in.selected(ctx)
	if err == nil {
		err = in.adapter.assign(ctx, in.debuggee, to, value, f)
	}
	return true, err
}

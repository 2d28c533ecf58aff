package dap

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/gdbcommand"
	"pushmask/core/inspect"
	"pushmask/core/runcontrol"
	"pushmask/core/session"
)

// dataBreakpointInfoRequest is go-dap's with arguments that its schema lacks.
type dataBreakpointInfoRequest struct {
	dap.Request
	Arguments struct {
		dap.DataBreakpointInfoArguments
		AsAddress bool `json:"asAddress"` // name is an address
		Bytes     int  `json:"bytes"`     // from there on, 0 for what the name says
	} `json:"arguments"`
}

// longestWatch is the most bytes that a data breakpoint may cover: comparators
// of the debug unit match aligned powers of two, and several make a range.
const longestWatch = 32

func (a *adapter) dataBreakpointInfo(ctx context.Context, req *dataBreakpointInfoRequest) (*dap.DataBreakpointInfoResponse, error) {
	args := req.Arguments
	resp := &dap.DataBreakpointInfoResponse{}
	if !a.isLive() {
		resp.Body.Description = neverHit
		return resp, nil
	}
	d := a.focused()
	if args.VariablesReference != 0 {
		d = a.owner(args.VariablesReference)
	}
	w, err := d.watchableIn(ctx, &args.DataBreakpointInfoArguments, args.AsAddress)
	if args.Bytes > 0 {
		w.size = args.Bytes
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		resp.Body.Description = err.Error()
	case w.size > longestWatch:
		resp.Body.Description = fmt.Sprintf("%s has %d bytes: at most %d can be watched", args.Name, w.size, longestWatch)
	default:
		resp.Body.DataId = w.id()
		resp.Body.Description = fmt.Sprintf("%s (%s at %v)", args.Name, plural(w.size, "byte"), w.addr)
		resp.Body.AccessTypes = []dap.DataBreakpointAccessType{"read", "write", "readWrite"}
		resp.Body.CanPersist = true
	}
	return resp, nil
}

// watched is memory that a data breakpoint watches.
type watched struct {
	addr core.Addr
	size int    // bytes
	name string // that the user knows it by, "" for an address
}

// id names watched memory in a way that outlives the session.
func (w watched) id() string {
	id := fmt.Sprintf("%v+%d", w.addr, w.size)
	if w.name != "" {
		id += " " + w.name
	}
	return id
}

func parseDataID(id string) (w watched, ok bool) {
	place, name, _ := strings.Cut(id, " ")
	var a uint32
	n, err := fmt.Sscanf(place, "0x%x+%d", &a, &w.size)
	w.addr, w.name = core.Addr(a), name
	return w, err == nil && n == 2 && w.size > 0 && w.size <= longestWatch
}

// watchableIn returns the memory of a variable in a container, or without one
// what watchable does in the frame with an id, 0 for the first.
func (d *debuggee) watchableIn(ctx context.Context, args *dap.DataBreakpointInfoArguments, isAddress bool) (watched, error) {
	if key, inside := d.values.value(args.VariablesReference); inside && key.group == containerPeripherals {
		return d.watchablePart(ctx, key.item, args.Name)
	} else if inside {
		v, ok := d.child(ctx, key, args.Name)
		if !ok {
			return watched{}, fmt.Errorf("%s is a register: only memory can be watched", args.Name)
		}
		return memoryNamed(v, cmp.Or(v.Expr, args.Name))
	}
	var f *session.Frame
	if args.FrameId != 0 && d.halted() == nil {
		var err error
		if _, f, err = d.frameByID(ctx, args.FrameId); err != nil {
			return watched{}, err
		}
	}
	return d.watchable(ctx, args.Name, isAddress, f)
}

// watchable returns the memory that a name or an address stands for in a frame,
// nil for the first. While the target runs there is no frame: variables that lie
// at one address all the time are known.
func (d *debuggee) watchable(ctx context.Context, name string, isAddress bool, f *session.Frame) (watched, error) {
	const word = 4
	if err := d.halted(); err != nil {
		if addr, size, ok := d.program.Place(name); ok && !isAddress {
			return watched{addr, int(size), name}, nil
		}
		return watched{}, err
	}
	v, err := d.session.Evaluate(ctx, name, f)
	switch {
	case err != nil:
		return watched{}, err
	case isAddress:
		return watched{addr: core.Addr(v.U32), size: word}, nil
	}
	w, err := memoryNamed(v.Value, name)
	if addr, size, ok := d.program.Place(name); err != nil && ok { // of a symbol without a type
		return watched{addr, int(size), name}, nil
	}
	return w, err
}

// memoryNamed is the memory of a value that is called name.
func memoryNamed(v *inspect.Value, name string) (watched, error) {
	addr, size, ok := memoryOf(v)
	if !ok {
		return watched{}, fmt.Errorf("%s lies nowhere in memory: only memory can be watched", name)
	}
	return watched{addr, size, v.Qualified(name)}, nil
}

func (a *adapter) setDataBreakpoints(ctx context.Context, req *dap.SetDataBreakpointsRequest) (*dap.SetDataBreakpointsResponse, error) {
	var specs []runcontrol.Spec
	for _, b := range req.Arguments.Breakpoints {
		w, ok := parseDataID(b.DataId)
		if !ok {
			return nil, failf(errArgument, "%q is no dataId of pushmask", b.DataId)
		}
		specs = append(specs, runcontrol.Spec{
			Kind: runcontrol.DataBreakpoint, Name: w.name, Addr: w.addr, Size: w.size, Access: accesses[b.AccessType],
			Condition: b.Condition, HitCondition: b.HitCondition,
		})
	}
	placed, err := a.setGroup(ctx, "data", specs)
	return &dap.SetDataBreakpointsResponse{Body: dap.SetDataBreakpointsResponseBody{Breakpoints: placed}}, err
}

// accesses are the kinds of access by their names; none means that of a write.
var accesses = map[dap.DataBreakpointAccessType]runcontrol.Access{
	"read": runcontrol.AccessRead, "write": runcontrol.AccessWrite, "readWrite": runcontrol.AccessReadWrite,
}

// watched says what a watchpoint command asks for.
func (in *interpreter) watched(ctx context.Context, cmd gdbcommand.Watch) (runcontrol.Spec, error) {
	var f *session.Frame
	if in.debuggee.halted() == nil {
		var err error
		if f, err = in.selected(ctx); err != nil {
			return runcontrol.Spec{}, err
		}
	}
	w, err := in.debuggee.watchable(ctx, cmd.Expr, false, f)
	access := map[gdbcommand.Access]runcontrol.Access{
		gdbcommand.Write: runcontrol.AccessWrite, gdbcommand.Read: runcontrol.AccessRead, gdbcommand.ReadWrite: runcontrol.AccessReadWrite,
	}[cmd.Access]
	return runcontrol.Spec{
		Kind: runcontrol.DataBreakpoint, Name: w.name, Addr: w.addr, Size: w.size, Access: access, Condition: cmd.Condition,
	}, err
}

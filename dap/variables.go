package dap

import (
	"context"

	"github.com/google/go-dap"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/session"
)

// variableScope is a scope of variables of the program.
type variableScope struct {
	name, hint string
	expensive  bool // not shown unless asked for
}

var variableScopes = map[container]variableScope{
	containerLocals:  {name: "Locals", hint: "locals"},
	containerStatics: {name: "Statics", expensive: true},
	containerGlobals: {name: "Globals", expensive: true},
}

// part is a variable of a container, or a part of one.
type part struct {
	name  string
	value *inspect.Value
}

// parts lists the variables of a container from start on, count at most (0:
// all). total is how many the whole container has.
func (v *view) parts(ctx context.Context, start, count int) (list []part, total int, err error) {
	f, err := v.debuggee.session.InspectFrame(ctx, v.frame)
	if err != nil {
		return nil, 0, err
	}
	program := v.debuggee.session.Inspect()
	var found []inspect.Variable
	switch {
	case v.key.image != "":
		found, total = program.GlobalsOf(f, v.key.image, "", start, count)
		start, count = 0, 0
	case v.key.group == containerGlobals:
		found, total = program.Globals(f, "", start, count)
		start, count = 0, 0
	case v.key.group == containerStatics:
		found = program.Statics(f)
		total = len(found)
	default:
		found = program.Locals(f)
		total = len(found)
	}
	for _, x := range paged(found, start, count) {
		list = append(list, part{x.Name, x.Value})
	}
	return list, total, nil
}

// size returns how many variables a container has, 0 where that takes longer to
// find out than a click on a frame may, and whether it has any.
func (v *view) size(ctx context.Context) (n int, has bool, err error) {
	f, err := v.debuggee.session.InspectFrame(ctx, v.frame)
	if err != nil {
		return 0, false, err
	}
	program := v.debuggee.session.Inspect()
	switch {
	case v.key.image != "":
		return 0, true, nil // those that have some are asked
	case v.key.group == containerGlobals:
		return 0, program.HasGlobals(f), nil
	case v.key.group == containerStatics:
		n = program.CountStatics(f)
	default:
		n = len(program.Locals(f))
	}
	return n, n > 0, nil
}

// children lists the parts of a value: those with names first, then elements.
func children(v *inspect.Value, filter string, start, count int) []part {
	var list []part
	add := func(children []inspect.Child) {
		for _, c := range children {
			list = append(list, part{c.Name, c.Value})
		}
	}
	named, _ := v.Counts()
	switch filter {
	case "named":
		add(v.Named(start, count))
	case "indexed":
		add(v.Indexed(start, count))
	default:
		add(v.Named(start, count))
		if rest := count - len(list); count == 0 || rest > 0 {
			add(v.Indexed(max(start-named, 0), max(rest, 0)))
		}
	}
	return list
}

// programVariables answers for a container of variables of the program.
func (a *adapter) programVariables(ctx context.Context, v *view, args *dap.VariablesArguments) ([]dap.Variable, error) {
	var parts []part
	if v.key.group == containerValue {
		parts = children(v.key.value, args.Filter, args.Start, args.Count)
	} else if args.Filter != "indexed" {
		var err error
		if parts, _, err = v.parts(ctx, args.Start, args.Count); err != nil {
			return nil, err
		}
	}
	list := make([]dap.Variable, 0, len(parts))
	for _, p := range parts {
		list = append(list, a.programVariable(v, p))
	}
	return list, ctx.Err()
}

// programVariable describes a variable of the program.
func (a *adapter) programVariable(v *view, p part) dap.Variable {
	res := dap.Variable{Name: p.name, Value: p.value.Text(), EvaluateName: p.value.Expr}
	if v.hex {
		res.Value = p.value.Hex().Text()
	}
	if v.debuggee.live == nil || p.value.Expr == "" {
		res.PresentationHint = readOnly()
	}
	if a.client.variableTypes {
		res.Type = p.value.Type.Name()
	}
	if at, ok := p.value.MemoryReference(); ok {
		res.MemoryReference = a.client.memoryReference(at.String())
	}
	res.VariablesReference, res.NamedVariables, res.IndexedVariables = v.debuggee.container(v.key.frame, p.value)
	return res
}

// container returns the reference of a value's parts, 0 for a value without any.
func (d *debuggee) container(frame frameKey, v *inspect.Value) (ref, named, indexed int) {
	if named, indexed = v.Counts(); named+indexed == 0 {
		return 0, 0, 0
	}
	return d.values.id(containerKey{frame: frame, group: containerValue, value: v}), named, indexed
}

// child finds a variable of a container by its name.
func (d *debuggee) child(ctx context.Context, key containerKey, name string) (*inspect.Value, bool) {
	if key.group != containerValue && variableScopes[key.group].name == "" {
		return nil, false
	}
	v, err := d.viewOf(ctx, key, nil)
	if err != nil {
		return nil, false
	}
	var parts []part
	if key.group == containerValue {
		parts = children(key.value, "", 0, 0)
	} else if parts, _, err = v.parts(ctx, 0, 0); err != nil {
		return nil, false
	}
	for _, p := range parts {
		if p.name == name {
			return p.value, true
		}
	}
	return nil, false
}

// setProgramVariable assigns to a variable of the program and returns its new
// value.
func (a *adapter) setProgramVariable(ctx context.Context, d *debuggee, key containerKey, old *inspect.Value, value string) (session.Value, error) {
	if old.Expr == "" {
		return session.Value{}, failf(errReadOnly, "no expression means this part of a variable: it cannot be changed here")
	}
	f, _, err := d.frame(ctx, key.frame)
	if err != nil {
		return session.Value{}, err
	}
	if err := a.assign(ctx, d, old.Expr, value, f); err != nil {
		return session.Value{}, err
	}
	if f, _, err = d.frame(ctx, key.frame); err != nil {
		return session.Value{}, err
	}
	v, err := d.session.Evaluate(ctx, old.Expr, f)
	if err != nil {
		return v, failf(errEvaluate, "%w", err)
	}
	return v, nil
}

// memoryOf returns where a value lies, and its size in bytes.
func memoryOf(v *inspect.Value) (core.Addr, int, bool) {
	addr, inMemory := v.Address()
	size, sized := v.Type.Size()
	return addr, int(size), inMemory && sized && size > 0
}

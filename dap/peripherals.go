package dap

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-dap"

	"pushmask/core/live"
	"pushmask/core/session"
)

// description returns the path of the device's description, "" where there is no
// such file: note says so then. Cortex-Debug takes names of devices and of CMSIS
// packs as well, which are no reason to fail.
func (c *launchConfig) description() (path, note string) {
	if c.svdFile == "" {
		return "", ""
	}
	path = c.fromCwd(c.svdFile)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", `"svdFile": there is no file ` + path + `: peripherals are not shown; give the path of an .svd file`
	}
	return path, ""
}

// tellDescription says why no peripherals are shown although they are asked for.
func (a *adapter) tellDescription(c *launchConfig) {
	if _, note := c.description(); note != "" {
		a.console("important", "%s", note)
	}
}

// peripheralVariables lists the peripherals of the device or the parts of one.
func (a *adapter) peripheralVariables(ctx context.Context, v *view, args *dap.VariablesArguments) ([]dap.Variable, error) {
	d := v.debuggee
	if isArray := v.key.item.IsArray(); args.Filter == "indexed" && !isArray || args.Filter == "named" && isArray {
		return nil, nil
	}
	rows, _, err := d.session.Peripherals(ctx, v.key.item, args.Start, args.Count)
	if err != nil {
		return nil, err
	}
	list := make([]dap.Variable, 0, len(rows))
	for i := range rows {
		list = append(list, a.peripheralVariable(v, &rows[i]))
	}
	if note := d.program.DescriptionNote(); len(list) == 0 && v.key.item == (session.PeripheralItem{}) && note != "" {
		list = append(list, fact("no peripherals", note))
	}
	return list, nil
}

// peripheralVariable describes a row of peripherals.
func (a *adapter) peripheralVariable(v *view, row *session.PeripheralRow) dap.Variable {
	res := dap.Variable{Name: row.Name, Value: row.Value, EvaluateName: row.Expr}
	if row.IsArray {
		res.IndexedVariables = row.Children
	} else {
		res.NamedVariables = row.Children
	}
	if v.debuggee.live == nil || !row.Writable {
		res.PresentationHint = readOnly()
	}
	if a.client.variableTypes {
		res.Type = row.Type
	}
	if row.HasAddr {
		res.MemoryReference = a.client.memoryReference(row.Addr.String())
	}
	if row.Children > 0 {
		res.VariablesReference = v.debuggee.values.id(containerKey{frame: v.key.frame, group: containerPeripherals, item: row.Item})
	}
	return res
}

// setPeripheral writes a register or a field of a live target and returns what it
// shows then.
func (a *adapter) setPeripheral(ctx context.Context, d *debuggee, key containerKey, name, value string) (string, error) {
	if d.live == nil {
		return "", failf(errReadOnly, "%w", session.ErrNotLive)
	}
	if err := d.halted(); err != nil {
		return "", err
	}
	item, ok := d.session.PeripheralPart(key.item, name)
	if !ok {
		return "", failf(errUnknownVariable, "there is no %q here", name)
	}
	var touched []string
	err := d.live.control.Change(ctx, func(ctx context.Context, _ *live.Machine) error {
		var err error
		touched, err = d.session.SetPeripheral(ctx, item, value)
		return err
	})
	if err != nil {
		return "", failf(errReadOnly, "%s is not changed: %w", name, err)
	}
	if len(touched) > 0 {
		a.console("important", "the write to %s may have changed other fields too: %s", name, strings.Join(touched, ", "))
	}
	if err := d.refresh(); err != nil {
		return "", err
	}
	a.invalidated()
	row, err := d.session.Peripheral(ctx, item)
	return row.Value, err
}

// watchablePart returns the memory of a register of a peripheral; for a field that
// of its register.
func (d *debuggee) watchablePart(ctx context.Context, of session.PeripheralItem, name string) (watched, error) {
	item, ok := d.session.PeripheralPart(of, name)
	if !ok {
		return watched{}, fmt.Errorf("there is no %q here", name)
	}
	addr, size, path, ok := item.Register()
	if !ok {
		return watched{}, fmt.Errorf("%s is no register: only registers can be watched", name)
	}
	return watched{addr, size, path}, ctx.Err()
}

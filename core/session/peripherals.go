package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pushmask/core"
	"pushmask/core/inspect"
	"pushmask/core/svd"
)

// PeripheralItem is what a device description names: a group of peripherals, a
// peripheral, an array of registers or of clusters, a cluster, a register or a
// field. The zero value is the device.
// Items can be compared, and are good for as long as their program.
type PeripheralItem struct {
	group      string
	peripheral *svd.Peripheral
	cluster    string // path in the peripheral
	array      string // name without an index, in the cluster; "" for its elements
	register   *svd.Register
	field      *svd.Field
}

// PeripheralRow is an item as a user sees it, with its value in a stopped target.
type PeripheralRow struct {
	Item PeripheralItem
	Name string // unique among its neighbours
	// Value is what the target holds, or why that is not known.
	Value string
	Type  string // "32 bits, read-only"
	// Expr is an expression that reads a register, "" where it must not be read.
	Expr     string
	Addr     core.Addr // of a register that may be read
	HasAddr  bool
	Writable bool // as far as the description goes
	Children int
	IsArray  bool // the children are its elements, "[0]"
}

// Register returns where a register lies, its size in bytes, and its path; of a field
// those of its register. It is false for other items.
func (x PeripheralItem) Register() (addr core.Addr, size int, path string, ok bool) {
	if x.register == nil {
		return 0, 0, "", false
	}
	return x.register.Addr, x.register.Bytes(), x.register.String(), true
}

// manyPeripherals is how many peripherals are listed without their groups.
const manyPeripherals = 16

// Peripherals lists the parts of an item from start on, count at most (0: all),
// in the order of addresses; total is how many there are. Only the registers that
// are listed are read, each in one access of its width, and none for which that
// may change something. Without a description there is nothing.
func (s *Session) Peripherals(ctx context.Context, of PeripheralItem, start, count int) (rows []PeripheralRow, total int, err error) {
	d := s.program.description.read()
	if d == nil {
		return nil, 0, nil
	}
	items := partsOf(d, of)
	total = len(items)
	items = items[min(max(start, 0), total):]
	if count > 0 {
		items = items[:min(count, len(items))]
	}
	held := s.content(ctx, d, of.register)
	for _, x := range items {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		row := s.peripheralRow(ctx, d, x, held)
		row.Name = x.name(of)
		rows = append(rows, row)
	}
	return rows, total, nil
}

// Peripheral describes an item: a register, or the one that a field is of, is read.
func (s *Session) Peripheral(ctx context.Context, x PeripheralItem) (PeripheralRow, error) {
	d := s.program.description.read()
	if d == nil || x == (PeripheralItem{}) {
		return PeripheralRow{}, ctx.Err()
	}
	var held registerContent
	if x.field != nil {
		held = s.content(ctx, d, x.register)
	}
	return s.peripheralRow(ctx, d, x, held), ctx.Err()
}

// PeripheralPart finds a part of an item by its name. Elements of arrays are
// found by their full names too, with and without the array that they are in.
func (s *Session) PeripheralPart(of PeripheralItem, name string) (PeripheralItem, bool) {
	d := s.program.description.read()
	if d == nil {
		return PeripheralItem{}, false
	}
	for _, x := range partsOf(d, of) {
		if x.name(of) == name || x.fullName() == name {
			return x, true
		}
		if x.array == "" {
			continue
		}
		for _, e := range partsOf(d, x) {
			if e.fullName() == name {
				return e, true
			}
		}
	}
	return PeripheralItem{}, false
}

// name is the name of an item among the parts of another: elements of an array go
// by their index there.
func (x *PeripheralItem) name(of PeripheralItem) string {
	full := x.fullName()
	if _, index, ok := svd.CutIndex(full); ok && of.array != "" {
		return "[" + index + "]"
	}
	return full
}

// fullName is the name of an item among all that its peripheral or cluster has.
func (x *PeripheralItem) fullName() string {
	switch {
	case x.field != nil:
		return x.field.Name
	case x.register != nil:
		return x.register.Name
	case x.array != "":
		list := x.elements()
		_, first, _ := svd.CutIndex(list[0].fullName())
		_, last, _ := svd.CutIndex(list[len(list)-1].fullName())
		return x.array + "[" + first + ".." + last + "]"
	case x.cluster != "":
		return x.cluster[strings.LastIndexByte(x.cluster, '.')+1:]
	case x.peripheral != nil:
		return x.peripheral.Name
	}
	return x.group
}

// partsOf lists the parts of an item.
func partsOf(d *svd.Device, of PeripheralItem) []PeripheralItem {
	switch {
	case of.field != nil:
		return nil
	case of.register != nil:
		list := make([]PeripheralItem, 0, len(of.register.Fields))
		for _, f := range of.register.Fields {
			list = append(list, PeripheralItem{peripheral: of.peripheral, cluster: of.cluster, register: of.register, field: f})
		}
		return list
	case of.array != "":
		return of.elements()
	case of.peripheral != nil:
		return grouped(registersOf(of.peripheral, of.cluster))
	}
	return peripheralsOf(d, of.group)
}

// registersOf lists the registers and clusters of a cluster, or for "" of a
// peripheral.
func registersOf(p *svd.Peripheral, cluster string) []PeripheralItem {
	var list []PeripheralItem
	seen := map[string]bool{}
	for _, r := range p.Registers {
		if r.Cluster == cluster {
			list = append(list, PeripheralItem{peripheral: p, cluster: cluster, register: r})
			continue
		}
		prefix := cluster
		if prefix != "" {
			prefix += "."
		}
		below, ok := strings.CutPrefix(r.Cluster, prefix)
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(below, ".")
		if !seen[first] {
			seen[first] = true
			list = append(list, PeripheralItem{peripheral: p, cluster: prefix + first})
		}
	}
	return list
}

// cutLast cuts a path before its last part.
func cutLast(path string) (before, last string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// peripheralsOf lists the peripherals of a group, or for "" all of the device:
// those of one group together where there are many.
func peripheralsOf(d *svd.Device, group string) []PeripheralItem {
	size := map[string]int{}
	for _, p := range d.Peripherals {
		size[p.Group]++
	}
	var list []PeripheralItem
	seen := map[string]bool{}
	for _, p := range d.Peripherals {
		switch {
		case group != "" && p.Group != group:
		case group != "" || p.Group == "" || len(d.Peripherals) <= manyPeripherals || size[p.Group] == 1:
			list = append(list, PeripheralItem{peripheral: p})
		case !seen[p.Group]:
			seen[p.Group] = true
			list = append(list, PeripheralItem{group: p.Group})
		}
	}
	return list
}

// peripheralRow describes an item; held is what the register holds that it is a
// field of.
func (s *Session) peripheralRow(ctx context.Context, d *svd.Device, x PeripheralItem, held registerContent) PeripheralRow {
	row := PeripheralRow{Item: x, Name: x.fullName()}
	switch r := x.register; {
	case x.field != nil:
		row.Value, row.Type = held.fieldText(x.field), fieldType(x.field)
		row.Writable = x.field.Access.Writable()
		return row
	case r != nil:
		held = s.content(ctx, d, r)
		row.Value, row.Type, row.Writable = held.text(r), registerType(r), r.Writable()
		if held.hazard == svd.NoHazard {
			row.Addr, row.HasAddr, row.Expr = r.Addr, true, s.registerExpr(r)
		}
	case x.array != "":
		row.IsArray = true
		row.Value, row.Type = arrayText(x.elements())
	case x.cluster != "":
		row.Type = "cluster"
	case x.peripheral != nil:
		row.Value, row.Type = x.peripheral.Base.String(), "peripheral"
		if text := x.peripheral.Description; text != "" {
			row.Value += " " + text
		}
	default:
		row.Type = "group of peripherals"
	}
	row.Children = len(partsOf(d, x))
	return row
}

// registerExpr returns an expression that reads a register: its path, unless that
// means something else in the program.
func (s *Session) registerExpr(r *svd.Register) string {
	path := r.String()
	if _, _, taken := s.program.Place(r.Peripheral.Name); !taken && inspect.IsDevicePath(path) {
		return path
	}
	return fmt.Sprintf("*(%s *)%v", unsignedTypes[r.Bytes()], r.Addr)
}

// unsignedTypes are the types of C by their sizes in bytes, with names that need
// no debug information.
var unsignedTypes = map[int]string{1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}

func registerType(r *svd.Register) string {
	return fmt.Sprintf("%d bits, %v", r.Size, r.Access)
}

func fieldType(f *svd.Field) string {
	if f.Width == 1 {
		return fmt.Sprintf("bit %d, %v", f.LSB, f.Access)
	}
	return fmt.Sprintf("bits %d..%d, %v", f.LSB+f.Width-1, f.LSB, f.Access)
}

// registerContent is what a register holds, or why that is not known.
type registerContent struct {
	svd.Content
	hazard svd.Hazard
	err    error // of a read
	live   bool
}

// accessor reads and writes memory in accesses of a certain width, as a live
// target does.
type accessor interface {
	ReadAccess(ctx context.Context, a core.Addr, p []byte) error
	WriteAccess(ctx context.Context, a core.Addr, p []byte) error
}

// content reads a register, unless that may change something.
func (s *Session) content(ctx context.Context, d *svd.Device, r *svd.Register) registerContent {
	var c registerContent
	if r == nil {
		return c
	}
	if c.hazard = d.Hazard(r); c.hazard != svd.NoHazard {
		return c
	}
	live, ok := s.target.(accessor)
	c.live = ok
	access := d.Accesses(r)
	for i := range access.Count {
		var b [8]byte
		p := b[:access.Width]
		a := access.Addr + core.Addr(i*access.Width)
		if ok {
			c.err = live.ReadAccess(ctx, a, p)
		} else {
			_, c.err = s.target.Memory().ReadAt(a, p) // the image has no registers
		}
		if c.err != nil {
			return c
		}
		for k, v := range p {
			c.Value |= uint64(v) << (8 * (i*access.Width + k))
		}
	}
	c.Known = true
	return c
}

// text is the value of the register for people.
func (c *registerContent) text(r *svd.Register) string {
	switch {
	case c.Known:
		return r.Text(c.Value)
	case c.hazard == svd.NotReadable && r.Access != svd.ReadWrite:
		return r.Access.String()
	case c.hazard != svd.NoHazard:
		return "not read: " + c.hazard.String()
	case c.live && errors.Is(c.err, core.ErrNoMemory):
		return "the target does not answer at " + r.Addr.String()
	case errors.Is(c.err, core.ErrNoMemory):
		return "not in the dump"
	}
	return "cannot be read: " + c.err.Error()
}

// fieldText is the value of a field of the register for people.
func (c *registerContent) fieldText(f *svd.Field) string {
	switch {
	case !f.Access.Readable():
		return f.Access.String()
	case c.Known:
		return f.Decode(c.Value).Text()
	case c.hazard != svd.NoHazard:
		return "not read: " + c.hazard.String()
	}
	if c.live {
		return "cannot be read"
	}
	return "not in the dump"
}

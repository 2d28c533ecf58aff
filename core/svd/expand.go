package svd

import (
	"cmp"
	"slices"

	"pushmask/core"
)

// maxElements bounds what a description expands to: fields, names of values and
// elements of arrays count as one each, registers and long names as more.
const (
	maxElements     = 1 << 20
	registerCost    = 4
	bytesPerElement = 32
)

// expander makes peripherals of nodes.
type expander struct {
	problems *problems
	left     int
	ran      bool // out of elements
	fields   map[fieldsKey][]*Field
	enums    map[*node]*Enum
	limits   map[*node]*Constraint
	// inside are the clusters that are being expanded with all that they
	// derive from: one inside of itself would have no end.
	inside map[*node]bool
}

// spend counts n elements and reports whether there may be as many.
func (x *expander) spend(at *node, n int) bool {
	if x.left < n {
		if !x.ran {
			x.problems.add(at, "more than %d registers, fields and values: the rest is left out", maxElements)
		}
		x.ran = true
		return false
	}
	x.left -= n
	return true
}

// properties are those of the registerPropertiesGroup, which elements inside
// inherit.
type properties struct {
	size                  uint64
	access                Access
	protection            Protection
	resetValue, resetMask uint64
}

// inherit returns the properties of n: its own, those of its bases, or those of
// the element around it.
func (x *expander) inherit(n *node, up properties) properties {
	x.number(n, "size", &up.size)
	x.number(n, "resetValue", &up.resetValue)
	x.number(n, "resetMask", &up.resetMask)
	x.access(n, &up.access)
	setWord(x, n, "protection", protectionNames, &up.protection)
	return up
}

// number sets *v to the number in an element, and leaves it where there is none.
func (x *expander) number(n *node, tag string, v *uint64) bool {
	k := n.get(tag)
	if k == nil {
		return false
	}
	got, ok := number(k.text)
	if !ok {
		x.problems.add(n, "%s is %q, no number", tag, k.text)
		return false
	}
	*v = got
	return true
}

// setWord sets *v to the value that an element names, and leaves it where it
// names none.
func setWord[T ~uint8](x *expander, n *node, tag string, names []string, v *T) {
	k := n.get(tag)
	if k == nil {
		return
	}
	got, ok := valueOf[T](names, k.text)
	if !ok {
		x.problems.add(n, "%s is %q, which means nothing", tag, k.text)
		return
	}
	*v = got
}

// writeEffect sets *v to the effect that writing n has.
func (x *expander) writeEffect(n *node, v *WriteEffect) {
	if n.get("modifiedWriteValues") != nil {
		*v = WriteUnknown
		setWord(x, n, "modifiedWriteValues", writeEffectNames, v)
	}
}

// access sets *v to the access that an element names, and leaves it where there
// is no such element.
func (x *expander) access(n *node, v *Access) {
	k := n.get("access")
	if k == nil {
		return
	}
	var ok bool
	if *v, ok = accessOf(k.text); !ok {
		x.problems.add(n, "access is %q, which means nothing", k.text)
	}
}

// readAction sets *v to the effect that reading n has. A word that means nothing
// is an effect that is not known.
func (x *expander) readAction(n *node, v *ReadAction) {
	if n.get("readAction") != nil {
		*v = ReadModifies
		setWord(x, n, "readAction", readActionNames, v)
	}
}

// name returns the name of an element; without one it is left out.
func (x *expander) name(n *node) (string, bool) {
	name := n.str("name")
	if name == "" {
		x.problems.add(n, "a %s without a name is left out", n.tag)
	}
	return name, name != ""
}

// peripheral adds what one peripheral element describes.
func (x *expander) peripheral(dev *Device, n *node, up properties) {
	name, ok := x.name(n)
	var base uint64
	if !ok {
		return
	}
	if !x.number(n, "baseAddress", &base) || base > 1<<32-1 {
		x.problems.add(n, "the peripheral has no base address of 32 bits")
		return
	}
	props := x.inherit(n, up)
	a := x.arrayOf(n, name)
	for _, place := range a.places {
		addr := base + place.offset
		if addr > 1<<32-1 {
			x.problems.add(n, "address %#x is beyond 32 bits", addr)
			return
		}
		if !x.spend(n, registerCost+len(name)/bytesPerElement) {
			return
		}
		p := &Peripheral{
			Name: a.name(name, place), Description: n.str("description"), Group: n.str("groupName"),
			Alternate: n.str("alternatePeripheral"), DisableCondition: n.str("disableCondition"), Base: core.Addr(addr),
		}
		p.Blocks = x.blocks(n, p.Base)
		p.Interrupts = x.interrupts(n)
		x.members(&scope{p: p, n: n, addr: addr, props: props, prefix: n.str("prependToName"), suffix: n.str("appendToName")})
		slices.SortStableFunc(p.Registers, byAddress)
		dev.Peripherals = append(dev.Peripherals, p)
	}
}

func byAddress(a, b *Register) int { return cmp.Compare(a.Addr, b.Addr) }

// blocks reads the address blocks of a peripheral.
func (x *expander) blocks(n *node, base core.Addr) []Block {
	var list []Block
	for _, k := range n.all("addressBlock") {
		var offset, size uint64
		if !x.spend(k, 1) {
			break
		}
		if !x.number(k, "offset", &offset) || !x.number(k, "size", &size) {
			continue
		}
		start := uint64(base) + offset
		if size == 0 || start < offset || start > 1<<32-1 || size > 1<<32-start {
			x.problems.add(n, "an address block of %#x bytes at %#x is left out", size, start)
			continue
		}
		// Only one block that is the whole address space does not fit.
		list = append(list, Block{core.Addr(start), uint32(min(size, 1<<32-1)), k.str("usage")})
	}
	return list
}

// interrupts reads the interrupts of a peripheral.
func (x *expander) interrupts(n *node) []Interrupt {
	var list []Interrupt
	for _, k := range n.all("interrupt") {
		if !x.spend(k, 1) {
			break
		}
		v, ok := integer(k.str("value"))
		if !ok {
			x.problems.add(n, "interrupt %q has the number %q", k.str("name"), k.str("value"))
			continue
		}
		list = append(list, Interrupt{k.str("name"), k.str("description"), v})
	}
	return list
}

// scope is a peripheral or cluster whose registers are being made.
type scope struct {
	p              *Peripheral
	n              *node
	addr           uint64
	props          properties
	cluster        string // path of the cluster, "" in the peripheral itself
	prefix, suffix string // of the names shown
}

// members makes the registers and clusters of a scope: its own, and those of
// what it derives from that have other names.
func (x *expander) members(s *scope) {
	var own map[nodeKey]bool
	for n := s.n; n != nil && !x.ran; n = n.base {
		list := n.list
		if n.tag == "peripheral" {
			list = nil
			if r := n.kid("registers"); r != nil {
				list = r.list
			}
		}
		for _, k := range list {
			if !x.spend(k, 1) {
				break
			}
			if own[nodeKey{nil, k.tag, k.str("name")}] {
				continue
			}
			if k.tag == "register" {
				x.register(s, k)
			} else {
				x.cluster(s, k)
			}
		}
		if n.base != nil {
			own = addNames(own, list)
		}
	}
}

// addNames adds the names of registers and clusters to a set.
func addNames(set map[nodeKey]bool, list []*node) map[nodeKey]bool {
	if set == nil {
		set = map[nodeKey]bool{}
	}
	for _, k := range list {
		set[nodeKey{nil, k.tag, k.str("name")}] = true
	}
	return set
}

// cluster makes the registers of a cluster.
func (x *expander) cluster(s *scope, n *node) {
	name, ok := x.name(n)
	var offset uint64
	if !ok || !x.offset(n, &offset) {
		return
	}
	for b := n; b != nil; b = b.base {
		if x.inside[b] {
			x.problems.add(n, "the cluster is inside of what it derives from")
			return
		}
	}
	for b := n; b != nil; b = b.base {
		x.inside[b] = true
		defer delete(x.inside, b)
	}
	props := x.inherit(n, s.props)
	a := x.arrayOf(n, name)
	for _, place := range a.places {
		path := a.name(name, place)
		if s.cluster != "" {
			path = s.cluster + "." + path
		}
		if !x.spend(n, 1+len(path)/bytesPerElement) {
			return
		}
		x.members(&scope{
			p: s.p, n: n, addr: s.addr + offset + place.offset, props: props,
			cluster: path, prefix: s.prefix, suffix: s.suffix,
		})
	}
}

// offset reads addressOffset, which must be there.
func (x *expander) offset(n *node, v *uint64) bool {
	if n.get("addressOffset") == nil {
		x.problems.add(n, "no addressOffset: the %s is left out", n.tag)
		return false
	}
	if !x.number(n, "addressOffset", v) {
		return false
	}
	if *v > 1<<32-1 {
		x.problems.add(n, "addressOffset %#x is beyond 32 bits", *v)
		return false
	}
	return true
}

// register makes the registers of one register element.
func (x *expander) register(s *scope, n *node) {
	name, ok := x.name(n)
	var offset uint64
	if !ok || !x.offset(n, &offset) {
		return
	}
	props := x.inherit(n, s.props)
	if props.size == 0 || props.size > 64 {
		x.problems.add(n, "a register of %d bits is left out", props.size)
		return
	}
	shape := Register{
		Peripheral: s.p, Cluster: s.cluster, Description: n.str("description"), Size: int(props.size),
		Access: props.access, Protection: props.protection, ResetMask: props.resetMask & ones(int(props.size)),
		Alternate: n.str("alternateRegister"), AlternateGroup: n.str("alternateGroup"), DataType: n.str("dataType"),
		Constraint: x.constraint(n),
	}
	shape.ResetValue = props.resetValue & shape.ResetMask
	x.readAction(n, &shape.ReadAction)
	x.writeEffect(n, &shape.WriteEffect)
	shape.Fields = x.fieldsOf(n, &shape)
	display := n.str("displayName")
	if display == "" {
		display = s.prefix + name + s.suffix
	}
	a := x.arrayOf(n, name)
	for _, place := range a.places {
		addr := s.addr + offset + place.offset
		if addr > 1<<32-uint64(shape.Bytes()) {
			x.problems.add(n, "address %#x is beyond 32 bits", addr)
			return
		}
		if !x.spend(n, registerCost+(len(name)+len(display))/bytesPerElement) {
			return
		}
		r := shape
		r.Addr, r.Name, r.DisplayName = core.Addr(addr), a.name(name, place), a.display(display, place)
		s.p.Registers = append(s.p.Registers, &r)
	}
}

package svd

import (
	"cmp"
	"slices"
)

// fieldsKey tells lists of fields apart: the element that has them, and what
// they take over from their register.
type fieldsKey struct {
	n           *node
	size        int
	access      Access
	readAction  ReadAction
	writeEffect WriteEffect
	constraint  *Constraint
}

// fieldsOf returns the fields of a register: its own, and those of what it
// derives from that have other names.
func (x *expander) fieldsOf(n *node, r *Register) []*Field {
	for n != nil && n.kid("fields") == nil {
		n = n.base
	}
	if n == nil {
		return nil
	}
	key := fieldsKey{n, r.Size, r.Access, r.ReadAction, r.WriteEffect, r.Constraint}
	if list, ok := x.fields[key]; ok {
		return list
	}
	var list []*Field
	own := map[nodeKey]bool{}
	for ; n != nil && !x.ran; n = n.base {
		fields := n.kid("fields")
		if fields == nil {
			continue
		}
		for _, k := range fields.list {
			if !x.spend(k, 1) {
				break
			}
			if !own[nodeKey{nil, k.tag, k.str("name")}] {
				list = x.field(list, k, r)
			}
		}
		if n.base != nil {
			own = addNames(own, fields.list)
		}
	}
	slices.SortStableFunc(list, func(a, b *Field) int { return cmp.Compare(a.LSB, b.LSB) })
	x.fields[key] = list
	return list
}

// field appends the fields of one field element.
func (x *expander) field(list []*Field, n *node, r *Register) []*Field {
	name, ok := x.name(n)
	if !ok {
		return list
	}
	lsb, width, ok := x.bits(n)
	if !ok {
		return list
	}
	shape := Field{
		Description: n.str("description"), Width: int(min(width, 64)),
		Access: r.Access, ReadAction: r.ReadAction, WriteEffect: r.WriteEffect, Constraint: r.Constraint,
	}
	x.access(n, &shape.Access)
	x.readAction(n, &shape.ReadAction)
	x.writeEffect(n, &shape.WriteEffect)
	if c := x.constraint(n); c != nil {
		shape.Constraint = c
	}
	for _, k := range n.all("enumeratedValues") {
		if !x.spend(k, 1) {
			break
		}
		if e := x.enum(k); e != nil {
			shape.Enums = append(shape.Enums, e)
		}
	}
	a := x.arrayOf(n, name)
	for _, place := range a.places {
		at := lsb + place.offset
		if at > 63 || width > 64 || at+width > uint64(r.Size) {
			x.problems.add(n, "%d bits from bit %d on are not in a register of %d bits", width, at, r.Size)
			break
		}
		if !x.spend(n, 1+len(name)/bytesPerElement) {
			break
		}
		f := shape
		f.Name, f.LSB = a.name(name, place), int(at)
		list = append(list, &f)
	}
	return list
}

// bits reads the position of a field in one of its three notations: bitRange,
// lsb and msb, bitOffset and bitWidth. The notation of the field itself counts
// before that of what it derives from.
func (x *expander) bits(n *node) (lsb, width uint64, ok bool) {
	for m := n; m != nil; m = m.base {
		switch {
		case m.kid("bitRange") != nil:
			msb, lsb, ok := bitRange(m.kid("bitRange").text)
			if !ok {
				x.problems.add(n, "bitRange is %q", m.kid("bitRange").text)
				return 0, 0, false
			}
			return x.between(n, lsb, msb)
		case m.kid("lsb") != nil && m.kid("msb") != nil:
			var lsb, msb uint64
			if !x.number(m, "lsb", &lsb) || !x.number(m, "msb", &msb) {
				return 0, 0, false
			}
			return x.between(n, lsb, msb)
		case m.kid("bitOffset") != nil && n.get("bitWidth") != nil:
			if !x.number(m, "bitOffset", &lsb) || !x.number(n, "bitWidth", &width) {
				return 0, 0, false
			}
			if width == 0 {
				x.problems.add(n, "a field of no bits is left out")
			}
			return lsb, width, width > 0
		}
	}
	x.problems.add(n, "no position: the field is left out")
	return 0, 0, false
}

// between turns two bit numbers into a position; some files have them the
// wrong way round.
func (x *expander) between(n *node, lsb, msb uint64) (uint64, uint64, bool) {
	if lsb > msb {
		x.problems.add(n, "bits %d to %d are the wrong way round", msb, lsb)
		lsb, msb = msb, lsb
	}
	return lsb, min(msb-lsb, 64) + 1, true
}

// enum returns a list of names of values, nil for one without any.
func (x *expander) enum(n *node) *Enum {
	if e, ok := x.enums[n]; ok {
		return e
	}
	values := n.all("enumeratedValue")
	var e *Enum
	if len(values) > 0 {
		e = &Enum{Name: n.str("name")}
		setWord(x, n, "usage", usageNames, &e.Usage)
	}
	for _, k := range values {
		if !x.spend(k, 1) {
			break
		}
		v := EnumValue{Name: k.str("name"), Description: k.str("description"), Default: boolean(k.str("isDefault"))}
		var ok bool
		if text := k.str("value"); !v.Default {
			if v.Value, v.Mask, ok = pattern(text); !ok {
				x.problems.add(n, "value %q is named %q", text, v.Name)
				continue
			}
		}
		e.Values = append(e.Values, v)
	}
	x.enums[n] = e
	return e
}

// constraint returns the writeConstraint of a register or field, nil without
// one that says anything.
func (x *expander) constraint(n *node) *Constraint {
	k := n.get("writeConstraint")
	if k == nil {
		return nil
	}
	if c, ok := x.limits[k]; ok {
		return c
	}
	c := &Constraint{AsRead: boolean(k.str("writeAsRead")), Enumerated: boolean(k.str("useEnumeratedValues"))}
	if r := k.kid("range"); r != nil {
		c.Range = x.number(r, "minimum", &c.Min) && x.number(r, "maximum", &c.Max)
	}
	if *c == (Constraint{}) {
		c = nil
	}
	x.limits[k] = c
	return c
}

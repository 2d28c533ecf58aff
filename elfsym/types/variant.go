package types

import (
	"debug/dwarf"
	"fmt"

	"pushmask/elfsym/die"
	"pushmask/internal/cursor"
)

// VariantPart is a part of a structure of which one variant is there at a time
// (DWARF 5, 5.7.10): a Rust enumeration.
type VariantPart struct {
	// Discriminant tells which variant is there; nil where there is only one.
	// Several of its values may belong to one variant, and with niches it is a
	// member of the data of another.
	Discriminant *Member
	Variants     []Variant
}

// Variant is one alternative.
type Variant struct {
	// Values are those of the discriminant that select the variant. The variant
	// without any is there for all others.
	Values  []DiscriminantRange
	Members []Member
}

// DiscriminantRange is the values [Lo, Hi], both included, as bits of the
// discriminant's size.
type DiscriminantRange struct{ Lo, Hi uint64 }

// Select returns the variant for a value of the discriminant; nil where none
// matches. Bits past the size of the discriminant are ignored.
func (p *VariantPart) Select(discriminant uint64) *Variant {
	if p.Discriminant == nil {
		if len(p.Variants) == 1 {
			return &p.Variants[0]
		}
		return nil
	}
	size, signed := p.discriminantType()
	key := func(v uint64) uint64 {
		shift := 64 - 8*uint(size)
		v <<= shift
		if signed {
			return uint64(int64(v)>>shift) ^ 1<<63 // in the order of signed numbers
		}
		return v >> shift
	}
	var other *Variant
	at := key(discriminant)
	for i := range p.Variants {
		v := &p.Variants[i]
		if len(v.Values) == 0 && other == nil {
			other = v
		}
		for _, r := range v.Values {
			if key(r.Lo) <= at && at <= key(r.Hi) {
				return v
			}
		}
	}
	return other
}

func (p *VariantPart) discriminantType() (size uint32, signed bool) {
	t := p.Discriminant.Type.Underlying()
	size, ok := t.Size()
	if !ok || size > 8 || size == 0 {
		size = 8
	}
	return size, t.Kind == Base && (t.Encoding == Signed || t.Encoding == SignedChar)
}

func (t *Type) variantPart(e die.Entry) (VariantPart, error) {
	var p VariantPart
	if d, ok := e.Follow(dwarf.AttrDiscr); ok && d.Tag == dwarf.TagMember {
		m := t.member(d)
		p.Discriminant = &m
	}
	n := 0
	for c, err := range e.Children() {
		if n++; err == nil && n > maxMembers {
			err = fmt.Errorf("%w: more than %d variants", die.ErrMalformed, maxMembers)
		}
		if err != nil {
			return p, fmt.Errorf("read variants of %s: %w", t.Name(), err)
		}
		if c.Tag != dwarf.TagVariant {
			continue
		}
		v, err := t.variant(c, &p)
		if err != nil {
			return p, err
		}
		p.Variants = append(p.Variants, v)
	}
	return p, nil
}

func (t *Type) variant(e die.Entry, p *VariantPart) (Variant, error) {
	var v Variant
	if n, ok := e.Int(dwarf.AttrDiscrValue); ok {
		v.Values = []DiscriminantRange{{uint64(n), uint64(n)}}
	} else if list, ok := e.Attr(dwarf.AttrDiscrList).Block(); ok && p.Discriminant != nil {
		_, signed := p.discriminantType()
		var err error
		if v.Values, err = discriminantList(list, signed); err != nil {
			return v, fmt.Errorf("read variants of %s: %w", t.Name(), err)
		}
	}
	for c, err := range e.Children() {
		if err != nil {
			return v, fmt.Errorf("read variants of %s: %w", t.Name(), err)
		}
		if c.Tag == dwarf.TagMember && len(v.Members) < maxMembers {
			v.Members = append(v.Members, t.member(c))
		}
	}
	return v, nil
}

// discriminantList reads DW_AT_discr_list (DWARF 5, 5.7.10 and 7.23).
func discriminantList(list []byte, signed bool) ([]DiscriminantRange, error) {
	const label, span = 0, 1
	c := cursor.New("list of discriminants", list)
	leb := func() uint64 {
		if signed {
			return uint64(c.SLEB())
		}
		return c.ULEB()
	}
	var out []DiscriminantRange
	for c.Len() > 0 {
		switch c.U8() {
		case label:
			v := leb()
			out = append(out, DiscriminantRange{v, v})
		case span:
			lo := leb()
			out = append(out, DiscriminantRange{lo, leb()})
		default:
			c.Fail("neither label nor range")
		}
	}
	return out, c.Err()
}

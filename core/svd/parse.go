package svd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Parse reads a description. What the file has wrong is left out and listed in
// the device's problems; an error means that there is no device at all: see
// [ErrNoDevice] and [ErrTooLarge], or r failed. Time and memory are bounded
// whatever the file holds.
func Parse(r io.Reader) (*Device, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read device description: %w", err)
	}
	if len(data) > maxBytes {
		return nil, ErrTooLarge
	}
	p := &problems{}
	root := readNodes(toUTF8(data), maxNodes, p)
	if root == nil {
		return nil, ErrNoDevice
	}
	derive(root, p)
	x := &expander{
		problems: p, left: maxElements, fields: map[fieldsKey][]*Field{}, enums: map[*node]*Enum{},
		limits: map[*node]*Constraint{}, inside: map[*node]bool{},
	}
	dev := x.device(root)
	dev.Problems, dev.MoreProblems = p.list, p.more
	dev.buildIndex()
	return dev, nil
}

// device reads the device element and all peripherals.
func (x *expander) device(n *node) *Device {
	dev := &Device{
		Vendor: n.str("vendor"), Name: n.str("name"), Series: n.str("series"),
		Version: n.str("version"), Description: n.str("description"), Width: 32,
	}
	if cpu := n.kid("cpu"); cpu != nil {
		dev.CPU = x.cpu(cpu)
	}
	var width uint64
	if x.number(n, "width", &width) && slices.Contains([]uint64{8, 16, 32, 64}, width) {
		dev.Width = int(width)
	}
	// Where no level says so, registers have 32 bits, which may be read and
	// written, and all have a reset value.
	up := x.inherit(n, properties{size: 32, resetMask: ^uint64(0)})
	if list := n.kid("peripherals"); list != nil {
		for _, k := range list.list {
			if x.ran {
				break
			}
			x.peripheral(dev, k, up)
		}
	}
	slices.SortStableFunc(dev.Peripherals, func(a, b *Peripheral) int { return cmp.Compare(a.Base, b.Base) })
	return dev
}

// cpu reads the cpu element.
func (x *expander) cpu(n *node) CPU {
	has := func(tag string) bool { return boolean(n.str(tag)) }
	count := func(tag string) int {
		var v uint64
		x.number(n, tag, &v)
		return int(min(v, 1<<16))
	}
	return CPU{
		Name: n.str("name"), Revision: n.str("revision"), Endian: n.str("endian"),
		MPU: has("mpuPresent"), FPU: has("fpuPresent"), DoubleFPU: has("fpuDP"), DSP: has("dspPresent"),
		ICache: has("icachePresent"), DCache: has("dcachePresent"), ITCM: has("itcmPresent"), DTCM: has("dtcmPresent"),
		VTOR:             n.kid("vtorPresent") == nil || has("vtorPresent"),
		NVICPriorityBits: count("nvicPrioBits"), Interrupts: count("deviceNumInterrupts"), SAURegions: count("sauNumRegions"),
	}
}

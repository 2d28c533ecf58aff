package svd

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"pushmask/core"
)

// span is an address block of a peripheral.
type span struct {
	start, end uint64 // end exclusive
	maxEnd     uint64 // of this and all before it
	p          *Peripheral
}

// byteRange is a range of addresses, end exclusive.
type byteRange struct{ start, end uint64 }

// buildIndex prepares lookups by address.
func (d *Device) buildIndex() {
	for _, p := range d.Peripherals {
		d.registers = append(d.registers, p.Registers...)
		for _, b := range p.Blocks {
			d.blocks = append(d.blocks, span{start: uint64(b.Addr), end: uint64(b.Addr) + uint64(b.Size), p: p})
		}
	}
	slices.SortStableFunc(d.registers, byAddress)
	slices.SortStableFunc(d.blocks, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var maxEnd uint64
	for i := range d.blocks {
		maxEnd = max(maxEnd, d.blocks[i].end)
		d.blocks[i].maxEnd = maxEnd
	}
	d.hazards = hazardsOf(d.registers)
}

// At returns the peripheral and the register that an address belongs to. The
// register is nil between the registers of a peripheral, both are nil outside of
// all peripherals. Where several registers hold the address, one that starts
// there is meant, and the first of them in the file; where several peripherals
// do, the one that starts last.
func (d *Device) At(a core.Addr) (*Peripheral, *Register) {
	const widest = 8 // bytes of a register
	low := core.Addr(max(uint64(a), widest-1) - (widest - 1))
	i := sort.Search(len(d.registers), func(i int) bool { return d.registers[i].Addr >= low })
	var around *Register
	for ; i < len(d.registers) && d.registers[i].Addr <= a; i++ {
		switch r := d.registers[i]; {
		case r.Addr == a:
			return r.Peripheral, r
		case around == nil && r.contains(a):
			around = r
		}
	}
	if around != nil {
		return around.Peripheral, around
	}
	i = sort.Search(len(d.blocks), func(i int) bool { return d.blocks[i].start > uint64(a) }) - 1
	var in *span
	for ; i >= 0 && d.blocks[i].maxEnd > uint64(a); i-- {
		b := &d.blocks[i]
		if in != nil && b.start < in.start {
			break
		}
		if b.end > uint64(a) {
			in = b // the last one seen of those that start at one address is the first in the file
		}
	}
	if in == nil {
		return nil, nil
	}
	return in.p, nil
}

// Symbol says what is at an address: "GPIOA.ODR", "GPIOA.ODR+1" for its second
// byte, "GPIOA+0x24" between the registers of a peripheral, "" outside of all
// peripherals.
func (d *Device) Symbol(a core.Addr) string {
	p, r := d.At(a)
	switch {
	case r != nil && r.Addr == a:
		return r.String()
	case r != nil:
		return fmt.Sprintf("%v+%d", r, a-r.Addr)
	case p != nil && a >= p.Base:
		return fmt.Sprintf("%s+%#x", p.Name, uint32(a-p.Base))
	case p != nil:
		return fmt.Sprintf("%s-%#x", p.Name, uint32(p.Base-a))
	}
	return ""
}

// Item is what a name stands for: a peripheral, a register of it, or a field of
// that. What is below the last one named is nil.
type Item struct {
	Peripheral *Peripheral
	Register   *Register
	Field      *Field
}

// Lookup finds a peripheral, register or field by its path: "GPIOA",
// "GPIOA.ODR", "DMA.CH[0].CTRL.EN". Registers are also found by the names that
// are displayed. Where no name fits exactly, case does not matter.
func (d *Device) Lookup(path string) (Item, bool) {
	if it, ok := d.Find(path); ok {
		return it, true
	}
	return d.lookup(path, strings.EqualFold)
}

// Find is Lookup by the exact name. Elements of arrays are found without the
// brackets too: "TIM1.CCR2" is "TIM1.CCR[2]" where there is no other of that name.
func (d *Device) Find(path string) (Item, bool) {
	for _, same := range []func(a, b string) bool{equal, equalJoined} {
		if it, ok := d.lookup(path, same); ok {
			return it, true
		}
	}
	return Item{}, false
}

func equal(a, b string) bool { return a == b }

// equalJoined compares a name with one that may lack its brackets.
func equalJoined(name, short string) bool { return withoutBrackets.Replace(name) == short }

var withoutBrackets = strings.NewReplacer("[", "", "]", "")

func (d *Device) lookup(path string, same func(a, b string) bool) (Item, bool) {
	name, rest, below := strings.Cut(path, ".")
	for _, p := range d.Peripherals {
		if !same(p.Name, name) {
			continue
		}
		if !below {
			return Item{Peripheral: p}, true
		}
		for _, r := range p.Registers {
			if it, ok := r.lookup(rest, same); ok {
				return it, true
			}
		}
	}
	return Item{}, false
}

// lookup finds the register itself or one of its fields.
func (r *Register) lookup(path string, same func(a, b string) bool) (Item, bool) {
	if same(r.Path(), path) || same(r.below(r.DisplayName), path) {
		return Item{Peripheral: r.Peripheral, Register: r}, true
	}
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || !same(r.Path(), path[:dot]) && !same(r.below(r.DisplayName), path[:dot]) {
		return Item{}, false
	}
	for _, f := range r.Fields {
		if same(f.Name, path[dot+1:]) {
			return Item{r.Peripheral, r, f}, true
		}
	}
	return Item{}, false
}

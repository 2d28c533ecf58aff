package thumb

// index finds the form of an encoding. Forms are tried in table order, so an
// encoding that is a special case of another stands before it.
type index struct {
	narrow [1 << 8][]entry  // by bits 15:8
	wide   [1 << 10][]entry // by bits 12:4 of the first halfword and bit 15 of the second
}

// entry is what a search looks at, side by side in memory.
type entry struct {
	mask, value uint32
	form        *form
}

var forms = newIndex()

// Bits of a 32-bit encoding that select a bucket.
const wideKeyMask = 0x1ff<<20 | 1<<15

func newIndex() *index {
	x := new(index)
	for _, table := range tables {
		for i := range table {
			x.add(compile(&table[i]))
		}
	}
	return x
}

// tables are searched in this order.
var tables = [][]encoding{t16Table, t32Table, mveTable, fpTable, coprocessorTable, simdTable}

// add enters f in every bucket that an encoding of it can fall into.
func (x *index) add(f *form) {
	keyMask := uint32(0xff00)
	if f.size == 4 {
		keyMask = wideKeyMask
	}
	free := keyMask &^ f.mask
	for s := uint32(0); ; s = (s - free) & free { // every subset of the free bits
		b := x.bucket(f.value&keyMask|s, f.size)
		*b = append(*b, entry{f.mask, f.value, f})
		if s == free {
			return
		}
	}
}

func (x *index) bucket(raw uint32, size uint8) *[]entry {
	if size == 2 {
		return &x.narrow[raw>>8&0xff]
	}
	return &x.wide[raw>>20&0x1ff<<1|raw>>15&1]
}

// find returns the form of raw, nil when it is unallocated.
func (x *index) find(raw uint32, size uint8) *form {
	for _, e := range *x.bucket(raw, size) {
		if raw&e.mask == e.value {
			return e.form
		}
	}
	return nil
}

// wideHalfword reports whether a first halfword starts a 32-bit encoding
// (Armv8-M ARM, "T32 instruction set encoding": bits 15:11 are 0b11101,
// 0b11110 or 0b11111).
func wideHalfword(h uint16) bool { return h >= 0b11101<<11 }

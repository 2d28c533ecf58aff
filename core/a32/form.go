package a32

// form is a set of encodings with the same meaning: those words whose bits
// under mask equal value. Forms of conditional instructions leave the
// condition out of mask.
type form struct {
	mask, value uint32
	sem         semantics
}

// never is the first word of the unconditional instructions: condition 1111.
const never = 0xf0000000

// find returns the first form that word belongs to, nil when there is none.
func find(word uint32) *form {
	list := &conditionalIndex[word>>20&0xff]
	if word >= never {
		list = &unconditionalIndex[word>>20&0xff]
	}
	for _, f := range *list {
		if word&f.mask == f.value {
			return f
		}
	}
	return nil
}

// formIndex has the forms by bits 27 to 20, in the order of their table.
type formIndex [256][]*form

var (
	conditionalIndex   = newIndex(conditional)
	unconditionalIndex = newIndex(unconditional)
)

func newIndex(table []form) (x formIndex) {
	for op := range uint32(256) {
		for k := range table {
			f := &table[k]
			if (op<<20^f.value)&f.mask&0x0ff00000 == 0 {
				x[op] = append(x[op], f)
			}
		}
	}
	return x
}

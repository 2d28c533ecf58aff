package expr

import (
	"errors"
	"fmt"
)

// Bytes is the value of an object as far as it is known.
type Bytes struct {
	Data []byte // little-endian, in the order of memory
	// Known has a bit set for every bit of Data that the program has a value
	// for; others were optimized out and are 0.
	Known []byte
	// Pointer is set where the object is an implicit pointer.
	Pointer *Piece
}

// Complete reports whether every bit is known.
func (b Bytes) Complete() bool {
	for _, k := range b.Known {
		if k != 0xff {
			return false
		}
	}
	return b.Pointer == nil
}

// maxObject bounds the objects that Read assembles, in bytes.
const maxObject = 16 << 20

// ErrTooLarge tells that an object is larger than what is read in one piece.
var ErrTooLarge = errors.New("object is too large to read")

// Read reads an object of size bytes. Parts that were optimized out are not
// known; memory and registers that cannot be read are an error.
func (l Location) Read(f Frame, size uint32) (Bytes, error) {
	if size > maxObject {
		return Bytes{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	b := Bytes{Data: make([]byte, size), Known: make([]byte, size)}
	bits := uint64(size) * 8
	at := uint64(0)
	for i := range l {
		p := &l[i]
		n := p.BitSize
		if n == 0 && len(l) == 1 {
			n = bits
		}
		if p.Kind == ImplicitPointer && at == 0 && n >= bits {
			b.Pointer = p
			return b, nil
		}
		n = min(n, bits-at)
		if err := b.fill(f, p, at, n); err != nil {
			return Bytes{}, err
		}
		at += n
	}
	return b, nil
}

// fill copies n bits of a piece to bit at and up.
func (b *Bytes) fill(f Frame, p *Piece, at, n uint64) error {
	if n == 0 || p.Kind == OptimizedOut || p.Kind == ImplicitPointer {
		return nil
	}
	src, from, err := p.fetch(f, n)
	if err != nil {
		return err
	}
	if at%8 == 0 && from%8 == 0 && n%8 == 0 {
		k := copy(b.Data[at/8:][:n/8], src[min(from/8, uint64(len(src))):])
		for i := range k {
			b.Known[at/8+uint64(i)] = 0xff
		}
		return nil
	}
	for i := range min(n, max(uint64(len(src))*8, from)-from) {
		bit := src[(from+i)/8] >> ((from + i) % 8) & 1
		b.Data[(at+i)/8] |= bit << ((at + i) % 8)
		b.Known[(at+i)/8] |= 1 << ((at + i) % 8)
	}
	return nil
}

// fetch returns the bytes that hold n bits of the piece, and the first bit in
// them.
func (p *Piece) fetch(f Frame, n uint64) (src []byte, from uint64, err error) {
	switch p.Kind {
	case Memory:
		from = p.BitOffset % 8
		src = make([]byte, (from+n+7)/8)
		return src, from, f.Read(p.Addr+uint32(p.BitOffset/8), src)
	case Value:
		return p.Data, p.BitOffset, nil
	}
	// A value that is longer than its register goes on in the next one.
	for reg := p.Register; uint64(len(src))*8 < p.BitOffset+n; reg++ {
		v, ok := f.Register(reg)
		if !ok {
			return nil, 0, unknownRegister(reg)
		}
		for i := range registerSize(reg) {
			src = append(src, byte(v>>(8*i)))
		}
		if len(src) > maxRegisterObject {
			return nil, 0, fmt.Errorf("%w: %d bits in registers", ErrMalformed, n)
		}
	}
	return src, p.BitOffset, nil
}

// maxRegisterObject is the size in bytes of the largest object in registers: 32
// D registers.
const maxRegisterObject = 256

// registerSize is the size of a register in bytes.
func registerSize(n uint32) int {
	if n >= 256 && n <= 287 {
		return 8
	}
	return 4
}

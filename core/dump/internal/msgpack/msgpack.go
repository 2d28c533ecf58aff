// Package msgpack reads MessagePack values one after the other, as far as
// crash dumps need them. It builds no tree and keeps nothing.
package msgpack

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kind is the family of a value (MessagePack specification, "Formats").
type Kind uint8

// The kinds.
const (
	Invalid Kind = iota // the zero Kind, of no value
	Nil
	Bool
	Uint  // an integer of 0 or more
	Int   // an integer below 0
	Float // 4 or 8 bytes
	Str
	Bin
	Ext
	Array
	Map
)

var kindNames = [...]string{
	"nothing", "nil", "a bool", "an integer", "a negative integer", "a float", "a string",
	"binary data", "an extension", "an array", "a map",
}

// String names the kind with its article: "an array".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Token is the head of a value.
type Token struct {
	Kind Kind
	// N is the value of a Bool (0 or 1), Uint or Int (two's complement); the
	// number of bytes that follow for Str, Bin, Ext and Float; the number of
	// values or pairs that follow for Array and Map.
	N uint64
}

// ErrFormat is returned for a byte that begins no value, and for a value of
// another kind than was asked for.
var ErrFormat = errors.New("not the MessagePack value that was expected")

// Reader reads values. After the first error every method returns zeros and
// Err that error; callers may test it once.
type Reader struct {
	r   *bufio.Reader
	off int64
	err error
}

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 1<<16)} }

// Err returns the first error: an I/O error, io.ErrUnexpectedEOF or
// [ErrFormat], with the offset.
func (r *Reader) Err() error { return r.err }

// Offset returns how many bytes were read.
func (r *Reader) Offset() int64 { return r.off }

func (r *Reader) fail(off int64, err error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if r.err == nil {
		r.err = fmt.Errorf("read MessagePack at offset %#x: %w", off, err)
	}
}

// Token reads the head of the next value. What follows the head (the bytes of
// a string, the values of an array) is read by further calls.
func (r *Reader) Token() Token {
	at := r.off
	b := r.byte()
	if r.err != nil {
		return Token{}
	}
	switch {
	case b < 0x80:
		return Token{Uint, uint64(b)}
	case b < 0x90:
		return Token{Map, uint64(b & 0x0f)}
	case b < 0xa0:
		return Token{Array, uint64(b & 0x0f)}
	case b < 0xc0:
		return Token{Str, uint64(b & 0x1f)}
	case b >= 0xe0:
		return Token{Int, uint64(int64(int8(b)))}
	}
	f := formats[b-0xc0]
	switch {
	case f.kind == Invalid:
		r.fail(at, fmt.Errorf("byte %#x: %w", b, ErrFormat))
		return Token{}
	case f.size == 0:
		return Token{f.kind, f.fixed}
	}
	n := r.bigEndian(f.size)
	switch {
	case r.err != nil:
		return Token{}
	case f.kind == Int:
		shift := 64 - 8*f.size
		if v := int64(n<<shift) >> shift; v < 0 {
			return Token{Int, uint64(v)}
		}
		return Token{Uint, n}
	case f.kind == Ext:
		return Token{Ext, n + 1} // with its type
	}
	return Token{f.kind, n}
}

// format describes a first byte from 0xc0 on: the kind, and either the size of
// the big-endian number that follows or the number itself.
type format struct {
	kind  Kind
	size  int
	fixed uint64
}

var formats = [0xe0 - 0xc0]format{
	{Nil, 0, 0}, {}, {Bool, 0, 0}, {Bool, 0, 1},
	{Bin, 1, 0}, {Bin, 2, 0}, {Bin, 4, 0}, // c4
	{Ext, 1, 0}, {Ext, 2, 0}, {Ext, 4, 0}, // c7
	{Float, 0, 4}, {Float, 0, 8}, // ca
	{Uint, 1, 0}, {Uint, 2, 0}, {Uint, 4, 0}, {Uint, 8, 0}, // cc
	{Int, 1, 0}, {Int, 2, 0}, {Int, 4, 0}, {Int, 8, 0}, // d0
	{Ext, 0, 2}, {Ext, 0, 3}, {Ext, 0, 5}, {Ext, 0, 9}, {Ext, 0, 17}, // d4, with the type
	{Str, 1, 0}, {Str, 2, 0}, {Str, 4, 0}, // d9
	{Array, 2, 0}, {Array, 4, 0}, // dc
	{Map, 2, 0}, {Map, 4, 0}, // de
}

// Expect reads the head of the next value, which must be of the given kind,
// and returns its N.
func (r *Reader) Expect(k Kind) uint64 {
	at := r.off
	t := r.Token()
	if r.err == nil && t.Kind != k {
		r.fail(at, fmt.Errorf("%v in place of %v: %w", t.Kind, k, ErrFormat))
	}
	if r.err != nil {
		return 0
	}
	return t.N
}

// Str reads a string of at most limit bytes.
func (r *Reader) Str(limit int) string {
	at := r.off
	n := r.Expect(Str)
	if n > uint64(limit) {
		r.fail(at, fmt.Errorf("a string of %d bytes: %w", n, ErrFormat))
		return ""
	}
	b := make([]byte, n)
	r.full(b)
	if r.err != nil {
		return ""
	}
	return string(b)
}

// Octets reads a value that stands for bytes, binary data or an array of
// integers from 0 to 255. After an error it returns the bytes before it. The
// memory it takes grows with what is there, not with what is promised.
func (r *Reader) Octets() []byte {
	at := r.off
	t := r.Token()
	if r.err == nil && t.Kind != Bin && t.Kind != Array {
		r.fail(at, fmt.Errorf("%v in place of bytes: %w", t.Kind, ErrFormat))
	}
	var out []byte
	for n := uint64(0); n < t.N && r.err == nil; n++ {
		v := uint64(0)
		if t.Kind == Bin {
			v = uint64(r.byte())
		} else {
			v = r.Expect(Uint)
		}
		switch {
		case r.err != nil:
		case v > 0xff:
			r.fail(r.off, fmt.Errorf("%d is no byte: %w", v, ErrFormat))
		default:
			out = append(out, byte(v))
		}
	}
	return out
}

// Skip reads the rest of the value that t is the head of. Nesting costs no
// memory.
func (r *Reader) Skip(t Token) {
	for values := uint64(0); ; values-- {
		switch t.Kind {
		case Str, Bin, Ext, Float:
			r.discard(t.N)
		case Array:
			values += t.N
		case Map:
			values += 2 * t.N
		}
		if values == 0 || r.err != nil {
			return
		}
		t = r.Token()
	}
}

func (r *Reader) byte() byte {
	if r.err != nil {
		return 0
	}
	b, err := r.r.ReadByte()
	if err != nil {
		r.fail(r.off, err)
		return 0
	}
	r.off++
	return b
}

func (r *Reader) full(b []byte) {
	if r.err != nil {
		return
	}
	n, err := io.ReadFull(r.r, b)
	r.off += int64(n)
	if err != nil {
		r.fail(r.off, err)
	}
}

func (r *Reader) discard(n uint64) {
	const step = 1 << 30
	for n > 0 && r.err == nil {
		got, err := r.r.Discard(int(min(n, step)))
		r.off += int64(got)
		n -= uint64(got)
		if err != nil {
			r.fail(r.off, err)
		}
	}
}

func (r *Reader) bigEndian(size int) uint64 {
	var b [8]byte
	r.full(b[8-size:])
	if r.err != nil {
		return 0
	}
	return binary.BigEndian.Uint64(b[:])
}

package rtos

import (
	"bytes"
	"encoding/binary"

	"pushmask/core"
	"pushmask/elfsym"
)

// field is the place of a member in a structure, in bytes.
type field struct{ off, size uint32 }

// layout is where the members of a structure lie.
type layout struct {
	size   uint32
	dwarf  *elfsym.Struct
	fields map[string]field // without DWARF, and what the kernel's file adds to it
}

// maxStruct bounds the structures that are read, in bytes.
const maxStruct = 1 << 16

// layoutOf returns the layout that DWARF has for the first of the names that
// has all the members; members are named as in [elfsym.Struct.Member].
func (s *System) layoutOf(names []string, members ...string) (*layout, bool) {
	for _, name := range names {
		st, ok := s.Image.Struct(name)
		if !ok || st.Size == 0 || st.Size > maxStruct {
			continue
		}
		l := &layout{size: st.Size, dwarf: &st}
		if l.has(members...) {
			return l, true
		}
	}
	return nil, false
}

// fixed is the layout of a known version.
func fixed(size uint32, fields map[string]field) *layout { return &layout{size: size, fields: fields} }

// has reports whether all members exist.
func (l *layout) has(members ...string) bool {
	for _, m := range members {
		if _, ok := l.field(m); !ok {
			return false
		}
	}
	return true
}

// field returns the place of a member that lies inside the structure.
func (l *layout) field(name string) (field, bool) {
	if f, ok := l.fields[name]; ok {
		return f, uint64(f.off)+uint64(f.size) <= uint64(l.size)
	}
	if l.dwarf == nil {
		return field{}, false
	}
	m, ok := l.dwarf.Member(name)
	if !ok || uint64(m.Offset)+uint64(m.Type.Size) > uint64(l.size) {
		return field{}, false
	}
	return field{m.Offset, m.Type.Size}, true
}

// offset returns the offset of a member that is known to exist.
func (l *layout) offset(name string) core.Addr {
	f, _ := l.field(name)
	return core.Addr(f.off)
}

// record is a structure in memory.
type record struct {
	addr   core.Addr
	layout *layout
	data   []byte
}

// record reads the structure at a. It fails where memory has a hole.
func (s *System) record(a core.Addr, l *layout) (*record, bool) {
	r := &record{addr: a, layout: l, data: make([]byte, min(l.size, maxStruct))}
	n, _ := s.Memory.ReadAt(a, r.data)
	return r, n == len(r.data) && n > 0
}

// bytes returns the bytes of a member.
func (r *record) bytes(name string) ([]byte, bool) {
	f, ok := r.layout.field(name)
	if !ok || uint64(f.off)+uint64(f.size) > uint64(len(r.data)) {
		return nil, false
	}
	return r.data[f.off : f.off+f.size], true
}

// num returns a number of one to four bytes, zero-extended, or the low word of
// a longer one. It is false where the structure has no such member.
func (r *record) num(name string) (uint32, bool) {
	b, ok := r.bytes(name)
	if !ok || len(b) == 0 {
		return 0, false
	}
	var w [4]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint32(w[:]), true
}

// signed returns a number of one to four bytes, sign-extended.
func (r *record) signed(name string) (int, bool) {
	b, ok := r.bytes(name)
	v, _ := r.num(name)
	switch {
	case !ok:
		return 0, false
	case len(b) == 1:
		return int(int8(v)), true
	case len(b) == 2:
		return int(int16(v)), true
	}
	return int(int32(v)), len(b) >= 4
}

// pointer returns a pointer member, 0 where it is absent.
func (r *record) pointer(name string) core.Addr {
	v, _ := r.num(name)
	return core.Addr(v)
}

// at returns the address of a member.
func (r *record) at(name string) core.Addr { return r.addr + r.layout.offset(name) }

// text returns the text of a member that is an array of characters.
func (r *record) text(name string) (string, bool) {
	b, ok := r.bytes(name)
	if !ok {
		return "", false
	}
	return text(b)
}

// text returns what stands before the first NUL, or all of b without one. It is
// false for bytes that are no text: control characters, broken UTF-8.
func text(b []byte) (string, bool) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b), printable(b)
}

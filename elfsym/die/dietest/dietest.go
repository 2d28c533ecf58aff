// Package dietest writes DWARF for tests: trees of entries, in any form, without
// a compiler. It shares nothing with the readers but the names of sections.
package dietest

import (
	"debug/dwarf"
	"encoding/binary"

	"pushmask/elfsym/die"
)

// Node is an entry to write. Nodes refer to each other by their addresses.
type Node struct {
	Tag      dwarf.Tag
	Attrs    []Attr
	Children []*Node

	offset uint32 // in .debug_info, once it is written
}

// Offset returns where the entry was written.
func (n *Node) Offset() die.Offset { return die.Offset(n.offset) }

// Attr is an attribute. Value is what the form holds: an int64 or int for
// numbers, a string, bytes of a block, or the *Node that is referred to.
type Attr struct {
	Attr  dwarf.Attr
	Form  uint16
	Value any
}

// Forms that tests write (DWARF 5, 7.5.6).
const (
	Addr          = 0x01
	Data1         = 0x0b
	Data2         = 0x05
	Data4         = 0x06
	Data8         = 0x07
	String        = 0x08
	Block1        = 0x0a
	Flag          = 0x0c
	Sdata         = 0x0d
	Udata         = 0x0f
	RefAddr       = 0x10
	Ref4          = 0x13
	Indirect      = 0x16 // of Udata
	SecOffset     = 0x17
	Exprloc       = 0x18
	FlagPresent   = 0x19
	ImplicitConst = 0x21
)

// Name is DW_AT_name.
func Name(s string) Attr { return Attr{dwarf.AttrName, String, s} }

// Type is DW_AT_type.
func Type(n *Node) Attr { return Attr{dwarf.AttrType, Ref4, n} }

// Size is DW_AT_byte_size.
func Size(n int) Attr { return Attr{dwarf.AttrByteSize, Udata, n} }

// New returns an entry with attributes; entries below it are added to Children.
func New(tag dwarf.Tag, attrs ...Attr) *Node { return &Node{Tag: tag, Attrs: attrs} }

// Add adds entries below n and returns n.
func (n *Node) Add(children ...*Node) *Node {
	n.Children = append(n.Children, children...)
	return n
}

// writer writes units one after the other.
type writer struct {
	info, abbrev []byte
	code         uint64
	start        uint32 // of the unit
	fixes        []fix
}

// fix is a reference that is written once its target is.
type fix struct {
	at     int
	base   uint32
	target *Node
}

// Write makes units of a version of DWARF, 2 to 5, each from its own entry.
func Write(version int, units ...*Node) die.Sections {
	w := &writer{}
	for _, u := range units {
		w.unit(version, u)
	}
	w.abbrev = append(w.abbrev, 0)
	for _, f := range w.fixes {
		binary.LittleEndian.PutUint32(w.info[f.at:], f.target.offset-f.base)
	}
	return die.Sections{Info: w.info, Abbrev: w.abbrev}
}

func (w *writer) unit(version int, n *Node) {
	le := binary.LittleEndian
	w.start = uint32(len(w.info))
	w.info = le.AppendUint32(w.info, 0)
	w.info = le.AppendUint16(w.info, uint16(version))
	if version >= 5 {
		w.info = append(w.info, 1, 4)
		w.info = le.AppendUint32(w.info, 0)
	} else {
		w.info = le.AppendUint32(w.info, 0)
		w.info = append(w.info, 4)
	}
	w.node(n)
	le.PutUint32(w.info[w.start:], uint32(len(w.info))-w.start-4)
}

// node writes an entry with an abbreviation of its own.
func (w *writer) node(n *Node) {
	w.code++
	n.offset = uint32(len(w.info))
	w.info = binary.AppendUvarint(w.info, w.code)
	w.abbrev = binary.AppendUvarint(w.abbrev, w.code)
	w.abbrev = binary.AppendUvarint(w.abbrev, uint64(n.Tag))
	children := byte(0)
	if n.Children != nil {
		children = 1
	}
	w.abbrev = append(w.abbrev, children)
	for _, a := range n.Attrs {
		w.abbrev = binary.AppendUvarint(w.abbrev, uint64(a.Attr))
		w.abbrev = binary.AppendUvarint(w.abbrev, uint64(a.Form))
		w.value(a)
	}
	w.abbrev = append(w.abbrev, 0, 0)
	if n.Children != nil {
		for _, c := range n.Children {
			w.node(c)
		}
		w.info = append(w.info, 0)
	}
}

func (w *writer) value(a Attr) {
	le := binary.LittleEndian
	switch a.Form {
	case Addr, Data4, SecOffset:
		w.info = le.AppendUint32(w.info, uint32(number(a.Value)))
	case Data1, Flag:
		w.info = append(w.info, byte(number(a.Value)))
	case Data2:
		w.info = le.AppendUint16(w.info, uint16(number(a.Value)))
	case Data8:
		w.info = le.AppendUint64(w.info, uint64(number(a.Value)))
	case Sdata:
		w.info = sleb(w.info, number(a.Value))
	case Udata:
		w.info = binary.AppendUvarint(w.info, uint64(number(a.Value)))
	case Indirect:
		w.info = binary.AppendUvarint(append(w.info, Udata), uint64(number(a.Value)))
	case ImplicitConst:
		w.abbrev = sleb(w.abbrev, number(a.Value))
	case String:
		w.info = append(append(w.info, a.Value.(string)...), 0)
	case Block1:
		b := a.Value.([]byte)
		w.info = append(append(w.info, byte(len(b))), b...)
	case Exprloc:
		b := a.Value.([]byte)
		w.info = append(binary.AppendUvarint(w.info, uint64(len(b))), b...)
	case Ref4:
		w.fixes = append(w.fixes, fix{len(w.info), w.start, a.Value.(*Node)})
		w.info = append(w.info, 0, 0, 0, 0)
	case RefAddr:
		w.fixes = append(w.fixes, fix{len(w.info), 0, a.Value.(*Node)})
		w.info = append(w.info, 0, 0, 0, 0)
	}
}

func number(v any) int64 {
	if n, ok := v.(int); ok {
		return int64(n)
	}
	n, _ := v.(int64)
	return n
}

func sleb(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

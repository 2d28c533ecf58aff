package coretest

import "encoding/binary"

// ProbeRS describes a core dump as probe-rs writes it, in MessagePack. It is
// written from the MessagePack specification alone and shares nothing with the
// reader.
type ProbeRS struct {
	Registers []ProbeRSRegister
	Data      []ProbeRSRange
	ISA       string // instruction_set, as "Thumb2"
	CoreType  string // as "armv7m"
	// Compact writes structs as arrays, the other form that probe-rs reads.
	Compact bool
	// Binary writes memory as binary data and not as an array of integers.
	Binary bool
}

// ProbeRSRegister is a register with its number in probe-rs.
type ProbeRSRegister struct {
	ID    uint16
	Value uint64
	Wide  bool // U64 and not U32
	// Bin, when set, is the value as big-endian bytes, U128.
	Bin []byte
}

// ProbeRSRange is a piece of memory. End is exclusive; 0 stands for the true
// end.
type ProbeRSRange struct {
	Start, End uint64
	Content    []byte
}

// Bytes returns the file.
func (p ProbeRS) Bytes() []byte {
	var b []byte
	key := func(name string) {
		if !p.Compact {
			b = mpString(b, name)
		}
	}
	if p.Compact {
		b = append(b, 0x97)
	} else {
		b = append(b, 0x87)
	}
	key("registers")
	b = binary.BigEndian.AppendUint16(append(b, 0xde), uint16(len(p.Registers)))
	for _, r := range p.Registers {
		b = mpUint(b, uint64(r.ID))
		if r.Bin != nil {
			b = mpString(append(b, 0x81), "U128")
			b = append(append(b, 0xc4, byte(len(r.Bin))), r.Bin...)
			continue
		}
		kind := "U32"
		if r.Wide {
			kind = "U64"
		}
		b = mpUint(mpString(append(b, 0x81), kind), r.Value)
	}
	key("data")
	b = binary.BigEndian.AppendUint32(append(b, 0xdd), uint32(len(p.Data)))
	for _, d := range p.Data {
		b = p.appendRange(b, d)
	}
	key("instruction_set")
	b = mpString(b, p.ISA)
	key("supports_native_64bit_access")
	b = append(b, 0xc2)
	key("core_type")
	b = mpString(b, p.CoreType)
	key("fpu_support")
	b = append(b, 0xc3)
	key("floating_point_register_count")
	return append(b, 32)
}

func (p ProbeRS) appendRange(b []byte, d ProbeRSRange) []byte {
	if d.End == 0 {
		d.End = d.Start + uint64(len(d.Content))
	}
	if p.Compact {
		b = mpUint(mpUint(append(b, 0x92, 0x92), d.Start), d.End)
	} else {
		b = mpUint(mpString(append(b, 0x92, 0x82), "start"), d.Start)
		b = mpUint(mpString(b, "end"), d.End)
	}
	if p.Binary {
		b = binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(len(d.Content)))
		return append(b, d.Content...)
	}
	b = binary.BigEndian.AppendUint32(append(b, 0xdd), uint32(len(d.Content)))
	for _, v := range d.Content {
		b = mpUint(b, uint64(v))
	}
	return b
}

// mpUint appends an integer in its shortest form.
func mpUint(b []byte, v uint64) []byte {
	switch {
	case v < 1<<7:
		return append(b, byte(v))
	case v < 1<<8:
		return append(b, 0xcc, byte(v))
	case v < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(v))
	case v < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xcf), v)
}

// mpString appends a string of less than 32 bytes.
func mpString(b []byte, s string) []byte {
	return append(append(b, 0xa0|byte(len(s))), s...)
}

package cfi_test

import (
	"encoding/binary"
	"slices"

	"pushmask/elfsym/cfi"
)

// u32 and u64 write little-endian values.
func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// entry writes a length and what it counts.
func entry(parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return append(u32(uint32(len(body))), body...)
}

// defCFA are the instructions of a usual CIE: the CFA is sp+0.
var defCFA = []byte{0x0c, 13, 0}

// cie writes a CIE of .debug_frame, version 1: code alignment 2, data
// alignment -4, return address in lr.
func cie(instructions ...byte) []byte {
	return entry(u32(0xffffffff), []byte{1, 0, 2, 0x7c, 14}, instructions)
}

// fde writes an FDE whose CIE lies at offset 0.
func fde(start, size uint32, instructions ...byte) []byte {
	return entry(u32(0), u32(start), u32(size), instructions)
}

func debugFrame(entries ...[]byte) cfi.Section {
	return cfi.Section{Name: ".debug_frame", Data: slices.Concat(entries...)}
}

func ehFrame(addr uint32, entries ...[]byte) cfi.Section {
	return cfi.Section{Name: ".eh_frame", Data: slices.Concat(entries...), Addr: addr, EH: true}
}

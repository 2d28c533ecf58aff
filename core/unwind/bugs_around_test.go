package unwind

import (
	"encoding/binary"

	"pushmask/core"
)

// around is the program that calls a listing: reset calls caller, which calls
// the listing; and a leaf that the listing calls through registers.
type around struct {
	lo                core.Addr
	code              []byte
	inReset, inCaller uint32 // return addresses
	reset, caller     core.Addr
	leaf              core.Addr
}

func aroundListing(th bool) around {
	const lo, listing = 0x2000, 0x1000
	a := around{lo: lo, reset: lo, caller: lo + 8}
	if !th {
		for _, w := range []uint32{
			0xeb000000, // 2000 reset: bl caller
			0xeafffffe, // 2004 b .
			0xe92d4010, // 2008 caller: push {r4, lr}
			0xeb000000 | (listing-(lo+0xc+8))>>2&0x00ffffff, // 200c bl listing
			0xe8bd8010, // 2010 pop {r4, pc}
			0xe12fff1e, // 2014 leaf: bx lr
		} {
			a.code = binary.LittleEndian.AppendUint32(a.code, w)
		}
		a.inReset, a.inCaller, a.leaf = lo+4, lo+0x10, lo+0x14
		return a
	}
	for _, h := range []uint16{
		0xf000, 0xf802, // 2000 reset: bl caller
		0xe7fe, 0xbf00, // 2004 b .
		0xb510,         // 2008 caller: push {r4, lr}
		0xf7fe, 0xfff9, // 200a bl listing
		0xbd10, // 200e pop {r4, pc}
		0x4770, // 2010 leaf: bx lr
	} {
		a.code = binary.LittleEndian.AppendUint16(a.code, h)
	}
	a.inReset, a.inCaller, a.leaf = lo+5, lo+0xf, lo+0x10
	return a
}

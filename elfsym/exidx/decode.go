package exidx

import (
	"fmt"
	"math"
	"slices"

	"pushmask/internal/cursor"
)

// decode reads unwinding instructions up to the first finish; one is implied
// at the end. An instruction without meaning ends the list and is an error.
func decode(code []byte) ([]Op, error) {
	var ops []Op
	c := cursor.New("unwinding instructions", code)
	for c.Len() > 0 {
		start := c.Off()
		op := decodeOp(c)
		if err := c.Err(); err != nil {
			return ops, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		op.Bytes = code[start:c.Off()]
		ops = append(ops, op)
		switch op.Kind {
		case Finish, Refuse:
			return ops, nil
		case Spare:
			return ops, fmt.Errorf("%w: unwinding instruction % x is unknown", ErrMalformed, op.Bytes)
		}
	}
	return ops, nil
}

// decodeOp decodes one instruction by the rows of EHABI, "Frame unwinding
// instructions", table 4, and those for pointer authentication added to it in
// 2022.
func decodeOp(c *cursor.Cursor) Op {
	b := c.U8()
	switch {
	case b>>6 == 0: // 00xxxxxx
		return Op{Kind: AddVSP, N: int32(b&0x3f)<<2 + 4}
	case b>>6 == 1: // 01xxxxxx
		return Op{Kind: AddVSP, N: -(int32(b&0x3f)<<2 + 4)}
	case b>>4 == 8: // 1000iiii iiiiiiii
		mask := uint16(b&0xf)<<8 | uint16(c.U8())
		if mask == 0 {
			return Op{Kind: Refuse}
		}
		return popMask(4, mask, 4)
	case b == 0x9d || b == 0x9f: // register moves of old ABIs
		return Op{Kind: Spare}
	case b>>4 == 9: // 1001nnnn
		return Op{Kind: SetVSP, Regs: []Register{Register(b & 0xf)}}
	case b>>4 == 0xa: // 10100nnn and 10101nnn
		op := popRange(4, int(b&7)+1, 4)
		if b&8 != 0 {
			op.Regs = append(op.Regs, LR)
			op.N += 4
		}
		return op
	case b>>4 == 0xb:
		return decodeB(c, b)
	}
	return decodeCoprocessor(c, b)
}

// decodeB decodes 1011xxxx.
func decodeB(c *cursor.Cursor, b uint8) Op {
	switch {
	case b == 0xb0:
		return Op{Kind: Finish}
	case b == 0xb1: // 0000iiii
		return popLowMask(c, 0)
	case b == 0xb2: // uleb128
		n := c.ULEB()
		if n > (math.MaxInt32-0x204)>>2 {
			c.Fail("stack adjustment does not fit 32 bits")
			return Op{}
		}
		return Op{Kind: AddVSP, N: 0x204 + int32(n)<<2}
	case b == 0xb3: // sssscccc
		return popFSTMX(popCount(c, D0, D0+15))
	case b == 0xb4:
		return Op{Kind: Pop, N: 4, Regs: []Register{RAAuthCode}}
	case b == 0xb5:
		return Op{Kind: ModifyAuth}
	case b >= 0xb8: // 10111nnn
		return popFSTMX(popRange(D0+8, int(b&7)+1, 8))
	}
	return Op{Kind: Spare}
}

// decodeCoprocessor decodes 11xxxxxx.
func decodeCoprocessor(c *cursor.Cursor, b uint8) Op {
	switch {
	case b <= 0xc5: // 11000nnn
		return popRange(WR0+10, int(b&7)+1, 8)
	case b == 0xc6: // sssscccc
		return popCount(c, WR0, WR0+15)
	case b == 0xc7: // 0000iiii
		return popLowMask(c, WCGR0)
	case b == 0xc8: // sssscccc
		return popCount(c, D0+16, D0+31)
	case b == 0xc9: // sssscccc
		return popCount(c, D0, D0+31)
	case b>>3 == 0x1a: // 11010nnn
		return popRange(D0+8, int(b&7)+1, 8)
	}
	return Op{Kind: Spare}
}

// popRange pops n registers from first on, each of size bytes.
func popRange(first Register, n int, size int32) Op {
	op := Op{Kind: Pop, N: int32(n) * size}
	for i := range n {
		op.Regs = append(op.Regs, first+Register(i))
	}
	return op
}

// popMask pops the registers whose bits are set, bit 0 standing for first.
func popMask(first Register, mask uint16, size int32) Op {
	op := Op{Kind: Pop}
	for i := range Register(16) {
		if mask>>i&1 != 0 {
			op.Regs = append(op.Regs, first+i)
			op.N += size
		}
	}
	return op
}

// popLowMask reads a mask of four registers of a word each; an empty one and
// the other bits are spare.
func popLowMask(c *cursor.Cursor, first Register) Op {
	mask := c.U8()
	if mask == 0 || mask > 0xf {
		return Op{Kind: Spare}
	}
	return popMask(first, uint16(mask), 4)
}

// popCount reads sssscccc: c+1 registers of a double word each from s on, s
// counted from first. Ranges that pass the last register there is are reserved
// (remark e).
func popCount(c *cursor.Cursor, first, last Register) Op {
	b := c.U8()
	op := popRange(first+Register(b>>4), int(b&0xf)+1, 8)
	if slices.Max(op.Regs) > last {
		return Op{Kind: Spare}
	}
	return op
}

// popFSTMX adds the word above the registers that FSTMFDX stores (remark d).
func popFSTMX(op Op) Op {
	if op.Kind == Pop {
		op.N += 4
	}
	return op
}

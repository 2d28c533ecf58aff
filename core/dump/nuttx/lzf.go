package nuttx

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Blocks of a compressed stream (NuttX libs/libc/lzf, lzfstream): 'Z' 'V', a
// type, then for type 0 the length of the plain bytes that follow, for type 1
// the length of the compressed bytes and of what they become. Lengths have 16
// bits, the high byte first.
const (
	rawHeader  = 5
	packHeader = 7
)

var blockMagic = []byte("ZV")

// blockInfo is the header of a block.
type blockInfo struct {
	header, stored, plain int
	packed                bool
}

// blockAt reads the header of a block that b begins with.
func blockAt(b []byte) (blockInfo, bool) {
	if len(b) < rawHeader || !bytes.HasPrefix(b, blockMagic) {
		return blockInfo{}, false
	}
	n := int(binary.BigEndian.Uint16(b[3:]))
	switch {
	case b[2] == 0 && n > 0:
		return blockInfo{header: rawHeader, stored: n, plain: n}, true
	case b[2] == 1 && n > 0 && len(b) >= packHeader:
		plain := int(binary.BigEndian.Uint16(b[5:]))
		return blockInfo{packHeader, n, plain, true}, plain > 0
	}
	return blockInfo{}, false
}

var errPacked = errors.New("the compressed bytes are damaged")

// unpack undoes LZF: a control byte below 32 is followed by one more literal
// than it says; otherwise it and the bytes behind it are the length and the
// distance of earlier output (liblzf, lzf_d.c).
func unpack(b []byte, plain int) ([]byte, error) {
	out := make([]byte, 0, plain)
	for len(b) > 0 {
		ctrl := int(b[0])
		b = b[1:]
		if ctrl < 32 {
			n := ctrl + 1
			if n > len(b) || len(out)+n > plain {
				return nil, errPacked
			}
			out, b = append(out, b[:n]...), b[n:]
			continue
		}
		n := ctrl >> 5
		if n == 7 {
			if len(b) == 0 {
				return nil, errPacked
			}
			n, b = n+int(b[0]), b[1:]
		}
		if len(b) == 0 {
			return nil, errPacked
		}
		from := len(out) - (ctrl&31<<8 | int(b[0])) - 1
		b, n = b[1:], n+2
		if from < 0 || len(out)+n > plain {
			return nil, errPacked
		}
		for i := range n {
			out = append(out, out[from+i])
		}
	}
	if len(out) != plain {
		return nil, errPacked
	}
	return out, nil
}

package live

import (
	"context"
	"errors"
	"sync/atomic"

	"pushmask/core"
	"pushmask/core/gdbremote"
)

// blockSize is how many bytes of normal memory are read at a time: round trips
// to a probe cost more than bytes.
const blockSize = 256

// cache is the memory of the machine at one stop.
type cache struct {
	client  *gdbremote.Client
	profile core.Profile
	blocks  map[core.Addr]block // by address
	within  atomic.Pointer[context.Context]
	code    []constant
	normal  []span             // memory without side effects, where the profile has no map
	holes   map[core.Addr]bool // device addresses that cannot be read
}

// block is what was read of an aligned range of blockSize bytes.
type block struct {
	from  int // offset of the first byte that was read
	bytes []byte
	hole  bool // the byte behind bytes cannot be read
}

// span is the addresses [lo, hi).
type span struct{ lo, hi uint64 }

func (s span) contains(a core.Addr) bool { return uint64(a) >= s.lo && uint64(a) < s.hi }

// constant is a range of code that the target was found to hold as the ELF has
// it.
type constant struct {
	span
	memory core.Memory
}

func (c *cache) clear() {
	clear(c.blocks)
	clear(c.holes)
}

// written makes sure that code that was written is read from the target.
func (c *cache) written(a core.Addr, n int) {
	var kept []constant
	for _, k := range c.code {
		if uint64(a) >= k.hi || uint64(a)+uint64(n) <= k.lo {
			kept = append(kept, k)
		}
	}
	c.code = kept
}

// The regions of the default address map of M-profile that are normal memory:
// Code, SRAM, RAM (Armv7-M ARM B3.1). Elsewhere a read may have side effects.
var normalM = []span{{0, 0x40000000}, {0x60000000, 0xa0000000}}

// normalAt returns the range of normal memory around an address.
func (c *cache) normalAt(a core.Addr) (span, bool) {
	list := c.normal
	if c.profile == core.ProfileM {
		list = normalM
	}
	for _, s := range list {
		if s.contains(a) {
			return s, true
		}
	}
	return span{}, false
}

// ReadAt implements core.Memory.
func (c *cache) ReadAt(addr core.Addr, p []byte) (int, error) {
	for n := 0; n < len(p); {
		at := addr + core.Addr(n)
		if at < addr {
			return n, &core.ReadError{Addr: at}
		}
		if err := c.ended(); err != nil {
			return n, err
		}
		got, err := c.readSome(at, p[n:])
		n += got
		if err != nil {
			return n, err
		}
	}
	return len(p), nil
}

// readSome reads at least one byte, or returns an error with what it read.
func (c *cache) readSome(at core.Addr, p []byte) (int, error) {
	for _, k := range c.code {
		if k.contains(at) {
			return k.memory.ReadAt(at, p[:min(uint64(len(p)), k.hi-uint64(at))])
		}
	}
	s, ok := c.normalAt(at)
	if !ok {
		n := len(p)
		for n > 1 && c.normalBetween(at, n) {
			n /= 2
		}
		return c.readDevice(at, p[:n])
	}
	b, err := c.block(at, s)
	if err != nil {
		return 0, err
	}
	offset := int(at&(blockSize-1)) - b.from
	if offset >= len(b.bytes) {
		return 0, &core.ReadError{Addr: at}
	}
	return copy(p, b.bytes[offset:]), nil
}

// readDevice reads what must not be read twice: only that it cannot be read is
// remembered.
func (c *cache) readDevice(at core.Addr, p []byte) (int, error) {
	if c.holes[at] {
		return 0, &core.ReadError{Addr: at}
	}
	n, err := c.client.ReadMemory(context.Background(), at, p)
	if _, hole := errors.AsType[*core.ReadError](err); hole && n == 0 {
		if c.holes == nil {
			c.holes = make(map[core.Addr]bool)
		}
		c.holes[at] = true
	}
	return n, err
}

// normalBetween reports whether n bytes of device memory at a reach into
// normal memory.
func (c *cache) normalBetween(a core.Addr, n int) bool {
	_, ok := c.normalAt(a + core.Addr(n-1))
	return ok
}

// block returns the part of the block around a, in s, that can be read; it
// reaches over a unless a cannot be read. Where reading from the start of the
// block does not get as far as a, there is a hole before a, and a second read
// begins at it.
func (c *cache) block(a core.Addr, s span) (block, error) {
	start := a &^ (blockSize - 1)
	lo := max(uint64(start), s.lo)
	hi := min(uint64(start)+blockSize, s.hi)
	b, ok := c.blocks[start]
	if ok && (int(a-start) >= b.from && int(a-start) < b.from+len(b.bytes) || b.hole && int(a-start) >= b.from+len(b.bytes)) {
		return b, nil
	}
	if ok {
		lo = uint64(a)
	}
	for {
		buf := make([]byte, hi-lo)
		n, err := c.client.ReadMemory(context.Background(), core.Addr(lo), buf)
		if _, hole := errors.AsType[*core.ReadError](err); err != nil && !hole {
			return block{}, err
		}
		b = block{from: int(lo - uint64(start)), bytes: buf[:n], hole: n < len(buf)}
		if lo+uint64(n) > uint64(a) || lo == uint64(a) {
			break
		}
		lo = uint64(a)
	}
	if c.blocks == nil {
		c.blocks = make(map[core.Addr]block)
	}
	c.blocks[start] = b
	return b, nil
}

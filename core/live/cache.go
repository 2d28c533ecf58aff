package live

import (
	"context"

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
	blocks  map[core.Addr][]byte // by address; short where memory ends
}

func (c *cache) clear() { clear(c.blocks) }

// device reports whether reading an address may have side effects: Device
// memory of the default address map (Armv7-M ARM B3.1).
func (c *cache) device(a core.Addr) bool {
	if c.profile != core.ProfileM {
		return true // no map is fixed
	}
	return a >= 0x40000000 && a < 0x60000000 || a >= 0xa0000000
}

// ReadAt implements core.Memory.
func (c *cache) ReadAt(addr core.Addr, p []byte) (int, error) {
	ctx := context.Background()
	if c.device(addr) {
		return c.client.ReadMemory(ctx, addr, p)
	}
	for n := 0; n < len(p); {
		at := addr + core.Addr(n)
		if at < addr {
			return n, &core.ReadError{Addr: at}
		}
		start := at &^ (blockSize - 1)
		block, err := c.block(ctx, start)
		if err != nil {
			return n, err
		}
		offset := int(at - start)
		if offset >= len(block) {
			return n, &core.ReadError{Addr: at}
		}
		n += copy(p[n:], block[offset:])
	}
	return len(p), nil
}

func (c *cache) block(ctx context.Context, start core.Addr) ([]byte, error) {
	if b, ok := c.blocks[start]; ok {
		return b, nil
	}
	b := make([]byte, blockSize)
	n, err := c.client.ReadMemory(ctx, start, b)
	if _, ok := err.(*core.ReadError); err != nil && !ok {
		return nil, err
	}
	if c.blocks == nil {
		c.blocks = make(map[core.Addr][]byte)
	}
	c.blocks[start] = b[:n]
	return b[:n], nil
}

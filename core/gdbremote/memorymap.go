package gdbremote

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pushmask/core"
)

// MemoryKind tells how memory is written.
type MemoryKind byte

// The kinds of memory (G, Memory Map Format).
const (
	RAM MemoryKind = iota
	ROM
	Flash
)

// String returns the name of the kind in memory maps.
func (k MemoryKind) String() string {
	for name, kind := range memoryKinds {
		if kind == k {
			return name
		}
	}
	return fmt.Sprintf("kind %d", byte(k))
}

var memoryKinds = map[string]MemoryKind{"ram": RAM, "rom": ROM, "flash": Flash}

// MemoryRegion is a range of addresses in the stub's map.
type MemoryRegion struct {
	Kind      MemoryKind
	Addr      core.Addr
	Size      uint64 // bytes; the end is at most 1<<32
	BlockSize uint32 // of Flash: what one erase clears, bytes
}

// End is the address after the region.
func (r MemoryRegion) End() uint64 { return uint64(r.Addr) + r.Size }

// maxRegions bounds a memory map. The map of a device with four banks of
// sectors of mixed sizes has some 30.
const maxRegions = 4096

// MemoryMap reads the stub's map, sorted by address. It is [ErrUnsupported]
// where the stub has none.
func (c *Client) MemoryMap(ctx context.Context) ([]MemoryRegion, error) {
	if !c.features.MemoryMap {
		return nil, fmt.Errorf("read the memory map: %w", ErrUnsupported)
	}
	text, err := c.readObject(ctx, "memory-map", "")
	if err != nil {
		return nil, fmt.Errorf("read the memory map: %w", err)
	}
	regions, err := parseMemoryMap(text)
	if err != nil {
		return nil, fmt.Errorf("read the memory map: %w", err)
	}
	return regions, nil
}

// parseMemoryMap reads <memory type= start= length=> and, of flash, the
// property blocksize. Regions of a type that is not known are left out, as are
// empty ones; one that passes 1<<32 is cut off there.
func parseMemoryMap(text string) ([]MemoryRegion, error) {
	dec := xml.NewDecoder(strings.NewReader(text))
	var list []MemoryRegion
	inBlock := false
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			inBlock = e.Name.Local == "property" && attr(e, "name") == "blocksize"
			if e.Name.Local != "memory" {
				continue
			}
			r, err := memoryRegion(e)
			if err != nil {
				return nil, err
			}
			if list = append(list, r); len(list) > maxRegions {
				return nil, fmt.Errorf("more than %d regions: %w", maxRegions, ErrMalformed)
			}
		case xml.CharData:
			if !inBlock || len(list) == 0 {
				continue
			}
			n, err := strconv.ParseUint(strings.TrimSpace(string(e)), 0, 32)
			if err != nil {
				return nil, fmt.Errorf("blocksize %q: %w", shorten(string(e)), ErrMalformed)
			}
			list[len(list)-1].BlockSize = uint32(n)
		case xml.EndElement:
			inBlock = false
		}
	}
	list = slices.DeleteFunc(list, func(r MemoryRegion) bool { return r.Size == 0 })
	slices.SortStableFunc(list, func(a, b MemoryRegion) int { return cmp.Compare(a.Addr, b.Addr) })
	return list, nil
}

// memoryRegion reads the attributes of a memory element. The size of one of an
// unknown type is 0.
func memoryRegion(e xml.StartElement) (MemoryRegion, error) {
	kind, known := memoryKinds[attr(e, "type")]
	start, err1 := strconv.ParseUint(attr(e, "start"), 0, 64)
	length, err2 := strconv.ParseUint(attr(e, "length"), 0, 64)
	if err1 != nil || err2 != nil {
		return MemoryRegion{}, fmt.Errorf("memory from %q, %q bytes: %w", shorten(attr(e, "start")), shorten(attr(e, "length")), ErrMalformed)
	}
	const top = 1 << 32
	if !known || start >= top {
		return MemoryRegion{}, nil
	}
	return MemoryRegion{Kind: kind, Addr: core.Addr(start), Size: min(length, top-start)}, nil
}

package gdbremote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pushmask/core"
)

// Segment is a part of a program to load.
type Segment struct {
	Addr core.Addr // where it is loaded (LMA)
	Data []byte
}

func (s Segment) end() uint64 { return uint64(s.Addr) + uint64(len(s.Data)) }

// ErrNotWritable is what errors.Is finds when a program does not fit the
// memory of the target.
var ErrNotWritable = errors.New("memory cannot be written")

// Load writes a program: flash is erased by whole blocks and programmed, RAM is
// written, as the stub's memory map says. It refuses, before it changes
// anything, what lies outside of the map or in ROM. Where the stub has no map
// everything is written as RAM and read back. progress, which may be nil, is
// told of bytes.
func (c *Client) Load(ctx context.Context, segments []Segment, progress func(done, total int)) error {
	regions, err := c.MemoryMap(ctx)
	mapped := err == nil && len(regions) > 0
	if err != nil && !isReply(err) {
		return fmt.Errorf("load: %w", err)
	}
	flash, ram := []Segment(nil), segments
	if mapped {
		if flash, ram, err = split(regions, segments); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	l := loader{client: c, progress: progress}
	for _, s := range segments {
		l.total += len(s.Data)
	}
	if err := l.flash(ctx, regions, flash); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	for _, s := range ram {
		if err := l.ram(ctx, s, !mapped); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	return nil
}

// split cuts segments at the bounds of regions.
func split(regions []MemoryRegion, segments []Segment) (flash, ram []Segment, err error) {
	for _, s := range segments {
		for len(s.Data) > 0 {
			i := slices.IndexFunc(regions, func(r MemoryRegion) bool {
				return r.Addr <= s.Addr && uint64(s.Addr) < r.End()
			})
			if i < 0 || regions[i].Kind == ROM {
				return nil, nil, fmt.Errorf("%w: %v is not in RAM or flash of the target's memory map", ErrNotWritable, s.Addr)
			}
			r := regions[i]
			n := min(uint64(len(s.Data)), r.End()-uint64(s.Addr))
			part := Segment{s.Addr, s.Data[:n]}
			if r.Kind == Flash {
				flash = append(flash, part)
			} else {
				ram = append(ram, part)
			}
			s = Segment{s.Addr + core.Addr(n), s.Data[n:]}
		}
	}
	return flash, ram, nil
}

// loader writes the parts of a program.
type loader struct {
	client      *Client
	progress    func(done, total int)
	done, total int
}

func (l *loader) advance(n int) {
	l.done += n
	if l.progress != nil {
		l.progress(l.done, l.total)
	}
}

// flash erases every block that a part lies in, and then programs the parts.
func (l *loader) flash(ctx context.Context, regions []MemoryRegion, parts []Segment) error {
	if len(parts) == 0 {
		return nil
	}
	for _, b := range blocks(regions, parts) {
		if err := l.client.FlashErase(ctx, core.Addr(b.start), uint32(b.end-b.start)); err != nil {
			return fmt.Errorf("erase flash at %v: %w", core.Addr(b.start), err)
		}
	}
	for _, p := range parts {
		if err := l.client.flashWrite(ctx, p.Addr, p.Data, l.advance); err != nil {
			return fmt.Errorf("program flash: %w", err)
		}
	}
	if err := l.client.FlashDone(ctx); err != nil {
		return fmt.Errorf("program flash: %w", err)
	}
	return nil
}

// span is a range of addresses.
type span struct{ start, end uint64 }

// blocks are the ranges to erase: whole blocks, each once, apart where regions
// meet since a request must not cross from one to the next.
func blocks(regions []MemoryRegion, parts []Segment) []span {
	var list []span
	for _, r := range regions {
		if r.Kind != Flash {
			continue
		}
		var own []span
		for _, p := range parts {
			if p.Addr < r.Addr || uint64(p.Addr) >= r.End() {
				continue
			}
			size := uint64(max(r.BlockSize, 1))
			first := (uint64(p.Addr) - uint64(r.Addr)) / size * size
			last := (p.end() - uint64(r.Addr) + size - 1) / size * size
			own = append(own, span{uint64(r.Addr) + first, min(uint64(r.Addr)+last, r.End())})
		}
		list = append(list, join(own)...)
	}
	return list
}

// join joins ranges that touch or overlap.
func join(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out []span
	for _, s := range list {
		if n := len(out) - 1; n >= 0 && s.start <= out[n].end {
			out[n].end = max(out[n].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}

// loadPiece is how much is written between two reports of progress, bytes.
const loadPiece = 4096

// ram writes a part, and reads it back where nothing says that it is RAM.
func (l *loader) ram(ctx context.Context, s Segment, check bool) error {
	for len(s.Data) > 0 {
		piece := s.Data[:min(len(s.Data), loadPiece)]
		if err := l.client.WriteMemory(ctx, s.Addr, piece); err != nil {
			return err
		}
		if check {
			got := make([]byte, len(piece))
			if _, err := l.client.ReadMemory(ctx, s.Addr, got); errors.Is(err, core.ErrNoMemory) {
				return fmt.Errorf("%w: %w", ErrNotWritable, err)
			} else if err != nil {
				return fmt.Errorf("read back: %w", err)
			}
			if !bytes.Equal(got, piece) {
				return fmt.Errorf("%w: %v reads back differently, and the server has no memory map that says what is flash", ErrNotWritable, s.Addr)
			}
		}
		l.advance(len(piece))
		s = Segment{s.Addr + core.Addr(len(piece)), s.Data[len(piece):]}
	}
	return nil
}

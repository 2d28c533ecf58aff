package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pushmask/core/session"
)

// region is a range of memory that can be read.
type region struct {
	start, end uint64 // end exclusive, at most 1<<32
	image      bool   // from the ELF, not from the artefact
}

func regionsOf(s *session.Session) (list []region) {
	for _, r := range s.Regions() {
		list = append(list, region{uint64(r.Addr), uint64(r.Addr) + uint64(r.Size), false})
	}
	for _, r := range s.ImageRegions() {
		list = append(list, region{uint64(r.Addr), uint64(r.Addr) + uint64(r.Size), true})
	}
	slices.SortFunc(list, func(a, b region) int { return cmp.Compare(a.start, b.start) })
	return list
}

// memoryMap is the document of qXfer:memory-map (E.13, Memory Map Format). All
// of it is ROM: nothing can be written.
func (s *Stub) memoryMap() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n")
	for _, r := range s.regions {
		fmt.Fprintf(&b, "<memory type=\"rom\" start=\"0x%x\" length=\"0x%x\"/>\n", r.start, r.end-r.start)
	}
	b.WriteString("</memory-map>\n")
	return b.String()
}

// regionInfo answers lldb's qMemoryRegionInfo: the region around an address, or
// the hole.
func (c *client) regionInfo(args string) string {
	a, ok := parseHex(args)
	if !ok {
		return c.number(errInvalid)
	}
	from, to := uint64(0), uint64(1)<<32
	for _, r := range c.stub.regions {
		switch {
		case uint64(a) >= r.end:
			from = r.end
		case uint64(a) < r.start:
			to = min(to, r.start)
		default:
			return fmt.Sprintf("start:%x;size:%x;permissions:%s;", r.start, r.end-r.start, r.permissions())
		}
	}
	return fmt.Sprintf("start:%x;size:%x;", from, to-from)
}

// permissions are those of the machine, not of the stub: lldb ends a stack at a
// return address in memory that it takes as not executable.
func (r region) permissions() string {
	if r.image {
		return "rx"
	}
	return "rwx"
}

package elfsym

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Set is the images in one address space: a boot loader and the application, a
// secure and a non-secure image, symbols of a ROM. Each address belongs to one
// of them: to the first in the set that has it in a segment. RAM that a boot
// loader hands on is claimed by both its image and that of the application.
//
// An address in no segment of any image belongs to nobody, and each image is
// asked in turn: images that have nothing but symbols say what is there. The
// only image of a set has all addresses.
//
// A Set is safe for concurrent use, except for Close. The nil Set has no images.
type Set struct {
	images   []*Image
	names    []string
	owned    []interval[*Image] // disjoint, ascending
	overlaps []Overlap
}

// Overlap is the addresses [Lo, Hi) that a second image of a set claims.
type Overlap struct {
	Lo, Hi       uint64
	Owner, Other *Image
	Code         bool // Other has bytes there that a program cannot write, or code
}

// Join makes a set of images, that which counts most first. There is at least
// one, and each is in the list once.
func Join(images ...*Image) *Set {
	s := &Set{images: images, names: distinctNames(images)}
	s.claimAll(images)
	return s
}

// Prefer returns the set in which the addresses that an image of it claims
// belong to that image. The main one stays the main one.
func (s *Set) Prefer(m *Image) *Set {
	preferred := &Set{images: s.images, names: s.names}
	others := slices.DeleteFunc(slices.Clone(s.images), func(o *Image) bool { return o == m })
	preferred.claimAll(append([]*Image{m}, others...))
	return preferred
}

// claimAll gives images their addresses. An only image has all and needs none.
func (s *Set) claimAll(images []*Image) {
	if len(images) == 1 {
		return
	}
	for _, m := range images {
		s.claim(m)
	}
}

// claim gives an image what its segments have and no image before it.
func (s *Set) claim(m *Image) {
	var free []interval[*Image]
	for _, r := range m.Extents() {
		at, to := uint64(r.Lo), end(r.Hi)
		for _, o := range s.ownedIn(at, to) {
			lo, hi := max(at, uint64(o.lo)), min(to, end(o.hi))
			s.overlaps = append(s.overlaps, Overlap{lo, hi, o.value, m, m.hasCodeIn(lo, hi)})
			if at < lo {
				free = append(free, interval[*Image]{uint32(at), uint32(lo), m})
			}
			at = hi
		}
		if at < to {
			free = append(free, interval[*Image]{uint32(at), r.Hi, m})
		}
	}
	s.owned = append(s.owned, free...)
	slices.SortFunc(s.owned, func(a, b interval[*Image]) int { return cmp.Compare(a.lo, b.lo) })
}

// end is the end of a range in which 0 stands for the end of the address space.
func end(hi uint32) uint64 { return uint64(hi-1) + 1 }

// ownedIn returns the ranges that have a part in [lo, hi).
func (s *Set) ownedIn(lo, hi uint64) []interval[*Image] {
	from, _ := slices.BinarySearchFunc(s.owned, lo, func(r interval[*Image], a uint64) int {
		return cmp.Compare(end(r.hi), a+1)
	})
	to := from
	for to < len(s.owned) && uint64(s.owned[to].lo) < hi {
		to++
	}
	return s.owned[from:to]
}

// Extents returns the addresses of the segments, ascending, what touches in one. Hi
// of what ends with the address space is 0.
func (m *Image) Extents() []Range {
	segments := slices.DeleteFunc(m.Segments(), func(g Segment) bool { return g.MemSize == 0 })
	slices.SortFunc(segments, func(a, b Segment) int { return cmp.Compare(a.Addr, b.Addr) })
	var list []Range
	for _, g := range segments {
		next := Range{g.Addr, g.Addr + g.MemSize}
		if n := len(list); n > 0 && uint64(g.Addr) <= end(list[n-1].Hi) {
			if end(next.Hi) > end(list[n-1].Hi) {
				list[n-1].Hi = next.Hi
			}
			continue
		}
		list = append(list, next)
	}
	return list
}

func (m *Image) hasCodeIn(lo, hi uint64) bool {
	return slices.ContainsFunc(m.segments, func(g segment) bool {
		from := uint64(g.Addr)
		return (g.Exec || !g.Write) && from < hi && from+uint64(g.FileSize) > lo
	})
}

// distinctNames are the shortest ends of the images' paths that tell them apart:
// builds call all their images zephyr.elf. What only its place tells apart has that
// behind the path: "app.elf@0x10000".
func distinctNames(images []*Image) []string {
	names := make([]string, len(images))
	for depth := 1; ; depth++ {
		seen := make(map[string]int)
		whole := true
		for i, m := range images {
			parts := strings.Split(filepath.ToSlash(m.path), "/")
			whole = whole && depth >= len(parts)
			names[i] = strings.Join(parts[max(0, len(parts)-depth):], "/")
			seen[names[i]]++
		}
		if len(seen) == len(images) {
			return names
		}
		if whole {
			for i, m := range images {
				if seen[names[i]] > 1 { // one file at several places
					names[i] += fmt.Sprintf("@%#x", m.opt.Bias)
				}
			}
			return names
		}
	}
}

// Images returns the images, that which counts most first.
func (s *Set) Images() []*Image {
	if s == nil {
		return nil
	}
	return s.images
}

// Main returns the image that counts most, nil where there is none.
func (s *Set) Main() *Image {
	if s == nil {
		return nil
	}
	return s.images[0]
}

// Empty reports whether there is no image.
func (s *Set) Empty() bool { return s == nil }

// At returns the image that an address belongs to, nil where it is nobody's.
func (s *Set) At(addr uint32) *Image {
	if s == nil {
		return nil
	}
	if len(s.images) == 1 {
		return s.images[0]
	}
	if r := s.ownedIn(uint64(addr), uint64(addr)+1); len(r) > 0 {
		return r[0].value
	}
	return nil
}

// asked returns the images that may know about an address.
func (s *Set) asked(addr uint32) []*Image {
	if m := s.At(addr); m != nil {
		return []*Image{m}
	}
	return s.Images()
}

// has reports whether what an image says about an address counts.
func (s *Set) has(m *Image, addr uint32) bool {
	owner := s.At(addr)
	return owner == m || owner == nil
}

// Overlaps returns what more than one image claims, in the order of the images.
func (s *Set) Overlaps() []Overlap {
	if s == nil {
		return nil
	}
	return s.overlaps
}

// Name returns the name of an image of the set: the end of its path, as long as
// it takes to tell it from the others.
func (s *Set) Name(m *Image) string {
	if i := slices.Index(s.Images(), m); i >= 0 {
		return s.names[i]
	}
	return ""
}

// Label is the name of a thing of an image, nil for none, as people read it: that of
// another image than the main one says which, "boot.elf!main".
func (s *Set) Label(m *Image, name string) string {
	if m == nil || m == s.Main() {
		return name
	}
	return s.Name(m) + "!" + name
}

// Named returns the image with the given name: one that [Set.Name] gives, or
// the end of a path that only one image has.
func (s *Set) Named(name string) (*Image, bool) {
	var found *Image
	for i, m := range s.Images() {
		if s.names[i] == name {
			return m, true
		}
		if path := filepath.ToSlash(m.path); path == name || strings.HasSuffix(path, "/"+name) {
			if found != nil {
				return nil, false
			}
			found = m
		}
	}
	return found, found != nil
}

// Close closes the files that [Open] opened.
func (s *Set) Close() error {
	var err error
	for _, m := range s.Images() {
		err = errors.Join(err, m.Close())
	}
	return err
}

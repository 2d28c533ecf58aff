package unwind

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/elfsym"
)

// TestVectorTable checks where a vector table ends: at code, at a word that is no
// handler, and at one that points into the table, which is of other data.
func TestVectorTable(t *testing.T) {
	t.Parallel()
	const top, code = 0x20001000, 0x100
	for name, c := range map[string]struct {
		words []uint32
		want  []int // numbers of vectors
	}{
		"plain":           {[]uint32{top, code | 1, code | 1, code | 1}, []int{1, 2, 3}},
		"empty ones":      {[]uint32{top, code | 1, 0, 0, code | 1}, []int{1, 4}},
		"small number":    {[]uint32{top, code | 1, code | 1, 0, 0, 1, code | 1}, []int{1, 2}},
		"into the table":  {[]uint32{top, code | 1, 9, code | 1}, []int{1}},
		"even":            {[]uint32{top, code | 1, code, code | 1}, []int{1}},
		"no code":         {[]uint32{top, code | 1, 0x40000001, code | 1}, []int{1}},
		"no reset":        {[]uint32{top, 0, code | 1}, nil},
		"stack in code":   {[]uint32{code, code | 1, code | 1}, nil},
		"stack unaligned": {[]uint32{top + 2, code | 1}, nil},
	} {
		data := make([]byte, code+16)
		for i, w := range c.words {
			binary.LittleEndian.PutUint32(data[4*i:], w)
		}
		e := extent{lo: 0, data: data}
		p := &Program{syms: noSymbols{}, text: imageText{e}}
		table, _ := p.vectorTableAt(&e)
		var got []int
		for _, v := range table.Vectors {
			got = append(got, v.Number)
			if v.Entry != core.Addr(code) {
				t.Errorf("%s: handler %v", name, v.Entry)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestVectorTables looks for the tables of the images of firmware of several: that
// of one which was moved is moved with it.
func TestVectorTables(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"m3-O2", "m3-placed"} {
		f := images.Build(t, name)
		var opened []*elfsym.Image
		for _, of := range []images.Image{f.First, f.Second} {
			m, err := elfsym.Open(of.Path, elfsym.Options{Bias: uint32(of.Bias)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { m.Close() })
			opened = append(opened, m)
		}
		p := FromImages(elfsym.Join(opened...))
		seen := make(map[*elfsym.Image]bool)
		for _, table := range p.VectorTables() {
			m := table.Image
			seen[m] = true
			for i, want := range []string{"Reset_Handler", "Default_Handler", "HardFault_Handler"} {
				v := table.Vectors[i]
				if sym, _ := m.FuncAt(uint32(v.Entry)); sym.Name != want || sym.Entry != uint32(v.Entry) || v.Number != i+1 {
					t.Errorf("%s: vector %d of %s leads to %v %s, want %s", name, v.Number, m.Path(), v.Entry, sym.Name, want)
				}
			}
			if top := m.Lookup("__stack_top"); m.Bias() != 0 && len(top) != 1 || len(top) == 1 && core.Addr(top[0].Addr) != table.top {
				t.Errorf("%s: the stack of %s ends at %v, want %v", name, m.Path(), table.top, top)
			}
		}
		if len(seen) != len(opened) {
			t.Errorf("%s: tables of %d images, want of %d", name, len(seen), len(opened))
		}
	}
}

// namedSymbols has functions of one halfword.
type namedSymbols map[uint32]bool

func (n namedSymbols) FuncAt(pc uint32) (elfsym.Func, bool) {
	return elfsym.Func{Entry: pc, End: pc + 2}, n[pc]
}
func (namedSymbols) State(uint32) elfsym.State { return elfsym.StateUnknown }

// TestVectorTableBehindHeader checks that a table behind a header is taken where
// it leads to functions, and that nothing else is.
func TestVectorTableBehindHeader(t *testing.T) {
	t.Parallel()
	const base, code = 0x8000, 0x4000
	named := namedSymbols{base + code: true, base + code + 2: true, base + code + 4: true}
	for name, c := range map[string]struct {
		syms symbols
		off  int
		want bool
	}{
		"behind 512 bytes":  {named, 0x200, true},
		"behind 8 KiB":      {named, maxHeader, true},
		"too far":           {named, maxHeader + tableAlign, false},
		"not aligned":       {named, 0x204, false},
		"no function names": {noSymbols{}, 0x200, false},
	} {
		data := make([]byte, code+16)
		data[0], data[4] = 0x3d, 0xb8 // a header
		for i, w := range []uint32{0x20001000, base + code | 1, base + code + 3, base + code + 5} {
			binary.LittleEndian.PutUint32(data[c.off+4*i:], w)
		}
		p := newProgram(nil, c.syms, imageText{{lo: base, data: data}}, core.ProfileM, 0)
		tables := p.VectorTables()
		if got := len(tables) == 1 && tables[0].Addr == core.Addr(base+c.off); got != c.want {
			t.Errorf("%s: tables %v, found %t, want %t", name, tables, got, c.want)
		}
	}
}

package elfsym_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym"
)

// named opens an ELF file under a name.
func (f elfFile) named(t testing.TB, name string) *elfsym.Image {
	t.Helper()
	m, err := elfsym.New(bytes.NewReader(f.bytes()), name, elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ram(addr, size uint32) elfSection {
	return elfSection{name: ".bss", typ: elf.SHT_NOBITS, flags: elf.SHF_ALLOC | elf.SHF_WRITE, addr: addr, size: size}
}

func variable(name string, addr, size uint32, section uint16) elfSymbol {
	return elfSymbol{name, addr, size, elf.STT_OBJECT, elf.STB_GLOBAL, section}
}

// bootAndApp are two images that follow one another in flash and share RAM.
func bootAndApp(t testing.TB) (boot, app *elfsym.Image) {
	boot = elfFile{
		sections: []elfSection{code(".text", 0x0000, 0x100), ram(0x20000000, 0x300)},
		symbols: []elfSymbol{
			fn("main", 0x10, 0x20), label("$t", 0), variable("state", 0x20000000, 4, 2),
			variable("late", 0x20000200, 4, 2),
		},
	}.named(t, "build/boot/zephyr.elf")
	app = elfFile{
		sections: []elfSection{code(".text", 0x1000, 0x200), ram(0x20000000, 0x100)},
		symbols:  []elfSymbol{fn("main", 0x1010, 0x20), fn("work", 0x1040, 0x20), label("$t", 0x1000), variable("state", 0x20000010, 4, 2)},
	}.named(t, "build/app/zephyr.elf")
	return boot, app
}

func TestSet(t *testing.T) {
	t.Parallel()
	boot, app := bootAndApp(t)
	s := elfsym.Join(app, boot)
	if got := []string{s.Label(app, "main"), s.Label(boot, "main"), s.Label(nil, "x")}; !cmp.Equal(got, []string{"main", "boot/zephyr.elf!main", "x"}) {
		t.Errorf("labels %q", got)
	}
	if got := []string{s.Name(app), s.Name(boot)}; !cmp.Equal(got, []string{"app/zephyr.elf", "boot/zephyr.elf"}) {
		t.Errorf("names %q", got)
	}
	for _, c := range []struct {
		addr         uint32
		image        *elfsym.Image
		function     string
		symbol, from string // variable there, in the set that prefers boot
	}{
		{0x0018, boot, "main", "main", "main"},
		{0x1018, app, "main", "main", "main"},
		{0x1044, app, "work", "work", "work"},
		{0x0800, nil, "", "", ""},
		{0x20000000, app, "", "", "state"},
		{0x20000010, app, "", "state", ""},
		{0x20000200, boot, "", "late", "late"},
		{0x20000300, nil, "", "", ""},
	} {
		if got := s.At(c.addr); got != c.image {
			t.Errorf("%#x belongs to %q", c.addr, s.Name(got))
		}
		if f, _ := s.FuncAt(c.addr); f.Name != c.function {
			t.Errorf("%#x: function %q, want %q", c.addr, f.Name, c.function)
		}
		if sym, _ := s.SymbolAt(c.addr); sym.Name != c.symbol {
			t.Errorf("%#x: symbol %q, want %q", c.addr, sym.Name, c.symbol)
		}
		if sym, _ := s.Prefer(boot).SymbolAt(c.addr); sym.Name != c.from {
			t.Errorf("%#x while boot runs: symbol %q, want %q", c.addr, sym.Name, c.from)
		}
	}
	var mains []uint32
	for _, sym := range s.Lookup("main") {
		mains = append(mains, sym.Addr)
	}
	if !cmp.Equal(mains, []uint32{0x1010, 0x10}) {
		t.Errorf("main is at %#x", mains)
	}
	if got := s.Variables("state"); len(got) != 1 || got[0].Addr != 0x20000010 {
		t.Errorf("state is %+v", got)
	}
	overlaps := s.Overlaps()
	if want := []elfsym.Overlap{{Lo: 0x20000000, Hi: 0x20000100, Owner: app, Other: boot}}; len(overlaps) != 1 || overlaps[0] != want[0] {
		t.Errorf("overlaps %+v", overlaps)
	}
	if s.Prefer(boot).Main() != app {
		t.Error("the main image changes with the one that runs")
	}
}

// TestSetReadAt checks reads across images and into holes.
func TestSetReadAt(t *testing.T) {
	t.Parallel()
	low := elfFile{sections: []elfSection{{name: ".text", flags: codeFlags, addr: 0x100, data: bytes.Repeat([]byte{1}, 16)}}}.named(t, "low.elf")
	over := elfFile{sections: []elfSection{{name: ".text", flags: codeFlags, addr: 0x108, data: bytes.Repeat([]byte{2}, 16)}}}.named(t, "over.elf")
	s := elfsym.Join(low, over)
	got := make([]byte, 32)
	n, err := s.ReadAt(0x104, got)
	if want := append(bytes.Repeat([]byte{1}, 12), bytes.Repeat([]byte{2}, 8)...); !bytes.Equal(got[:n], want) || !errors.Is(err, elfsym.ErrNoBytes) {
		t.Errorf("read % x, %v", got[:n], err)
	}
	want := []elfsym.Segment{
		{Addr: 0x100, PhysAddr: 0x100, FileSize: 16, MemSize: 16, Read: true, Exec: true},
		{Addr: 0x110, PhysAddr: 0x110, FileSize: 8, MemSize: 8, Read: true, Exec: true},
	}
	segments := s.Segments()
	for i := range segments {
		segments[i].Offset = 0
	}
	if diff := cmp.Diff(want, segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	if o := s.Overlaps(); len(o) != 1 || !o[0].Code {
		t.Errorf("overlaps %+v", o)
	}
}

// TestSetOwners compares owners with a search through all segments, for images
// that overlap at random.
func TestSetOwners(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var images []*elfsym.Image
		for range 1 + r.IntN(4) {
			var f elfFile
			for range 1 + r.IntN(4) {
				f.sections = append(f.sections, ram(r.Uint32N(64), 1+r.Uint32N(16)), ram(1<<32-1-r.Uint32N(20), 1))
			}
			images = append(images, f.named(t, "x.elf"))
		}
		if len(images) == 1 {
			continue
		}
		s := elfsym.Join(images...)
		for _, base := range []uint32{0, 1<<32 - 64} {
			for a := base; a-base < 64; a++ {
				if got, want := s.At(a), firstWith(images, a); got != want {
					t.Fatalf("%#x belongs to %p, want %p", a, got, want)
				}
			}
		}
		total := 0
		for _, g := range s.Segments() {
			total += int(g.MemSize)
		}
		if total == 0 {
			t.Fatal("no segments")
		}
	}
}

// TestSetOfManySegments joins damaged images that have more segments than any
// linker makes.
func TestSetOfManySegments(t *testing.T) {
	t.Parallel()
	const most = 1 << 10
	var f elfFile
	for i := range uint32(most + 10) {
		f.sections = append(f.sections, ram(0x20000000+16*i, 8))
	}
	s := elfsym.Join(f.named(t, "a.elf"), f.named(t, "b.elf"))
	if got := len(s.Segments()); got != most {
		t.Errorf("%d segments, want %d", got, most)
	}
	if got := len(s.Overlaps()); got != most {
		t.Errorf("%d overlaps, want %d", got, most)
	}
	if got := len(s.Problems()); got != 2 {
		t.Errorf("problems %v, want one for each image", s.Problems())
	}
}

func firstWith(images []*elfsym.Image, a uint32) *elfsym.Image {
	for _, m := range images {
		for _, g := range m.Segments() {
			if a-g.Addr < g.MemSize {
				return m
			}
		}
	}
	return nil
}

// TestNilSet checks that a set without images answers nothing.
func TestNilSet(t *testing.T) {
	t.Parallel()
	var s *elfsym.Set
	if _, ok := s.FuncAt(0); ok || !s.Empty() || s.Main() != nil || s.At(0) != nil || s.Close() != nil || s.HasDebug() || s.MProfile() {
		t.Error("it has something")
	}
	if n, err := s.ReadAt(0, make([]byte, 1)); n != 0 || !errors.Is(err, elfsym.ErrNoBytes) {
		t.Errorf("read %d, %v", n, err)
	}
}

func TestSetNamed(t *testing.T) {
	t.Parallel()
	boot, app := bootAndApp(t)
	s := elfsym.Join(app, boot)
	for name, want := range map[string]*elfsym.Image{
		"boot/zephyr.elf": boot, "app/zephyr.elf": app, "build/app/zephyr.elf": app, "zephyr.elf": nil, "other.elf": nil, "": nil,
	} {
		if got, ok := s.Named(name); got != want || ok != (want != nil) {
			t.Errorf("%q is %q", name, s.Name(got))
		}
	}
}

// TestSetSamePath checks that one file at two places has two names.
func TestSetSamePath(t *testing.T) {
	t.Parallel()
	file := elfFile{sections: []elfSection{code(".text", 0x1000, 0x100)}}.bytes()
	var list []*elfsym.Image
	for _, bias := range []uint32{0, 0x10000} {
		m, err := elfsym.New(bytes.NewReader(file), "build/slot.elf", elfsym.Options{Bias: bias})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	s := elfsym.Join(list...)
	for i, want := range []string{"build/slot.elf@0x0", "build/slot.elf@0x10000"} {
		if got, ok := s.Named(want); s.Name(list[i]) != want || !ok || got != list[i] {
			t.Errorf("%q, want %q", s.Name(list[i]), want)
		}
	}
	if m, ok := s.Named("slot.elf"); ok {
		t.Errorf("slot.elf is %q", s.Name(m))
	}
}

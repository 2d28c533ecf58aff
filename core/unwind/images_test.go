package unwind_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
	"pushmask/core/coretest/images"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// join opens images at their places.
func join(t *testing.T, opt elfsym.Options, list ...images.Image) *elfsym.Set {
	t.Helper()
	var opened []*elfsym.Image
	for _, m := range list {
		opt.Bias = uint32(m.Bias)
		img, err := elfsym.Open(m.Path, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { img.Close() })
		opened = append(opened, img)
	}
	return elfsym.Join(opened...)
}

// TestVectorTables has a boot loader and an application, a secure image and a
// non-secure one: each has its vectors. A ROM by symbols has none.
func TestVectorTables(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"m3-O2", "m33-O2", "m3-rom"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := images.Build(t, name)
			list := []images.Image{f.Second, f.First}
			if f.ROM.Path != "" {
				list = append(list, f.ROMSymbols)
			}
			set := join(t, elfsym.Options{}, list...)
			got := make(map[int][]string)
			for _, h := range unwind.FromImages(set).Handlers() {
				fn, _ := set.FuncAt(uint32(h.Entry))
				got[h.Number] = append(got[h.Number], fn.Name)
			}
			want := []string{"Reset_Handler", "Reset_Handler"}
			if diff := cmp.Diff(want, got[1]); diff != "" {
				t.Errorf("resets (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"HardFault_Handler", "HardFault_Handler"}, got[3]); diff != "" {
				t.Errorf("handlers of faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFunctionsOfImages has functions of an image with symbols, those found in one
// without, and none of a ROM whose code no file has.
func TestFunctionsOfImages(t *testing.T) {
	t.Parallel()
	f := images.Build(t, "m3-rom")
	app := join(t, elfsym.Options{}, f.Second).Main()
	boot := join(t, elfsym.Options{NoSymbols: true, NoDebug: true}, f.First).Main()
	rom := join(t, elfsym.Options{}, f.ROMSymbols).Main()
	p := unwind.FromImages(elfsym.Join(app, boot, rom))
	var named, found, without int
	for _, fn := range p.Functions() {
		switch {
		case !p.HasCode(fn.Entry):
			without++
		case fn.Known && fn.Entry >= 0x8000:
			named++
		case !fn.Known && fn.Entry < 0x8000:
			found++
		default:
			t.Errorf("%+v", fn)
		}
	}
	if named < 10 || found < 5 || without > 0 {
		t.Errorf("%d named functions, %d found, %d without code", named, found, without)
	}
	if fn, ok := p.FuncAt(core.Addr(0x20000 + 0x14)); !ok || fn.Name != "rom_sum" {
		t.Errorf("in the ROM: %+v, %v", fn, ok)
	}
}

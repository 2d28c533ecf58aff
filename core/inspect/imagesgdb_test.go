package inspect_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/core/coretest/images"
	"pushmask/core/session"
)

// TestImagesAgainstGDB compares the variables of programs of several images with
// gdb, which gets the others by add-symbol-file. It is stopped where the first
// image calls back into the second, and where the second is served by the first.
func TestImagesAgainstGDB(t *testing.T) {
	t.Parallel()
	cases := []string{"m3-O0", "m3-rom", "m3-placed", "m33-O2"}
	if *all {
		cases = slices.DeleteFunc(images.Cases(), func(name string) bool { return name == "m0-Os" }) // other RAM
	}
	sum := newAgreement()
	for _, name := range cases {
		t.Run(name, func(t *testing.T) {
			f := images.Build(t, name)
			p := openImages(t, f)
			first, second := p.Images().Name(p.Images().Images()[1]), p.Images().Name(p.Images().Main())
			run := gdbRun{
				elf: f.First.Path, target: f.Start(t, images.Run).Address, stops: 9, dir: t.TempDir(), ram: []string{"20000000+4000"},
				globals: globalsOfImages(t, p),
				added:   []string{fmt.Sprintf("add-symbol-file %s -o %d", f.Second.Path, f.Second.Bias)},
				breaks: []string{
					fmt.Sprintf("*%d", functionIn(t, p, second, "scale")), fmt.Sprintf("*%d", functionIn(t, p, first, "put")),
				},
			}
			switch {
			case f.ROM.Path != "":
				run.added = append(run.added, "add-symbol-file "+f.ROM.Path)
			case f.Second.Bias != 0:
				run.ram = append(run.ram, fmt.Sprintf("%x+4000", uint32(f.Second.Bias)))
			case strings.HasPrefix(name, "m33"):
				run.ram = []string{"38000000+4000", "28200000+4000"}
			}
			frames, leaves := run.do(t)
			for stop := range run.stops {
				s, _ := openJoined(t, p, readStopped(t, filepath.Join(run.dir, fmt.Sprint(stop))))
				sum.compare(t, fmt.Sprintf("%s/%d", name, stop), s, run.globals, frames[stop], leaves[stop])
			}
		})
	}
	sum.report(t)
}

// globalsOfImages returns the variables with expressions that mean the same to
// gdb, those outside of functions of all images: by the files that one image alone has.
func globalsOfImages(t *testing.T, p *session.Program) []global {
	t.Helper()
	s, err := p.Static(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.InspectFrame(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := s.Inspect().Globals(f, "", 0, 0)
	for _, image := range s.Inspect().OtherImages(f) {
		more, _ := s.Inspect().GlobalsOf(f, image, "", 0, 0)
		list = append(list, more...)
	}
	var out []global
	for _, v := range list {
		dir, file := filepath.Split(v.Declared.File)
		if file != "start.c" {
			addr, _ := v.Value.Address()
			out = append(out, global{fmt.Sprintf("'%s/%s'::%s", filepath.Base(dir), file, v.Name), v.Name, addr})
		}
	}
	return out
}

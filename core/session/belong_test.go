package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/dump"
)

func TestMismatches(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	main := p.Image().Lookup("main")[0].Addr
	flash := make([]byte, 0x200)
	if _, err := p.Image().ReadAt(0, flash); err != nil {
		t.Fatal(err)
	}
	patched := append([]byte(nil), flash...)
	patched[0x104] ^= 0xff
	other := make([]byte, len(flash))
	ours := map[core.Reg]uint32{core.PC: main, core.LR: 0xffffffff}

	tests := []struct {
		name  string
		regs  map[core.Reg]uint32
		flash []byte
		vtor  []byte
		want  string // part of the only warning, "" for none
	}{
		{"matching flash", ours, flash, nil, ""},
		{"no flash in the dump", ours, nil, nil, ""},
		{"patched flash", ours, patched, nil, "differs a little from the ELF: 1 of 512 bytes of code and constants differ, the first at 0x00000104"},
		{"other flash", ours, other, nil, "does not match the ELF: "},
		{"vector table of the image", ours, nil, le32(0), ""},
		{"vector table elsewhere", ours, nil, le32(0x10000), ""},
		{"vector table of another program", ours, nil, le32(main &^ 3), "the reset vector in use"},
		{"PC elsewhere, LR in the image", map[core.Reg]uint32{core.PC: 0, core.LR: main | 1}, nil, nil, ""},
		{"exception return", map[core.Reg]uint32{core.PC: 0, core.LR: 0xfffffff9}, nil, nil, ""},
		{"nothing in the image", map[core.Reg]uint32{core.PC: 0x08001234, core.LR: 0x08001235}, nil, nil, "no thread has a PC or LR in its code"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := oneThread(core.ProfileM, 0, tt.regs)
			d := &dump.Dump{}
			if tt.flash != nil {
				target.mem.AddBytes(0, tt.flash)
				d.Regions = []dump.Region{{Addr: 0, Size: uint32(len(tt.flash))}}
			}
			if tt.vtor != nil {
				target.mem.AddBytes(vtor, tt.vtor)
			}
			got := strings.Join(openFake(t, p, target).mismatches(context.Background(), d), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Contains(got, "\n") {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLoadAddress compares the entry address in the auxiliary vector of a
// hosted core with that of the ELF.
func TestLoadAddress(t *testing.T) {
	t.Parallel()
	p, err := OpenProgram(context.Background(), Config{Image: filepath.Join(fixtures, "a32", "fw.elf")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	entry := p.Image().Entry()
	for at, want := range map[uint32]string{entry: "", entry + 0x10000: "the program ran 0x00010000 bytes away"} {
		target := oneThread(core.ProfileA, 11, map[core.Reg]uint32{core.PC: entry})
		d := &dump.Dump{Aux: []dump.AuxEntry{{Tag: dump.AuxEntryPoint, Value: at}}}
		got := strings.Join(openFake(t, p, target).mismatches(context.Background(), d), "\n")
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("entry %#x: warnings %q, want %q", at, got, want)
		}
	}
}

// TestStackOfAnotherBuild opens a dump without flash against the ELF of another
// build of the same firmware: only the stack can tell.
func TestStackOfAnotherBuild(t *testing.T) {
	t.Parallel()
	p, err := OpenProgram(context.Background(), Config{Image: filepath.Join(fixtures, "m7-Og", "fw.elf")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.OpenDump(context.Background(), filepath.Join(fixtures, "demo", "crash.core"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if w := strings.Join(s.Warnings(), "\n"); !strings.Contains(w, "the stack does not fit the ELF (") {
		t.Errorf("warnings %q", w)
	}
}

// TestCompareIsBounded gives the check a dump that claims far more than it may
// read.
func TestCompareIsBounded(t *testing.T) {
	t.Parallel()
	blocks := make([]block, 5*compareLimit/compareBlock)
	for i := range blocks {
		blocks[i] = block{core.Addr(i * compareBlock), compareBlock}
	}
	got := sampled(blocks)
	if len(got) != compareLimit/compareBlock || got[0].addr != 0 || got[len(got)-1].addr < blocks[len(blocks)*9/10].addr {
		t.Errorf("%d blocks, from %v to %v", len(got), got[0].addr, got[len(got)-1].addr)
	}
}

package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core"
	"pushmask/core/dump"
	"pushmask/core/unwind"
)

func TestMismatches(t *testing.T) {
	t.Parallel()
	p := openDemo(t, Config{})
	main := p.Images().Lookup("main")[0].Addr
	flash := make([]byte, 0x200)
	if _, err := p.Images().ReadAt(0, flash); err != nil {
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
			got := openFake(t, p, target).compare(context.Background(), d).text
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Contains(got, "\n") {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
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
	s, err := p.OpenDump(context.Background(), filepath.Join(fixtures, "demo", "crash.core"), DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if w := strings.Join(s.Warnings(), "\n"); !strings.Contains(w, "the stack does not fit the ELF (") {
		t.Errorf("warnings %q", w)
	}
}

// TestDumpsOfOtherFirmware opens each recorded crash with the ELF of each other
// fixture that is another program: one warning says so. The dumps have no code
// to compare. Nothing tells where the handler of the fault lies at the same
// address and the code that faulted is code of both.
func TestDumpsOfOtherFirmware(t *testing.T) {
	t.Parallel()
	alike := map[[2]string]bool{
		{"process-stack", "nested"}: true, {"interrupt", "process-stack"}: true, {"m0-Os", "process-stack"}: true,
	}
	names := []string{"demo", "nested", "interrupt", "m0-Os", "m3-O0", "cpp", "m33-O2", "process-stack", "a32"}
	for _, image := range names {
		p := openDemo(t, Config{Image: filepath.Join(fixtures, image, "fw.elf")})
		for _, crash := range names {
			s, err := p.OpenDump(context.Background(), filepath.Join(fixtures, crash, "crash.core"), DumpOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			want := 1
			if image == crash || alike[[2]string{image, crash}] {
				want = 0
			}
			if w := s.Warnings(); len(w) != want {
				t.Errorf("ELF of %s, dump of %s: warnings %q, want %d", image, crash, w, want)
			}
		}
	}
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		code []byte
		want bool
	}{
		{"loop", []byte{0xfe, 0xe7}, false},                                // b .
		{"return", []byte{0x08, 0xb5, 0x08, 0xbd}, false},                  // push {r3, lr}; pop {r3, pc}
		{"leaf", []byte{0x00, 0xbf, 0x70, 0x47}, false},                    // nop; bx lr
		{"call", []byte{0x00, 0xf0, 0x00, 0xf8, 0x70, 0x47}, false},        // bl .+4; bx lr
		{"tail call", []byte{0x00, 0xf0, 0x40, 0xb8}, true},                // b.w .+132
		{"tail call by register", []byte{0x08, 0x47}, true},                // bx r1
		{"tail call through memory", []byte{0xd1, 0xf8, 0x00, 0xf0}, true}, // ldr.w pc, [r1]
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := oneThread(core.ProfileM, 0, nil)
			target.mem.AddBytes(0x100, tt.code)
			s := openFake(t, nil, target)
			if got := s.leaves(unwind.Func{Entry: 0x100, End: 0x100 + core.Addr(len(tt.code))}); got != tt.want {
				t.Errorf("leaves is %v", got)
			}
		})
	}
}

// TestCompareIsBounded gives the check a dump that claims far more than it may
// read.
func TestCompareIsBounded(t *testing.T) {
	t.Parallel()
	blocks := make([]block, 5*compareLimit/compareBlock)
	for i := range blocks {
		blocks[i] = block{nil, core.Addr(i * compareBlock), compareBlock}
	}
	got := sampled(blocks)
	if len(got) != compareLimit/compareBlock || got[0].addr != 0 || got[len(got)-1].addr < blocks[len(blocks)*9/10].addr {
		t.Errorf("%d blocks, from %v to %v", len(got), got[0].addr, got[len(got)-1].addr)
	}
}

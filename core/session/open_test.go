package session

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pushmask/core/dump"
	"pushmask/elfsym"
)

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	image, err := filepath.Abs(filepath.Join(fixtures, "demo", "fw.elf"))
	if err != nil {
		t.Fatal(err)
	}
	core := filepath.Join(filepath.Dir(image), "crash.core")
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	intel := append([]byte(nil), whole...)
	binary.LittleEndian.PutUint16(intel[18:], 3) // e_machine EM_386
	write("x86.elf", intel)
	write("empty", nil)
	write("cut.elf", whole[:40])
	write("text.log", []byte("HardFault at 0x08001234\n"))

	tests := []struct {
		name  string
		image string // "" opens the dump against the demo's image
		dump  string
		is    error
		want  []string // parts of the message
	}{
		{"missing image", "none.elf", "", fs.ErrNotExist, []string{`ELF image "none.elf"`, "looked for " + filepath.Join(dir, "none.elf")}},
		{"folder as image", ".", "", nil, []string{"folder"}},
		{"core as image", core, "", elfsym.ErrCore, []string{"firmware ELF first"}},
		{"other machine", "x86.elf", "", elfsym.ErrNotARM, []string{`ELF image "x86.elf"`, "ARM"}},
		{"empty image", "empty", "", ErrNotImage, []string{`ELF image "empty"`}},
		{"text as image", "text.log", "", ErrNotImage, []string{`ELF image "text.log"`}},
		{"cut image", "cut.elf", "", elfsym.ErrTruncated, []string{`ELF image "cut.elf"`}},
		{"missing dump", "", "none.core", fs.ErrNotExist, []string{`crash dump "none.core"`, "looked for " + filepath.Join(dir, "none.core")}},
		{"folder as dump", "", ".", nil, []string{"folder"}},
		{"image as dump", "", image, dump.ErrNotCore, []string{"firmware ELF first"}},
		{"empty dump", "", "empty", dump.ErrEmpty, []string{`crash dump "empty"`, "empty"}},
		{"unknown dump", "", "text.log", ErrNotDump, []string{`crash dump "text.log"`, "no known crash format", "core file or dump"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := openPair(Config{Image: tt.image, Cwd: dir}, image, tt.dump)
			if _, ok := errors.AsType[*OpenError](err); !ok {
				t.Fatalf("error is %T %v, want *OpenError", err, err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("errors.Is(%v, %v) is false", err, tt.is)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message %q lacks %q", err, part)
				}
			}
			if n := strings.Count(err.Error(), dir); n > 1 || strings.Contains(err.Error(), "\n") {
				t.Errorf("message repeats itself: %q", err)
			}
		})
	}
}

// openPair opens cfg's image, or where that is not given a dump of image.
func openPair(cfg Config, image, dump string) error {
	if cfg.Image != "" {
		p, err := OpenProgram(context.Background(), cfg)
		if err == nil {
			p.Close()
		}
		return err
	}
	cfg.Image = image
	p, err := OpenProgram(context.Background(), cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	s, err := p.OpenDump(context.Background(), dump, DumpOptions{})
	if err == nil {
		s.Close()
	}
	return err
}

func TestDumpWithoutImage(t *testing.T) {
	t.Parallel()
	p, err := OpenProgram(context.Background(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.OpenDump(context.Background(), filepath.Join(fixtures, "demo", "crash.core"), DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Threads()) != 1 || len(s.Regions()) == 0 {
		t.Errorf("got %d threads, %d regions", len(s.Threads()), len(s.Regions()))
	}
	k, err := s.Stack(s.Threads()[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := k.Frames(context.Background(), 0, 1)
	if err != nil || len(frames) != 1 {
		t.Fatalf("frames %v, error %v", frames, err)
	}
	if want := unnamed(frames[0].Core.PC); frames[0].Function != want {
		t.Errorf("frame 0 is %q, want %q", frames[0].Function, want)
	}
	if _, err := p.Static(context.Background()); !errors.Is(err, ErrNoImage) {
		t.Errorf("Static without an image: %v", err)
	}
}

func TestCancelledOpen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenProgram(ctx, Config{Image: filepath.Join(fixtures, "demo", "fw.elf")}); !errors.Is(err, context.Canceled) {
		t.Errorf("OpenProgram after cancel: %v", err)
	}
}

package unwind

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/core"
)

// TestBugs walks the stacks of testdata/bugs: kinds of unwinding fault that
// people met, each with the frames that are right. docs/bugs-covered.md says
// where each comes from; bugs_parse_test.go describes the files.
func TestBugs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/bugs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parseBugFile(string(raw))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for _, c := range file.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.check(t, file)
				})
			}
		})
	}
}

// TestBugsStripped walks the stacks that have a true end once more, without
// symbols: the list may end early, but no frame of it may differ.
func TestBugsStripped(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/bugs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parseBugFile(string(raw))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, c := range file.cases {
			if c.stop != core.StopEntry.String() && c.stop != core.StopLRZero.String() {
				continue
			}
			want := addresses(c.walk(file, file))
			w := c.walk(file, noSymbols{})
			got := addresses(w)
			if len(got) > len(want) || cmp.Diff(want[:len(got)], got) != "" {
				t.Errorf("%s, %s (-with symbols +without):\n%s%v", path, c.name, cmp.Diff(want, got), w.Stop())
			}
		}
	}
}

// addresses lists where the frames of a walk are; exceptions have no address.
func addresses(w *Walker) []core.Addr {
	var pcs []core.Addr
	for {
		f, ok := w.Next(context.Background())
		if !ok {
			return pcs
		}
		if f.Kind == core.FrameException {
			f.PC = 0
		}
		pcs = append(pcs, f.PC)
	}
}

// walk starts at the registers of the case.
func (c *bugCase) walk(file *bugFile, syms symbols) *Walker {
	p := newProgram(nil, syms, file.text(), file.profile, file.entry)
	opt := Options{Profile: file.profile, RAM: c.memory.ranges(), Running: c.running}
	return p.Walk(c.memory.over(file.code), c.regs, opt)
}

// check walks the case and compares the frames and the stop.
func (c *bugCase) check(t *testing.T, file *bugFile) {
	t.Helper()
	var syms symbols = file
	if c.stripped {
		syms = noSymbols{}
	}
	w := c.walk(file, syms)
	var got []string
	for {
		f, ok := w.Next(context.Background())
		if !ok {
			break
		}
		var keys []string
		if len(got) < len(c.frames) {
			keys = expectedKeys(c.frames[len(got)])
		}
		got = append(got, bugFrame(w.p, &f, keys))
	}
	stop := w.Stop()
	got = append(got, "stop "+stop.Kind.String())
	if d := cmp.Diff(append(c.frames, "stop "+c.stop), got); d != "" {
		t.Errorf("frames differ (-want +got):\n%s%s", d, stop.Detail)
	}
	if !strings.Contains(stop.Detail, c.says) {
		t.Errorf("the reason is %q; want it to say %q", stop.Detail, c.says)
	}
}

// expectedKeys lists the keys of an expected frame: "work cfa=0x20" has cfa.
func expectedKeys(frame string) []string {
	var keys []string
	for f := range strings.FieldsSeq(frame) {
		if k, _, ok := strings.Cut(f, "="); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// bugFrame formats a frame as cases have it: the function, "!" for an
// exception entry, "?" where no function is known, and the facts asked for.
func bugFrame(p *Program, f *core.Frame, keys []string) string {
	var b strings.Builder
	fn, known := p.FuncAt(f.Lookup)
	switch {
	case f.Kind == core.FrameException:
		b.WriteString("!")
	case !known:
		b.WriteString("?")
	case fn.Name == "":
		b.WriteString(fn.Entry.String())
	default:
		b.WriteString(fn.Name)
	}
	for _, k := range keys {
		fmt.Fprintf(&b, " %s=%s", k, bugFact(f, k))
	}
	return b.String()
}

// bugFact formats one fact of a frame.
func bugFact(f *core.Frame, key string) string {
	hex := func(v uint32) string { return fmt.Sprintf("%#x", v) }
	switch key {
	case "pc":
		return hex(uint32(f.PC))
	case "lookup":
		return hex(uint32(f.Lookup))
	case "cfa":
		return hex(uint32(f.CFA))
	case "trust":
		return f.Trust.String()
	case "thumb":
		return fmt.Sprint(f.Thumb)
	}
	if e := f.Exception; e != nil {
		switch key {
		case "size":
			return hex(e.Size)
		case "at":
			return hex(uint32(e.Frame))
		case "return":
			return hex(e.ExcReturn)
		case "number":
			return fmt.Sprint(e.Number)
		}
	}
	r, ok := bugRegisters[key]
	if !ok {
		return "no such fact"
	}
	if v, ok := f.Regs.Get(r); ok {
		return hex(v)
	}
	return "unknown"
}

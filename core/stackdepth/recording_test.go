package stackdepth

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pushmask/core"
	"pushmask/core/coretest"
	"pushmask/core/unwind"
	"pushmask/elfsym"
)

// stopped is a machine of a recording: its true frames, how each was entered,
// and SP at each of the calls, which is the CFA of the callee.
type stopped struct {
	N      int
	Regs   []uint32
	Frames []core.Addr
	Kinds  []string
	Cfas   []uint32
}

// used is the stack that frame i has in use when SP is sp. The CFA of a handler
// is the SP that it interrupted: the exception frame lies between.
func (m *stopped) used(i int, sp uint32) uint32 {
	n := m.Cfas[i] - sp
	if i+1 < len(m.Kinds) && m.Kinds[i+1] == "exc" {
		n -= ExceptionFrame + (m.Cfas[i]-ExceptionFrame)&7 // these cores align SP
	}
	return n
}

// TestRecordings holds the figures against machines that ran: no frame of a
// recording may be larger than its function's, and the distance between two
// CFAs is the depth of the call between them.
func TestRecordings(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(coretest.Shared(t, "cases", "oracle"), "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			img, machines := readStopped(t, path)
			defer img.Close()
			if !img.MProfile() {
				t.Skip("the recorder does not see the A32 call \"mov lr, pc; bx rN\"")
			}
			g, err := New(t.Context(), unwind.FromImages(elfsym.Join(img)), func(f unwind.Func) string { return f.Name })
			if err != nil {
				t.Fatal(err)
			}
			r := replayed{t: t, img: img, g: g}
			for i := range machines {
				r.check(&machines[i])
			}
			t.Logf("%d machines: %d frames and %d calls fit, %d calls in dynamic frames", len(machines), r.frames, r.calls, r.dynamic)
			if r.calls == 0 || r.frames == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

type replayed struct {
	t                      *testing.T
	img                    *elfsym.Image
	g                      *Graph
	frames, calls, dynamic int
}

func (r *replayed) check(m *stopped) {
	r.t.Helper()
	if len(m.Cfas) == 0 {
		return
	}
	if f := r.function(m.Frames[0]); f != nil {
		used := m.used(0, m.Regs[core.SP])
		if used > f.Frame && !f.Dynamic {
			r.t.Errorf("step %d: %d bytes in use at %v in %s, whose frame is %d", m.N, used, m.Frames[0], f.Name, f.Frame)
		}
		r.frames++
	}
	for i := 1; i < len(m.Cfas); i++ {
		if m.Kinds[i] != "call" {
			continue
		}
		f := r.function(m.Frames[i] - 2)
		if f == nil {
			continue
		}
		c, ok := callBefore(f, m.Frames[i])
		used := m.used(i, m.Cfas[i-1])
		switch {
		case !ok:
			r.t.Errorf("step %d: %s has no call before %v", m.N, f.Name, m.Frames[i])
		case c.Dynamic && used >= c.Depth:
			r.dynamic++
		case used != c.Depth:
			r.t.Errorf("step %d: %d bytes in use at the call before %v in %s, not %d", m.N, used, m.Frames[i], f.Name, c.Depth)
		default:
			r.calls++
		}
	}
}

// function returns the function around pc, nil for one that has no symbol.
func (r *replayed) function(pc core.Addr) *Function {
	f, ok := r.img.FuncAt(uint32(pc))
	if !ok {
		return nil
	}
	return r.g.At(core.Addr(f.Entry))
}

// callBefore returns the call that returns to ra.
func callBefore(f *Function, ra core.Addr) (call, bool) {
	for _, c := range f.calls {
		if !c.Tail && (c.Site == ra-4 || c.Site == ra-2) {
			return c, true
		}
	}
	return call{}, false
}

func readStopped(t *testing.T, path string) (*elfsym.Image, []stopped) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	var head struct{ Elf string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil {
		t.Fatalf("%s does not name its ELF", path)
	}
	img, err := elfsym.Open(filepath.Join(filepath.Dir(path), filepath.Base(head.Elf)), elfsym.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []stopped
	for lines.Scan() {
		var m stopped
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return img, list
}

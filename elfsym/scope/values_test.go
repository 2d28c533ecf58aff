package scope_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pushmask/elfsym"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// stops makes machines stopped at addresses of the program.
func stops(m *elfsym.Image, limit int) []*machine {
	r := rand.New(rand.NewPCG(5, 6))
	calls := callsByName(m)
	var out []*machine
	for _, pc := range sampled(m, limit) {
		chain := m.Scopes().At(pc)
		if _, ok := m.FuncAt(pc); !ok || len(chain) == 0 || m.State(pc) != elfsym.StateThumb {
			continue
		}
		var call *scope.CallSite
		returns := uint32(0xfffffffe)
		if c, ok := calls[chain[len(chain)-1].Name]; ok {
			call, returns = c.site, c.returns
		}
		out = append(out, newMachine(m, pc, r, call, returns))
	}
	return out
}

type knownCall struct {
	site    *scope.CallSite
	returns uint32
}

// callsByName finds a call of each function that is called by name.
func callsByName(m *elfsym.Image) map[string]knownCall {
	p := m.Scopes()
	out := make(map[string]knownCall)
	for _, f := range m.Functions() {
		chain := p.At(f.Entry)
		if len(chain) == 0 {
			continue
		}
		for pc := f.Entry + 2; pc <= f.End; pc += 2 {
			site, ok := p.CallSite(chain[len(chain)-1].Entry, pc)
			if ok && !site.Tail && !site.Origin.Zero() {
				out[site.Origin.QualifiedName()] = knownCall{site, pc}
			}
		}
	}
	return out
}

// values writes what testdata/values.py writes.
func (x *machine) values() []string {
	pc := uint32(x.regs[15])
	var out []string
	for _, s := range x.image.Scopes().At(pc) {
		for _, v := range s.Variables {
			if v.Name == "" {
				continue
			}
			text := x.value(v)
			if strings.Contains(text, "error") {
				text = "error"
			}
			out = append(out, fmt.Sprintf("%#x %s line %d = %s", pc, v.QualifiedName(), v.Declared.Line, text))
		}
	}
	return out
}

func (x *machine) value(v *scope.Variable) string {
	where, err := v.Locate(x)
	if err != nil {
		return failure(err)
	}
	size, known := v.Type.Size()
	if a, ok := where.Address(); ok && !known {
		return x.variableArray(v, a)
	}
	if where[0].Kind == expr.OptimizedOut && len(where) == 1 {
		return "gone"
	}
	if v.Type.Underlying().Kind == types.Array {
		return x.array(v.Type, where, size)
	}
	b, err := where.Read(x, size)
	if err != nil {
		return failure(err)
	}
	return strings.Join(flatten(v.Type, b, 0, uint64(size)*8, 0), " ")
}

func failure(err error) string {
	if errors.Is(err, scope.ErrOptimizedOut) || errors.Is(err, scope.ErrNoCallSite) || errors.Is(err, errNoCaller) ||
		errors.Is(err, expr.ErrUnknownRegister) {
		return "gone"
	}
	return "error"
}

func (x *machine) array(t *types.Type, where expr.Location, size uint32) string {
	b, err := where.Read(x, size)
	if err != nil {
		return failure(err)
	}
	words := flatten(t, b, 0, uint64(size)*8, 0)
	if len(words) > 0 && words[0] == "gone" {
		return "gone"
	}
	return fmt.Sprintf("[%d] ", t.Underlying().Dims()[0].Count) + strings.Join(words, " ")
}

// variableArray writes an array whose length depends on the frame.
func (x *machine) variableArray(v *scope.Variable, addr uint32) string {
	t := v.Type.Underlying()
	elem, _ := t.Elem().Size()
	var counts []uint32
	for _, d := range t.Dims() {
		n, err := v.Length(d, x)
		if err != nil {
			return failure(err)
		}
		counts = append(counts, n)
	}
	out := []string{fmt.Sprintf("[%d]", counts[0])}
	var below func(addr uint32, counts []uint32)
	below = func(addr uint32, counts []uint32) {
		stride := elem
		for _, n := range counts[1:] {
			stride *= n
		}
		for i := range min(counts[0], 6) {
			if len(counts) > 1 {
				below(addr+i*stride, counts[1:])
				continue
			}
			b, err := expr.Location{{Kind: expr.Memory, Addr: addr + i*stride}}.Read(x, elem)
			if err != nil {
				out = append(out, failure(err))
				continue
			}
			out = append(out, flatten(t.Elem(), b, 0, uint64(elem)*8, 1)...)
		}
	}
	below(addr, counts)
	return strings.Join(out, " ")
}

// flatten writes the bits [at, at+n) of an object as numbers.
func flatten(t *types.Type, b expr.Bytes, at, n uint64, depth int) []string {
	if b.Pointer != nil {
		return []string{"0"} // as gdb writes a pointer that points to no memory
	}
	t = t.Underlying()
	switch t.Kind {
	case types.Struct, types.Class, types.Union:
		if depth > 3 {
			return []string{"..."}
		}
		if none(b, at, n) && n > 0 {
			return []string{"gone"}
		}
		l, _ := t.Layout()
		var out []string
		for _, m := range l.Members {
			size, _ := m.Type.Size()
			bits := uint64(size) * 8
			if m.BitSize > 0 {
				bits = uint64(m.BitSize)
			}
			if !m.Base {
				out = append(out, flatten(m.Type, b, at+uint64(m.Offset)*8+uint64(m.BitOffset), bits, depth+1)...)
			}
		}
		return out
	case types.Array:
		if t.IsVector() || depth > 3 {
			return []string{"..."}
		}
		return flattenArray(t, b, at, depth)
	case types.MemberPointer, types.Void:
		return []string{"?"}
	}
	return []string{number(t, b, at, n)}
}

func flattenArray(t *types.Type, b expr.Bytes, at uint64, depth int) []string {
	elem, _ := t.Elem().Size()
	dims := t.Dims()
	var out []string
	var below func(at uint64, dims []types.Dim, depth int)
	below = func(at uint64, dims []types.Dim, depth int) {
		if depth > 4 {
			out = append(out, "...")
			return
		}
		stride := uint64(elem) * 8
		for _, d := range dims[1:] {
			stride *= uint64(d.Count)
		}
		for i := range min(dims[0].Count, 6) {
			if len(dims) > 1 {
				below(at+uint64(i)*stride, dims[1:], depth+1)
			} else {
				out = append(out, flatten(t.Elem(), b, at+uint64(i)*stride, stride, depth+1)...)
			}
		}
	}
	below(at, dims, depth)
	return out
}

// none reports whether no bit of a part is known.
func none(b expr.Bytes, at, n uint64) bool {
	for i := at; i < at+n && i/8 < uint64(len(b.Known)); i++ {
		if b.Known[i/8]>>(i%8)&1 != 0 {
			return false
		}
	}
	return true
}

func number(t *types.Type, b expr.Bytes, at, n uint64) string {
	var v uint64
	for i := range min(n, 64) {
		bit := at + i
		if bit/8 >= uint64(len(b.Data)) || b.Known[bit/8]>>(bit%8)&1 == 0 {
			return "gone"
		}
		v |= uint64(b.Data[bit/8]>>(bit%8)&1) << i
	}
	if t.Kind == types.Base && t.Encoding == types.Float {
		if n == 32 && math.IsNaN(float64(math.Float32frombits(uint32(v)))) || n == 64 && math.IsNaN(math.Float64frombits(v)) {
			return "nan"
		}
		return hex.EncodeToString(b.Data[at/8 : (at+n)/8])
	}
	if t.Kind == types.Base && t.Encoding == types.ComplexFloat {
		return "?"
	}
	return fmt.Sprintf("%x", v)
}

// TestGDBValues compares the values of variables with gdb, for machines that stop
// anywhere.
func TestGDBValues(t *testing.T) {
	t.Parallel()
	gdb, err := exec.LookPath("gdb-multiarch")
	if err != nil {
		t.Skip("gdb-multiarch is not installed")
	}
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			path := b.compile(t)
			m := open(t, path)
			dir := t.TempDir()
			var list strings.Builder
			var ours []string
			for i, x := range stops(m, 40) {
				name := filepath.Join(dir, fmt.Sprintf("core%d", i))
				x.core(t, name, slices.Contains(b.flags, "-mcpu=cortex-m4"))
				fmt.Fprintln(&list, name)
				ours = append(ours, x.values()...)
			}
			cores := filepath.Join(dir, "cores")
			if err := os.WriteFile(cores, []byte(list.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			out := run(t, "testdata", gdb, "-nx", "-q", "-batch", "-ex", fmt.Sprintf("python CORES = %q", cores), "-x", "values.py", path)
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			lines = slices.DeleteFunc(lines, func(s string) bool { return !strings.Contains(s, " = ") })
			both, onlyGDB, onlyOurs := compareSets(lines, ours)
			wrong := unexplainedValues(t, "gdb", onlyGDB) + unexplainedValues(t, "ours", onlyOurs)
			t.Logf("%d values agree, %d differ, %d without a reason", both, len(onlyOurs), wrong)
			if both < 60 {
				t.Errorf("%d values compared", both)
			}
		})
	}
}

// explainedValues are variables whose values differ for a reason.
var explainedValues = []struct{ text, reason string }{
	{" a line 100 = ", "clang describes the low half of the number only: gdb takes 0 for the rest"},
	{" product line 101 = ", "as above"},
	{" rows line 108 = ", "gdb takes a bound that has no value for 1, and refuses an array that is too large"},
	{" add line 86 = ", "gdb shows what the function that declares a lambda has, in the frame of the lambda"},
	{" captured line 85 = ", "as above"},
	{" start line 84 = ", "as above"},
}

func unexplainedValues(t *testing.T, who string, lines []string) (n int) {
	t.Helper()
next:
	for _, s := range lines {
		for _, e := range explainedValues {
			if strings.Contains(s, e.text) {
				continue next
			}
		}
		n++
		t.Errorf("only %s: %s", who, s)
	}
	return n
}

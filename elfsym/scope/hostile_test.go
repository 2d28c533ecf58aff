package scope_test

import (
	"bytes"
	"debug/elf"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"pushmask/elfsym"
	"pushmask/elfsym/die"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/scope"
	"pushmask/elfsym/types"
)

// exercise asks for everything that a program declares, at some addresses.
func exercise(b []byte) {
	m, err := elfsym.New(bytes.NewReader(b), "hostile.elf", elfsym.Options{})
	if err != nil {
		return
	}
	p := m.Scopes()
	if p == nil {
		return
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, pc := range sampled(m, 30) {
		chain := p.At(pc)
		if len(chain) == 0 {
			continue
		}
		f := chain[len(chain)-1].Entry
		site, _ := p.CallSite(f, pc)
		x := newMachine(m, pc, r, site, pc)
		for _, s := range chain {
			for _, v := range s.Variables {
				exerciseVariable(v, x)
			}
		}
		p.Prefixes(chain, nil)
		p.Lookup("sink", chain, nil)
		p.Statics(f)
		if site != nil {
			site.Calls(f)
			site.Target()
			site.Parameter(uint64(f.Offset), x)
		}
	}
	exerciseProgram(p)
}

func exerciseVariable(v *scope.Variable, x *machine) {
	exerciseType(v.Type)
	v.QualifiedName()
	v.StaticAddress()
	size, _ := v.Type.Size()
	if where, err := v.Locate(x); err == nil {
		where.Read(x, min(size, 1<<12))
		for _, piece := range where {
			if piece.Kind == expr.ImplicitPointer {
				x.image.Scopes().Describe(piece.Target, nil, 0)
			}
		}
	}
	for _, d := range v.Type.Underlying().Dims() {
		v.Length(d, x)
	}
}

func exerciseType(t *types.Type) {
	t.Name()
	t.Size()
	t.Enumerators()
	t.IsSigned()
	t.Params()
	l, _ := t.Layout()
	for _, v := range l.Variants {
		v.Select(3)
	}
}

func exerciseProgram(p *scope.Program) {
	p.EachGlobal(func(v *scope.Variable) bool { v.StaticAddress(); return true })
	for _, u := range p.Data().Units() {
		p.UnitVariables(u)
	}
	for _, k := range []die.Kind{die.Types, die.Functions, die.Variables, die.Constants, die.Namespaces} {
		p.Data().All(k, func(e die.Entry) bool { e.QualifiedName(); return true })
	}
	p.Data().All(die.Types, func(e die.Entry) bool { exerciseType(p.Types.At(e.Offset)); return true })
	for _, name := range []string{"start", "outer::Both::area", "GREEN", "point", "unsigned long"} {
		p.Functions(name)
		p.Constants(name)
		p.Globals(name)
		p.Types.Find(name)
	}
}

// seeds are programs of a few kinds.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for _, b := range builds {
		switch b.name {
		case "gcc C O2 v5", "gcc C Og v3", "gcc C O2 types v4", "gcc C++ O2 types v5", "clang C O2 v5", "clang C++ O2 v4":
		default:
			continue
		}
		data, err := os.ReadFile(b.compile(t))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// mutable are the sections that a mutation damages.
var mutable = []string{".debug_info", ".debug_info", ".debug_info", ".debug_abbrev", ".debug_abbrev", ".debug_loc", ".debug_loclists",
	".debug_ranges", ".debug_rnglists", ".debug_types", ".debug_str_offsets", ".debug_addr"}

// mutate changes one to eight bytes of sections that describe variables.
func mutate(t testing.TB, r *rand.Rand, seed []byte) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(seed))
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.Clone(seed)
	for range 1 + r.IntN(8) {
		s := f.Section(mutable[r.IntN(len(mutable))])
		if s == nil || s.Size == 0 || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		b[s.Offset+uint64(r.IntN(int(s.Size)))] = byte(r.Uint32())
	}
	return b
}

// TestMutations damages descriptions of variables: no panic, and an end in time.
func TestMutations(t *testing.T) {
	t.Parallel()
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	r := rand.New(rand.NewPCG(7, 8))
	var slowest time.Duration
	n := 0
	for _, seed := range seeds(t) {
		for range rounds {
			b := mutate(t, r, seed)
			start := time.Now()
			exercise(b)
			slowest = max(slowest, time.Since(start))
			n++
		}
	}
	t.Logf("%d mutations, slowest %v", n, slowest)
	if slowest > 5*time.Second {
		t.Errorf("a mutation took %v", slowest)
	}
}

func FuzzScopes(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { exercise(b) })
}

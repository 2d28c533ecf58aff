package scope_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pushmask/elfsym"
	"pushmask/elfsym/expr"
	"pushmask/elfsym/scope"
)

// compiled opens one of the builds.
func compiled(t *testing.T, name string) *elfsym.Image {
	t.Helper()
	i := slices.IndexFunc(builds, func(b build) bool { return b.name == name })
	return open(t, builds[i].compile(t))
}

// scopesIn returns the scopes in the middle of a function.
func scopesIn(t *testing.T, m *elfsym.Image, function string) []scope.Scope {
	t.Helper()
	list := m.Scopes().Functions(function)
	if len(list) == 0 {
		t.Fatalf("no function %s", function)
	}
	f, ok := m.FuncAt(list[0].Addr)
	if !ok {
		t.Fatalf("%s at %#x is in no function", function, list[0].Addr)
	}
	return m.Scopes().At(f.Entry + (f.End-f.Entry)/2)
}

// TestNames looks names of C++ up in the whole program, with both compilers.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gcc C++ Og v5", "clang C++ O2 types v5"} {
		p := compiled(t, name).Scopes()
		for variable, want := range map[string]int{
			"outer::inner::counter": 1, "outer::Both::instances": 1, "hidden": 1, "(anonymous namespace)::hidden": 1,
			"outer::Both::limit": 1, "counter": 0, "outer::hidden": 0, "::sink": 1,
		} {
			if got := p.Globals(variable); len(got) != want {
				t.Errorf("%s: %d variables %s, want %d", name, len(got), variable, want)
			}
		}
		for constant, want := range map[string]int64{"outer::inner::Level::High": 200, "outer::inner::ONE": 1, "outer::inner::Plain::ONE": 1} {
			if got := p.Constants(constant); len(got) == 0 || got[0].Value != want {
				t.Errorf("%s: constant %s: %+v, want %d", name, constant, got, want)
			}
		}
		if got := p.Constants("outer::inner::High"); len(got) != 0 {
			t.Errorf("%s: a constant of an enum class without its name", name)
		}
		for function, want := range map[string]int{"overload": 2, "start": 1, "Both": 0} {
			if got := p.Functions(function); len(got) != want {
				t.Errorf("%s: %d functions %s, want %d", name, len(got), function, want)
			}
		}
		if v := p.Globals("outer::Both::limit")[0]; v != nil {
			if b, ok := v.Constant(); !ok || b[0] != 12 || v.External && len(b) != 4 {
				t.Errorf("%s: value of %s: % x, %v", name, v.QualifiedName(), b, ok)
			}
		}
	}
}

// TestLookup finds what unqualified names mean in functions.
func TestLookup(t *testing.T) {
	t.Parallel()
	m := compiled(t, "gcc C++ O0 v4")
	p := m.Scopes()
	for _, tt := range []struct{ function, name, want string }{
		{"move", "value", "value"}, {"move", "version", "version"}, {"move", "counter", "outer::inner::counter"}, {"move", "sink", "sink"},
		{"outer::Both::area", "this", "this"}, {"outer::Both::area", "instances", "outer::Both::instances"}, {"outer::Both::area", "ints", "outer::ints"},
		{"lambda", "captured", "captured"}, {"lambda", "hidden", "(anonymous namespace)::hidden"}, {"lambda", "instances", ""}, {"lambda", "no_such", ""},
	} {
		v, ok := p.Lookup(tt.name, scopesIn(t, m, tt.function), nil)
		if ok != (tt.want != "") || ok && v.QualifiedName() != tt.want {
			t.Errorf("%s in %s: %v, want %q", tt.name, tt.function, ok, tt.want)
		}
	}
	got := strings.Join(p.Prefixes(scopesIn(t, m, "outer::Both::area"), nil), " ")
	if want := "outer::Both:: outer:: outer::v1:: outer::inner:: "; got != want {
		t.Errorf("prefixes %q, want %q", got, want)
	}
}

// TestStatics lists the statics of a function, those of all of its blocks.
func TestStatics(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gcc C O0 v5", "clang C O0 v4"} {
		m := compiled(t, name)
		p := m.Scopes()
		chain := scopesIn(t, m, "blocks")
		list := p.Statics(chain[len(chain)-1].Entry)
		if len(list) != 1 || list[0].Name != "counter" {
			t.Errorf("%s: %d statics of blocks, want counter", name, len(list))
		}
		variadic := scopesIn(t, m, "variadic")
		if s := variadic[len(variadic)-1]; !s.Variadic || s.Result.Name() != "int" || s.Declared.Line != 138 || !strings.HasSuffix(s.Declared.File, "values.c") {
			t.Errorf("%s: variadic: %+v", name, s)
		}
		if len(p.UnitVariables(chain[0].Entry.Unit)) < 20 {
			t.Errorf("%s: the unit has few variables", name)
		}
	}
}

// TestImplicitPointer follows a pointer to a variable that is nowhere.
func TestImplicitPointer(t *testing.T) {
	t.Parallel()
	m := compiled(t, "gcc C O2 v5")
	p := m.Scopes()
	f := p.Functions("pointers")[0]
	end, _ := m.FuncAt(f.Addr)
	found := false
	for pc := f.Addr; pc < end.End; pc += 2 {
		chain := p.At(pc)
		x := newMachine(m, pc, rand.New(rand.NewPCG(1, 1)), nil, 0)
		v, ok := p.Lookup("to_constant", chain, nil)
		if !ok {
			continue
		}
		where, err := v.Locate(x)
		if err != nil || where[0].Kind != expr.ImplicitPointer {
			continue
		}
		target, ok := p.Describe(where[0].Target, chain, pc)
		if !ok || target.Name != "constant" {
			t.Fatalf("%#x: the pointer points to %v", pc, target)
		}
		place, err := target.Locate(x)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := place.Read(x, 4); err == nil && b.Complete() && b.Data[0] == 42 {
			found = true
		}
	}
	if !found {
		t.Error("no implicit pointer leads to 42")
	}
}

// TestCallSites tells which function a call is to. clang describes no calls for
// ARM.
func TestCallSites(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gcc C O2 v5", "gcc C O2 v4"} {
		m := compiled(t, name)
		calls := callsByName(m)
		for function, want := range map[string]bool{"entry": true, "blocks": false} {
			call, ok := calls["entry"]
			if !ok {
				t.Fatalf("%s: no call of entry", name)
			}
			chain := scopesIn(t, m, function)
			if yes, known := call.site.Calls(chain[len(chain)-1].Entry); yes != want || !known {
				t.Errorf("%s: the call of entry calls %s: %v, known %v", name, function, yes, known)
			}
		}
	}
}

// TestConcurrentUse asks from several goroutines at once; the race detector looks
// on.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	m := compiled(t, "gcc C++ O2 types v5")
	want := len(m.Scopes().Globals("sink"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			x := newMachine(m, m.Functions()[0].Entry, rand.New(rand.NewPCG(1, 1)), nil, 0)
			for _, pc := range sampled(m, 40) {
				for _, s := range m.Scopes().At(pc) {
					for _, v := range s.Variables {
						exerciseVariable(v, x)
					}
				}
			}
			exerciseProgram(m.Scopes())
			if got := len(m.Scopes().Globals("sink")); got != want {
				t.Errorf("%d variables sink, want %d", got, want)
			}
		})
	}
	wg.Wait()
}

package die_test

import (
	"debug/dwarf"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/die"
	"pushmask/elfsym/die/dietest"
	"pushmask/elfsym/loclist"
)

func load(t testing.TB, version int, units ...*dietest.Node) *die.Data {
	t.Helper()
	d, err := die.New(dietest.Write(version, units...))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func entryOf(t testing.TB, d *die.Data, n *dietest.Node) die.Entry {
	t.Helper()
	e, err := d.Entry(n.Offset())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestForms reads a number in every form that holds one.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, version := range []int{2, 3, 4, 5} {
		for _, tt := range []struct {
			form  uint16
			value int64
			int   int64
			uint  bool
		}{
			{dietest.Data1, 0xfe, 0xfe, true}, {dietest.Data2, 0xfffe, 0xfffe, true}, {dietest.Data4, 0xfffffffe, 0xfffffffe, true},
			{dietest.Data8, -2, -2, true}, {dietest.Sdata, -300, -300, false}, {dietest.Sdata, 300, 300, true},
			{dietest.Udata, 300, 300, true}, {dietest.ImplicitConst, -300, -300, false}, {dietest.Indirect, 300, 300, true},
		} {
			n := dietest.New(dwarf.TagVariable, dietest.Name("before"), dietest.Attr{Attr: dwarf.AttrConstValue, Form: tt.form, Value: tt.value},
				dietest.Attr{Attr: dwarf.AttrDeclLine, Form: dietest.Data1, Value: 7})
			e := entryOf(t, load(t, version, dietest.New(dwarf.TagCompileUnit).Add(n)), n)
			got, ok := e.Int(dwarf.AttrConstValue)
			_, isUint := e.Uint(dwarf.AttrConstValue)
			if got != tt.int || !ok || isUint != tt.uint {
				t.Errorf("version %d, form %#x: %d, %v, not negative %v", version, tt.form, got, ok, isUint)
			}
			if line, _ := e.Uint(dwarf.AttrDeclLine); line != 7 || e.Name() != "before" {
				t.Errorf("version %d, form %#x: what is around it is line %d, %q", version, tt.form, line, e.Name())
			}
		}
	}
}

// TestAbsent asks for attributes that are not there or of another class.
func TestAbsent(t *testing.T) {
	t.Parallel()
	n := dietest.New(dwarf.TagVariable, dietest.Name("x"))
	e := entryOf(t, load(t, 4, dietest.New(dwarf.TagCompileUnit).Add(n)), n)
	if _, ok := e.Int(dwarf.AttrName); ok {
		t.Error("a string is no number")
	}
	if _, ok := e.Ref(dwarf.AttrType); ok || e.Has(dwarf.AttrType) || e.Flag(dwarf.AttrExternal) || e.LinkageName() != "" {
		t.Error("an attribute that is absent")
	}
	if _, ok, err := e.Attr(dwarf.AttrLocation).List(); ok || err != nil {
		t.Errorf("a list that is absent: %v", err)
	}
	var zero die.Entry
	if !zero.Zero() || zero.Name() != "" || zero.HasChildren() {
		t.Error("the zero Entry has something")
	}
}

// TestChildren walks over subtrees.
func TestChildren(t *testing.T) {
	t.Parallel()
	inner := dietest.New(dwarf.TagLexDwarfBlock).Add(dietest.New(dwarf.TagVariable, dietest.Name("hidden")))
	root := dietest.New(dwarf.TagCompileUnit).Add(
		dietest.New(dwarf.TagSubprogram, dietest.Name("f")).Add(inner, dietest.New(dwarf.TagVariable, dietest.Name("v"))),
		dietest.New(dwarf.TagVariable, dietest.Name("g")))
	d := load(t, 5, root)
	e, err := d.Units()[0].Root()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for c, err := range e.Children() {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, c.Name())
	}
	if !slices.Equal(names, []string{"f", "g"}) {
		t.Errorf("children %v", names)
	}
	if outer, ok := entryOf(t, d, inner.Children[0]).Scope(); !ok || outer.Offset != inner.Offset() {
		t.Errorf("scope %#x, want %#x", outer.Offset, inner.Offset())
	}
	if _, ok := entryOf(t, d, root.Children[1]).Scope(); ok {
		t.Error("a variable of the unit is in a scope")
	}
}

// names is a program with names in every kind of scope.
func names() (root *dietest.Node, find map[string]*dietest.Node) {
	present := func(a dwarf.Attr) dietest.Attr { return dietest.Attr{Attr: a, Form: dietest.FlagPresent} }
	variable := func(name string) *dietest.Node {
		return dietest.New(dwarf.TagVariable, dietest.Name(name), dietest.Attr{Attr: dwarf.AttrLocation, Form: dietest.Exprloc, Value: []byte{3, 0, 0, 0, 0}})
	}
	global, inline, hidden, outer := variable("x"), variable("x"), variable("x"), variable("x")
	member := dietest.New(dwarf.TagVariable, dietest.Name("m"), present(dwarf.AttrDeclaration))
	defined := dietest.New(dwarf.TagVariable, dietest.Attr{Attr: dwarf.AttrSpecification, Form: dietest.Ref4, Value: member},
		dietest.Attr{Attr: dwarf.AttrLocation, Form: dietest.Exprloc, Value: []byte{3, 0, 0, 0, 0}})
	plain, class := dietest.New(dwarf.TagEnumerator, dietest.Name("A")), dietest.New(dwarf.TagEnumerator, dietest.Name("B"))
	root = dietest.New(dwarf.TagCompileUnit).Add(
		global, variable("unrelated"),
		dietest.New(dwarf.TagNamespace, dietest.Name("ns")).Add(
			outer,
			dietest.New(dwarf.TagNamespace, dietest.Name("v1"), present(dwarf.AttrExportSymbols)).Add(inline),
			dietest.New(dwarf.TagNamespace).Add(dietest.New(dwarf.TagNamespace, dietest.Name("deep")).Add(hidden)),
			dietest.New(dwarf.TagStructType, dietest.Name("S<a::b>")).Add(member),
			dietest.New(dwarf.TagEnumerationType, dietest.Name("E")).Add(plain),
			dietest.New(dwarf.TagEnumerationType, dietest.Name("C"), present(dwarf.AttrEnumClass)).Add(class)),
		defined)
	return root, map[string]*dietest.Node{
		"x": global, "::x": global, "ns::x": outer, "ns::v1::x": inline, "ns::deep::x": hidden,
		"ns::(anonymous namespace)::deep::x": hidden, "ns::S<a::b>::m": defined,
	}
}

// TestFind looks qualified names up.
func TestFind(t *testing.T) {
	t.Parallel()
	root, find := names()
	d := load(t, 5, root)
	for name, n := range find {
		found := d.Find(die.Variables, name)
		if !slices.ContainsFunc(found, func(e die.Entry) bool { return e.Offset == n.Offset() }) {
			t.Errorf("%s: %d found, not the one at %#x", name, len(found), n.Offset())
		}
	}
	if found := d.Find(die.Variables, "ns::x"); len(found) != 2 || found[0].Offset > found[1].Offset {
		t.Errorf("ns::x: %d found, want that of ns and that of its inline namespace in order", len(found))
	}
	for _, name := range []string{"", "::", "deep::x", "ns", "v1::x", "ns::ns::x", "m"} {
		if found := d.Find(die.Variables, name); len(found) != 0 {
			t.Errorf("%s: %d found", name, len(found))
		}
	}
	for name, want := range map[string]int{"ns::A": 1, "ns::E::A": 1, "ns::C::B": 1, "ns::B": 0} {
		if found := d.Find(die.Constants, name); len(found) != want {
			t.Errorf("%s: %d found, want %d", name, len(found), want)
		}
	}
	for n, want := range map[*dietest.Node]string{
		find["ns::S<a::b>::m"]: "ns::S<a::b>::m", find["ns::deep::x"]: "ns::(anonymous namespace)::deep::x", find["ns::v1::x"]: "ns::v1::x",
	} {
		if got := entryOf(t, d, n).QualifiedName(); got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
}

func TestSplitName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"x": {"x"}, "::x": {"x"}, "a::b": {"a", "b"}, "a::b<c::d>::e": {"a", "b<c::d>", "e"}, "f(a::b)::c": {"f(a::b)", "c"},
		"core::{impl#1}::x": {"core", "{impl#1}", "x"}, "a<fn(u8) -> b::c>::d": {"a<fn(u8) -> b::c>", "d"}, "": {""}, "a::": {"a", ""},
	} {
		if diff := cmp.Diff(want, die.SplitName(name)); diff != "" {
			t.Errorf("%q:\n%s", name, diff)
		}
	}
}

// TestRanges reads addresses in both forms, with the bit that marks Thumb code.
func TestRanges(t *testing.T) {
	t.Parallel()
	f := dietest.New(dwarf.TagSubprogram, dietest.Attr{Attr: dwarf.AttrLowpc, Form: dietest.Addr, Value: 0x8001},
		dietest.Attr{Attr: dwarf.AttrHighpc, Form: dietest.Data4, Value: 0x10})
	g := dietest.New(dwarf.TagSubprogram, dietest.Attr{Attr: dwarf.AttrLowpc, Form: dietest.Addr, Value: 0x9000},
		dietest.Attr{Attr: dwarf.AttrHighpc, Form: dietest.Addr, Value: 0x9008})
	none := dietest.New(dwarf.TagSubprogram, dietest.Attr{Attr: dwarf.AttrLowpc, Form: dietest.Addr, Value: 0x9000})
	d := load(t, 4, dietest.New(dwarf.TagCompileUnit).Add(f, g, none))
	for n, want := range map[*dietest.Node][]loclist.Range{f: {{Lo: 0x8000, Hi: 0x8010}}, g: {{Lo: 0x9000, Hi: 0x9008}}, none: {}} {
		got, err := entryOf(t, d, n).Ranges()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

// TestDamaged keeps the units that can be read.
func TestDamaged(t *testing.T) {
	t.Parallel()
	s := dietest.Write(4, dietest.New(dwarf.TagCompileUnit, dietest.Name("a")), dietest.New(dwarf.TagCompileUnit, dietest.Name("b")))
	cut := s
	cut.Info = s.Info[:len(s.Info)-1]
	d, err := die.New(cut)
	if err == nil || len(d.Units()) != 1 {
		t.Errorf("truncated: %d units, %v", len(d.Units()), err)
	}
	bad := s
	bad.Info = slices.Clone(s.Info)
	bad.Info[4] = 9 // the version of the first
	if d, err = die.New(bad); err == nil || len(d.Units()) != 1 {
		t.Errorf("unknown version: %d units, %v", len(d.Units()), err)
	}
	bad.Info[4], bad.Info[11] = 4, 99 // an abbreviation that is not in the table
	d, err = die.New(bad)
	if err != nil || len(d.Units()) != 2 {
		t.Fatalf("%d units, %v", len(d.Units()), err)
	}
	if _, err := d.Units()[0].Root(); err == nil {
		t.Error("an entry without abbreviation was read")
	}
	if e, err := d.Units()[1].Root(); err != nil || e.Name() != "b" {
		t.Errorf("the unit after it: %q, %v", e.Name(), err)
	}
	for _, off := range []die.Offset{0, 3, 1 << 30} {
		if _, err := d.Entry(off); err == nil {
			t.Errorf("an entry at %#x", off)
		}
	}
}

// TestOriginsInACircle ends.
func TestOriginsInACircle(t *testing.T) {
	t.Parallel()
	n := dietest.New(dwarf.TagSubprogram)
	n.Attrs = append(n.Attrs, dietest.Attr{Attr: dwarf.AttrAbstractOrigin, Form: dietest.Ref4, Value: n})
	e := entryOf(t, load(t, 4, dietest.New(dwarf.TagCompileUnit).Add(n)), n)
	if name := e.QualifiedName(); name != "" || e.Inherited(dwarf.AttrType).Exists() {
		t.Errorf("name %q of nothing", name)
	}
}

func FuzzData(f *testing.F) {
	root, _ := names()
	for _, version := range []int{2, 4, 5} {
		s := dietest.Write(version, root)
		f.Add(s.Info, s.Abbrev)
	}
	f.Fuzz(func(t *testing.T, info, abbrev []byte) {
		d, err := die.New(die.Sections{Info: info, Abbrev: abbrev, Types: info, Str: info, StrOffsets: abbrev, Addr: abbrev,
			Ranges: abbrev, Rnglists: abbrev, Lists: func() (loc, loclists []byte) { return abbrev, abbrev }})
		if d == nil {
			t.Fatal(err)
		}
		for kind := range die.Namespaces + 1 {
			d.All(kind, func(e die.Entry) bool {
				if e.QualifiedName() != "" {
					d.Find(kind, e.QualifiedName())
				}
				e.Ranges()
				e.Attr(dwarf.AttrLocation).List()
				return true
			})
		}
		for _, u := range d.Units() {
			root, _ := u.Root()
			for c := range root.Children() {
				c.Scope()
			}
		}
	})
}

// TestPrefixed looks up beginnings of names with and without the scopes around
// them.
func TestPrefixed(t *testing.T) {
	t.Parallel()
	variable := func(n string) *dietest.Node { return dietest.New(dwarf.TagVariable, dietest.Name(n)) }
	in := func(n string, list ...*dietest.Node) *dietest.Node {
		return dietest.New(dwarf.TagNamespace, dietest.Name(n)).Add(list...)
	}
	anonymous := dietest.New(dwarf.TagNamespace).Add(variable("shade"))
	function := dietest.New(dwarf.TagSubprogram, dietest.Name("f")).Add(variable("short_lived"))
	d := load(t, 5, dietest.New(dwarf.TagCompileUnit).Add(
		variable("shape"), variable("s"), variable("ship"), in("ns", variable("shell"), in("inner", variable("shelf")), anonymous), function))
	for _, tt := range []struct {
		prefix string
		want   []string
	}{
		{"sh", []string{"shape", "ship"}}, {"s", []string{"shape", "s", "ship"}}, {"", []string{"shape", "s", "ship"}},
		{"ns::sh", []string{"shell", "shade"}}, {"ns::inner::", []string{"shelf"}}, {"ns::(anonymous namespace)::", []string{"shade"}},
		{"shapes", nil}, {"other::s", nil}, {"short", nil},
	} {
		var got []string
		d.Prefixed(die.Variables, tt.prefix, func(string) bool { return false }, func(_ die.Entry, name string) bool {
			got = append(got, name)
			return true
		})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.prefix, diff)
		}
	}
	n := 0
	d.Prefixed(die.Variables, "s", func(name string) bool { return name == "s" }, func(die.Entry, string) bool { n++; return false })
	if n != 1 {
		t.Errorf("%d entries after the first was refused", n)
	}
}

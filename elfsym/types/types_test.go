package types_test

import (
	"debug/dwarf"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/die"
	"pushmask/elfsym/die/dietest"
	"pushmask/elfsym/types"
)

// Short names for what trees of types are made of.
var (
	node = dietest.New
	name = dietest.Name
	typ  = dietest.Type
	size = dietest.Size
)

func attr(a dwarf.Attr, form uint16, v any) dietest.Attr {
	return dietest.Attr{Attr: a, Form: form, Value: v}
}

func base(n string, bytes int, encoding types.Encoding) *dietest.Node {
	return node(dwarf.TagBaseType, name(n), size(bytes), attr(dwarf.AttrEncoding, dietest.Data1, int(encoding)))
}

func language(l die.Language) dietest.Attr { return attr(dwarf.AttrLanguage, dietest.Data2, int(l)) }

// load writes a unit with the types and returns a reader of them.
func load(t testing.TB, l die.Language, nodes ...*dietest.Node) *types.Reader {
	t.Helper()
	d, err := die.New(dietest.Write(5, node(dwarf.TagCompileUnit, language(l)).Add(nodes...)))
	if err != nil {
		t.Fatal(err)
	}
	return types.New(d)
}

// TestNames writes types as C and C++ do. gdb is asked about more of them in
// package scope.
func TestNames(t *testing.T) {
	t.Parallel()
	char, integer := base("char", 1, types.UnsignedChar), base("long int", 4, types.Signed)
	foo := node(dwarf.TagStructType, name("foo"), size(4))
	of := func(tag dwarf.Tag, n *dietest.Node) *dietest.Node { return node(tag, typ(n)) }
	pointer := func(n *dietest.Node) *dietest.Node { return of(dwarf.TagPointerType, n) }
	array := func(n *dietest.Node, bounds ...int) *dietest.Node {
		a := of(dwarf.TagArrayType, n)
		for _, b := range bounds {
			a.Add(node(dwarf.TagSubrangeType, attr(dwarf.AttrUpperBound, dietest.Data4, b)))
		}
		return a
	}
	prototyped := attr(dwarf.AttrPrototyped, dietest.FlagPresent, nil)
	handler := node(dwarf.TagSubroutineType, prototyped).Add(node(dwarf.TagFormalParameter, typ(integer)))
	returnsPointer := node(dwarf.TagSubroutineType, prototyped, typ(pointer(char))).Add(node(dwarf.TagFormalParameter, typ(pointer(foo))), node(dwarf.TagUnspecifiedParameters))
	constChar, constPointer := of(dwarf.TagConstType, char), of(dwarf.TagConstType, pointer(char))
	all := map[string]*dietest.Node{
		"char": char, "long": integer, "struct foo": foo, "struct {...}": node(dwarf.TagStructType), "union {...}": node(dwarf.TagUnionType),
		"enum {...}": node(dwarf.TagEnumerationType), "const char *": pointer(constChar), "char * const": constPointer,
		"char * const *": pointer(constPointer), "const char * const": of(dwarf.TagConstType, pointer(constChar)),
		"void *": node(dwarf.TagPointerType), "const void *": pointer(node(dwarf.TagConstType)), "char [4][3]": array(char, 3, 2), "char []": node(dwarf.TagArrayType, typ(char)),
		"char *[4]": array(pointer(char), 3), "char (*)[4]": pointer(array(char, 3)), "const char [4]": array(constChar, 3), "const char [3]": of(dwarf.TagConstType, array(constChar, 2)),
		"const char [2]": of(dwarf.TagConstType, array(char, 1)), "void (*)(long)": pointer(handler), "void (**)(long)": pointer(pointer(handler)),
		"void (*[2])(long)": array(pointer(handler), 1), "char *(*)(struct foo *, ...)": pointer(returnsPointer), "char *(struct foo *, ...)": returnsPointer,
		"void (void)": node(dwarf.TagSubroutineType, prototyped), "void ()": node(dwarf.TagSubroutineType),
		"const volatile char": of(dwarf.TagVolatileType, constChar), "char * restrict": of(dwarf.TagRestrictType, pointer(char)), "_Atomic char": node(0x47, typ(char)),
		"foo_t": node(dwarf.TagTypedef, name("foo_t"), typ(foo)), "<unknown type>": node(dwarf.TagBaseType),
		"char __attribute__ ((vector_size(4)))": node(dwarf.TagArrayType, typ(char), attr(0x2107, dietest.FlagPresent, nil)).Add(node(dwarf.TagSubrangeType, attr(dwarf.AttrUpperBound, dietest.Data1, 3))),
	}
	r := load(t, die.C11, withTargets(all)...)
	for want, n := range all {
		if got := r.At(n.Offset()).Name(); got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
}

// withTargets lists the nodes of a table and all that they refer to, once each.
func withTargets(all map[string]*dietest.Node) []*dietest.Node {
	seen := make(map[*dietest.Node]bool)
	var out []*dietest.Node
	var add func(n *dietest.Node, top bool)
	add = func(n *dietest.Node, top bool) {
		if top && !seen[n] {
			seen[n] = true
			out = append(out, n)
		} else if top {
			return
		}
		for _, a := range n.Attrs {
			if to, ok := a.Value.(*dietest.Node); ok {
				add(to, true)
			}
		}
		for _, c := range n.Children {
			add(c, false)
		}
	}
	for _, n := range all {
		add(n, true)
	}
	return out
}

// TestSizes tells sizes that are stated and those that are not.
func TestSizes(t *testing.T) {
	t.Parallel()
	integer := base("int", 4, types.Signed)
	function := node(dwarf.TagSubroutineType)
	bound := func(n any, form uint16) *dietest.Node {
		return node(dwarf.TagSubrangeType, attr(dwarf.AttrUpperBound, form, n))
	}
	huge := node(dwarf.TagArrayType, typ(integer)).Add(bound(1<<31-1, dietest.Data4), bound(1<<31-1, dietest.Data4))
	empty := node(dwarf.TagArrayType, typ(integer)).Add(bound(-1, dietest.Sdata))
	emptyFixed := node(dwarf.TagArrayType, typ(integer)).Add(bound(0xffffffff, dietest.Data4))
	dynamic := node(dwarf.TagArrayType, typ(integer)).Add(bound([]byte{0x91, 0}, dietest.Exprloc))
	counted := node(dwarf.TagArrayType, typ(integer)).Add(node(dwarf.TagSubrangeType, attr(dwarf.AttrCount, dietest.Udata, 5)))
	based := node(dwarf.TagArrayType, typ(integer)).Add(node(dwarf.TagSubrangeType, attr(dwarf.AttrLowerBound, dietest.Data1, 1), attr(dwarf.AttrUpperBound, dietest.Data1, 3)))
	pointer := node(dwarf.TagPointerType, typ(integer))
	member, method := node(dwarf.TagPtrToMemberType, typ(integer)), node(dwarf.TagPtrToMemberType, typ(function))
	enum := node(dwarf.TagEnumerationType, typ(base("unsigned char", 1, types.Unsigned)))
	opaque := node(dwarf.TagStructType, name("o"), attr(dwarf.AttrDeclaration, dietest.FlagPresent, nil))
	null := node(dwarf.TagUnspecifiedType, name("decltype(nullptr)"))
	constant := node(dwarf.TagConstType, typ(integer))
	r := load(t, die.CPlusPlus14, integer, function, huge, empty, emptyFixed, dynamic, counted, based, pointer, member, method, enum.Attrs[0].Value.(*dietest.Node), enum, opaque, null, constant)
	for n, want := range map[*dietest.Node]int{
		integer: 4, pointer: 4, member: 4, method: 8, enum: 1, counted: 20, based: 12, empty: 0, emptyFixed: 0, null: 4, constant: 4,
		function: -1, huge: -1, dynamic: -1, opaque: -1,
	} {
		got, ok := r.At(n.Offset()).Size()
		if want < 0 && ok || want >= 0 && (!ok || got != uint32(want)) {
			t.Errorf("size of %s: %d, %v; want %d", r.At(n.Offset()).Name(), got, ok, want)
		}
	}
	if d := r.At(dynamic.Offset()).Dims()[0]; d.Bound == nil || !d.Bound.Last || len(d.Bound.Expr) != 2 {
		t.Errorf("bound of an array of variable length: %+v", d)
	}
	if _, err := r.At(opaque.Offset()).Layout(); !errors.Is(err, types.ErrIncomplete) {
		t.Errorf("members of an incomplete type: %v", err)
	}
}

// TestBitFields reads both forms: that of DWARF 4 and 5 counts from the start of
// the object, that of DWARF 2 from the top of a storage unit.
func TestBitFields(t *testing.T) {
	t.Parallel()
	integer := base("unsigned int", 4, types.Unsigned)
	bits := func(n int) dietest.Attr { return attr(dwarf.AttrBitSize, dietest.Data1, n) }
	place := func(n int) dietest.Attr { return attr(dwarf.AttrDataMemberLoc, dietest.Data1, n) }
	s := node(dwarf.TagStructType, name("s"), size(12)).Add(
		node(dwarf.TagMember, name("new"), typ(integer), bits(5), attr(dwarf.AttrDataBitOffset, dietest.Data1, 43)),
		node(dwarf.TagMember, name("old"), typ(integer), bits(5), size(4), place(4), attr(dwarf.AttrBitOffset, dietest.Data1, 16)),
		node(dwarf.TagMember, name("straddles"), typ(integer), bits(30), size(4), place(0), attr(dwarf.AttrBitOffset, dietest.Sdata, -11)),
		node(dwarf.TagMember, name("expression"), typ(integer), attr(dwarf.AttrDataMemberLoc, dietest.Block1, []byte{0x23, 8})),
		node(dwarf.TagMember, name("computed"), typ(integer), attr(dwarf.AttrDataMemberLoc, dietest.Exprloc, []byte{0x12, 0x06, 0x22})))
	l, err := load(t, die.C, integer, s).At(s.Offset()).Layout()
	if err != nil {
		t.Fatal(err)
	}
	type place3 struct {
		Offset    uint32
		Bit, Bits int
		Expr      int
	}
	got := make(map[string]place3)
	for _, m := range l.Members {
		got[m.Name] = place3{m.Offset, int(m.BitOffset), int(m.BitSize), len(m.Expr)}
	}
	want := map[string]place3{"new": {5, 3, 5, 0}, "old": {5, 3, 5, 0}, "straddles": {1, 5, 30, 0}, "expression": {8, 0, 0, 0}, "computed": {0, 0, 0, 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestVariants selects variants of Rust enumerations by discriminants of all
// kinds.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		encoding types.Encoding
		values   []dietest.Attr // of the variants; no attribute is the default
		selects  map[uint64]int // variant by discriminant, -1 for none
	}{
		{"niche", types.Unsigned, []dietest.Attr{attr(dwarf.AttrDiscrValue, dietest.Data1, 0), {}}, map[uint64]int{0: 0, 1: 1, 0x20000000: 1}},
		{"high bits are ignored", types.Unsigned, []dietest.Attr{attr(dwarf.AttrDiscrValue, dietest.Data1, 3)}, map[uint64]int{0x1_0000_0003: 0, 4: -1}},
		{"signed", types.Signed, []dietest.Attr{attr(dwarf.AttrDiscrValue, dietest.Sdata, -1), {}}, map[uint64]int{0xffffffff: 0, 1: 1}},
		{"list", types.Unsigned, []dietest.Attr{attr(dwarf.AttrDiscrList, dietest.Block1, []byte{0, 7, 1, 10, 20}), {}}, map[uint64]int{7: 0, 8: 1, 10: 0, 20: 0, 21: 1}},
		{"signed list", types.Signed, []dietest.Attr{attr(dwarf.AttrDiscrList, dietest.Block1, []byte{1, 0x7e, 2})}, map[uint64]int{0xfffffffe: 0, 0: 0, 2: 0, 3: -1}},
	} {
		discriminant := base("tag", 4, tt.encoding)
		d := node(dwarf.TagMember, typ(discriminant), attr(dwarf.AttrDataMemberLoc, dietest.Data1, 0))
		part := node(dwarf.TagVariantPart, attr(dwarf.AttrDiscr, dietest.Ref4, d)).Add(d)
		for i, v := range tt.values {
			n := node(dwarf.TagVariant)
			if v.Attr != 0 {
				n.Attrs = append(n.Attrs, v)
			}
			part.Add(n.Add(node(dwarf.TagMember, name(string(rune('A'+i))), typ(discriminant), attr(dwarf.AttrDataMemberLoc, dietest.Data1, 4))))
		}
		s := node(dwarf.TagStructType, name("E"), size(8)).Add(part)
		l, err := load(t, die.Rust, discriminant, s).At(s.Offset()).Layout()
		if err != nil || len(l.Variants) != 1 {
			t.Errorf("%s: %d variant parts, %v", tt.name, len(l.Variants), err)
			continue
		}
		for value, want := range tt.selects {
			got := -1
			if v := l.Variants[0].Select(value); v != nil {
				got = int(v.Members[0].Name[0] - 'A')
			}
			if got != want {
				t.Errorf("%s: %#x selects variant %d, want %d", tt.name, value, got, want)
			}
		}
	}
}

// TestHostile is about types that no compiler writes.
func TestHostile(t *testing.T) {
	t.Parallel()
	self := node(dwarf.TagTypedef, name("self"))
	self.Attrs = append(self.Attrs, typ(self))
	array := node(dwarf.TagArrayType)
	array.Attrs = append(array.Attrs, typ(array))
	array.Add(node(dwarf.TagSubrangeType, attr(dwarf.AttrCount, dietest.Data1, 2)))
	function := node(dwarf.TagSubroutineType)
	function.Add(node(dwarf.TagFormalParameter, typ(function)), node(dwarf.TagFormalParameter, typ(function)))
	signature := node(dwarf.TagStructType)
	signature.Attrs = append(signature.Attrs, attr(dwarf.AttrSignature, dietest.Ref4, signature))
	other := node(dwarf.TagStructType, attr(dwarf.AttrSignature, dietest.Ref4, signature))
	contains := node(dwarf.TagStructType, name("contains"), size(4))
	contains.Add(node(dwarf.TagMember, name("itself"), typ(contains)))
	noType := node(dwarf.TagPointerType, attr(dwarf.AttrType, dietest.RefAddr, node(dwarf.TagCompileUnit)))
	deep := []*dietest.Node{node(dwarf.TagPointerType)}
	for range 5000 {
		deep = append(deep, node(dwarf.TagPointerType, typ(deep[len(deep)-1])))
	}
	all := append(deep, self, array, function, signature, other, contains, noType)
	r := load(t, die.C, all...)
	for _, n := range all {
		x := r.At(n.Offset())
		if len(x.Name()) > 1<<20 {
			t.Errorf("a name of %d bytes", len(x.Name()))
		}
		x.Size()
		x.Underlying()
		x.Layout()
		x.Params()
		x.IsSigned()
	}
	if k := r.At(self.Offset()).Underlying().Kind; k != types.Unknown {
		t.Errorf("a typedef of itself is of kind %d", k)
	}
	if !strings.Contains(r.At(deep[5000].Offset()).Name(), "...") {
		t.Error("a pointer of 5000 levels has a whole name")
	}
	if k := r.At(1 << 30).Kind; k != types.Unknown {
		t.Errorf("a type at no entry is of kind %d", k)
	}
	l, err := r.At(contains.Offset()).Layout()
	if err != nil || l.Members[0].Type != r.At(contains.Offset()) {
		t.Errorf("a structure that contains itself: %v", err)
	}
}

// TestFindIntegers finds the integers of C whatever a compiler calls them.
func TestFindIntegers(t *testing.T) {
	t.Parallel()
	r := load(t, die.C, base("long unsigned int", 4, types.Unsigned), base("short", 2, types.Signed), base("unsigned char", 1, types.UnsignedChar))
	for name, want := range map[string]uint32{
		"unsigned long": 4, "unsigned long int": 4, "long unsigned int": 4, "short int": 2, "signed short": 2, "unsigned char": 1, "long": 0, "int": 0,
	} {
		var got uint32
		if list := r.Find(name); len(list) == 1 {
			got, _ = list[0].Size()
		}
		if got != want {
			t.Errorf("%s: size %d, want %d", name, got, want)
		}
	}
}

// TestSourceHostile writes types that contain each other: no text grows without
// a limit.
func TestSourceHostile(t *testing.T) {
	t.Parallel()
	char := base("char", 1, types.UnsignedChar)
	self := node(dwarf.TagStructType, size(4))
	self.Add(node(dwarf.TagMember, name("again"), typ(self)), node(dwarf.TagMember, typ(self)))
	named := node(dwarf.TagStructType, name("named"), size(4))
	named.Add(node(dwarf.TagMember, name("x"), typ(named)), node(dwarf.TagMember, name("y"), typ(named)))
	alias := node(dwarf.TagTypedef, name("alias"))
	alias.Attrs = append(alias.Attrs, typ(alias))
	r := load(t, die.C99, char, self, named, alias)
	for _, n := range []*dietest.Node{self, named, alias} {
		for _, text := range []string{r.At(n.Offset()).Source(), r.At(n.Offset()).SourceOffsets()} {
			if len(text) == 0 || len(text) > 4<<20 {
				t.Errorf("a type of %d bytes", len(text))
			}
		}
	}
}

package types_test

import (
	"debug/dwarf"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/die"
	"pushmask/elfsym/die/dietest"
	"pushmask/elfsym/types"
)

// TestScale reads how fixed-point numbers are scaled.
func TestScale(t *testing.T) {
	t.Parallel()
	fixed := func(n string, bytes int, more ...dietest.Attr) *dietest.Node {
		b := base(n, bytes, types.SignedFixed)
		b.Attrs = append(b.Attrs, more...)
		return b
	}
	small := node(dwarf.TagConstant, attr(0x2303, dietest.Sdata, 1), attr(0x2304, dietest.Sdata, 30))
	zero := node(dwarf.TagConstant, attr(0x2303, dietest.Sdata, 1), attr(0x2304, dietest.Sdata, 0))
	cases := []struct {
		node *dietest.Node
		want string
	}{
		{fixed("f", 2, attr(dwarf.AttrBinaryScale, dietest.Sdata, -4)), "1/16"},
		{fixed("f", 2, attr(dwarf.AttrBinaryScale, dietest.Sdata, 3)), "8/1"},
		{fixed("f", 2, attr(dwarf.AttrBinaryScale, dietest.Sdata, -4000)), ""},
		{fixed("f", 4, attr(dwarf.AttrDecimalScale, dietest.Sdata, -2)), "1/100"},
		{fixed("f", 4, attr(dwarf.AttrSmall, dietest.Ref4, small)), "1/30"},
		{fixed("f", 4, attr(dwarf.AttrSmall, dietest.Ref4, zero)), ""},
		{fixed("f", 4), ""},
		{fixed("short _Accum", 2), "1/128"},
		{fixed("unsigned short _Accum", 2), "1/256"},
		{fixed("_Sat _Fract", 2), "1/32768"},
		{fixed("unsigned long _Fract", 4), "1/4294967296"},
		{fixed("long long _Fract", 8), "1/9223372036854775808"},
		{fixed("long long _Accum", 8), "1/2147483648"},
		{base("_Accum", 4, types.Signed), ""},
	}
	nodes := []*dietest.Node{small, zero}
	for _, c := range cases {
		nodes = append(nodes, c.node)
	}
	r := load(t, die.C11, nodes...)
	for i, c := range cases {
		scale, ok := r.At(c.node.Offset()).Scale()
		got := ""
		if ok {
			got = scale.String()
		}
		if got != c.want {
			t.Errorf("%d: scale %q, want %q", i, got, c.want)
		}
	}
}

// TestFloatFormats tells formats by size and name, and by the attributes of the file.
func TestFloatFormats(t *testing.T) {
	t.Parallel()
	all := map[string]*dietest.Node{}
	for n, bytes := range map[string]int{"__fp16": 2, "_Float16": 2, "__bf16": 2, "float": 4, "long double": 8, "_Float128": 16} {
		all[n] = base(n, bytes, types.Float)
	}
	all["complex float"] = base("complex float", 8, types.ComplexFloat)
	all["int"] = base("int", 4, types.Signed)
	want := map[string]types.FloatFormat{
		"__fp16": types.Binary16, "_Float16": types.Binary16, "__bf16": types.BFloat16, "float": types.Binary32, "long double": types.Binary64,
		"complex float": types.Binary32, "_Float128": types.NoFloat, "int": types.NoFloat,
	}
	for _, alternative := range []bool{false, true} {
		r := load(t, die.C11, withTargets(all)...)
		if r.AlternativeHalf = alternative; alternative {
			want["__fp16"] = types.AlternativeHalf
		}
		got := map[string]types.FloatFormat{}
		for n, e := range all {
			got[n] = r.At(e.Offset()).FloatFormat()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("alternative %v (-want +got):\n%s", alternative, diff)
		}
	}
}

// TestDims reads dimensions as languages other than C have them.
func TestDims(t *testing.T) {
	t.Parallel()
	subrange := func(attrs ...dietest.Attr) *dietest.Node { return node(dwarf.TagSubrangeType, attrs...) }
	upper := func(n int) dietest.Attr { return attr(dwarf.AttrUpperBound, dietest.Sdata, n) }
	integer := base("int", 4, types.Signed)
	array := func(attrs []dietest.Attr, dims ...*dietest.Node) *dietest.Node {
		return node(dwarf.TagArrayType, append(attrs, typ(integer))...).Add(dims...)
	}
	computed := []byte{0x97, 0x06} // DW_OP_push_object_address, DW_OP_deref
	const fortran90, ada95 = 0x08, 0x0d
	for name, c := range map[string]struct {
		language die.Language
		array    *dietest.Node
		want     []types.Dim
		size     uint32 // 0: not known
	}{
		"from 1": {ada95, array(nil, subrange(upper(5))), []types.Dim{{Lower: 1, Count: 5, Known: true}}, 20},
		"stated": {ada95, array(nil, subrange(attr(dwarf.AttrLowerBound, dietest.Sdata, -2), upper(2))), []types.Dim{{Lower: -2, Count: 5, Known: true}}, 20},
		"columns": {
			fortran90, array(nil, subrange(upper(2)), subrange(upper(3))),
			[]types.Dim{{Lower: 1, Count: 3, Known: true}, {Lower: 1, Count: 2, Known: true}}, 24,
		},
		"rows": {
			fortran90, array([]dietest.Attr{attr(dwarf.AttrOrdering, dietest.Data1, 0)}, subrange(upper(2)), subrange(upper(3))),
			[]types.Dim{{Lower: 1, Count: 2, Known: true}, {Lower: 1, Count: 3, Known: true}}, 24,
		},
		"computed lower bound": {
			ada95, array(nil, subrange(attr(dwarf.AttrLowerBound, dietest.Exprloc, computed), upper(2))), []types.Dim{{}}, 0,
		},
		"any rank": {fortran90, array(nil, node(dwarf.TagGenericSubrange, upper(3))), []types.Dim{{}}, 0},
		"stride":   {die.C11, array(nil, subrange(upper(3), attr(dwarf.AttrStride, dietest.Sdata, 12))), []types.Dim{{Count: 4, Known: true, Stride: 96}}, 48},
		"packed": {
			ada95, array([]dietest.Attr{attr(dwarf.AttrStrideSize, dietest.Sdata, 3)}, subrange(upper(5))),
			[]types.Dim{{Lower: 1, Count: 5, Known: true, Stride: 3}}, 2,
		},
		"backwards": {die.C11, array(nil, subrange(upper(3), attr(dwarf.AttrStride, dietest.Sdata, -4))), []types.Dim{{Count: 4, Known: true, Stride: -32}}, 0},
	} {
		got := load(t, c.language, integer, c.array).At(c.array.Offset())
		if diff := cmp.Diff(c.want, got.Dims()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if size, ok := got.Size(); size != c.size || ok != (c.size != 0) && name != "backwards" {
			t.Errorf("%s: %d bytes, %v", name, size, ok)
		}
	}
}

// TestDynamic reads where the data of a descriptor is.
func TestDynamic(t *testing.T) {
	t.Parallel()
	code := []byte{0x97, 0x06}
	char := base("char", 1, types.UnsignedChar)
	descriptor := node(dwarf.TagArrayType, typ(char), attr(dwarf.AttrDataLocation, dietest.Exprloc, code), attr(dwarf.AttrAllocated, dietest.Exprloc, code))
	r := load(t, 0x08, char, descriptor)
	if _, ok := r.At(char.Offset()).Dynamic(); ok {
		t.Error("char has a descriptor")
	}
	d, ok := r.At(descriptor.Offset()).Dynamic()
	if diff := cmp.Diff(types.Dynamic{Location: code, Allocated: code}, d); diff != "" || !ok {
		t.Errorf("%v (-want +got):\n%s", ok, diff)
	}
}

package expr_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pushmask/elfsym/expr"
)

// code joins bytes and pieces of code.
func code(parts ...any) (out []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			out = append(out, byte(p))
		case []byte:
			out = append(out, p...)
		case uint64:
			out = binary.LittleEndian.AppendUint64(out, p)
		}
	}
	return out
}

var half, double15 = math.Float32bits(0.5), math.Float64bits(1.5)

// TestNumber runs every operation that has a number as its result. Comments name
// the operations.
func TestNumber(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code []byte
		want uint64
	}{
		{"lit31", code(0x4f), 31},
		{"addr is moved", code(0x03, u32(0x20000000)), 0x20000100},
		{"const1u", code(0x08, 0xff), 0xff},
		{"const1s", code(0x09, 0xff), 0xffffffff},
		{"const2u", code(0x0a, 0xfe, 0xff), 0xfffe},
		{"const2s", code(0x0b, 0xfe, 0xff), 0xfffffffe},
		{"const4u", code(0x0c, u32(0x80000001)), 0x80000001},
		{"const4s", code(0x0d, u32(0xffffffff)), 0xffffffff},
		{"const8u keeps an address", code(0x0e, uint64(0x1_0000_0002)), 2},
		{"constu", code(0x10, 0x80, 0x01), 128},
		{"consts", code(0x11, 0x7e), 0xfffffffe},
		{"addrx", code(0xa1, 2), 0x8102},
		{"GNU_addr_index", code(0xfb, 2), 0x8102},
		{"constx", code(0xa2, 2), 0x8002},
		{"GNU_const_index", code(0xfc, 2), 0x8002},
		{"dup mul", code(0x37, 0x12, 0x1e), 49},
		{"over", code(0x31, 0x32, 0x14, 0x22), 3},
		{"pick", code(0x31, 0x32, 0x33, 0x15, 2), 1},
		{"swap minus", code(0x31, 0x33, 0x16, 0x1c), 2},
		{"rot", code(0x31, 0x32, 0x33, 0x17), 2},
		{"rot moves the top below", code(0x31, 0x32, 0x33, 0x17, 0x13, 0x13), 3},
		{"drop", code(0x31, 0x32, 0x13), 1},
		{"abs", code(0x09, 0xfb, 0x19), 5},
		{"and", code(0x36, 0x33, 0x1a), 2},
		{"or", code(0x36, 0x33, 0x21), 7},
		{"xor", code(0x36, 0x33, 0x27), 5},
		{"div is signed", code(0x09, 0xf8, 0x32, 0x1b), 0xfffffffc},
		{"mod is unsigned", code(0x09, 0xff, 0x3a, 0x1d), 5},
		{"neg", code(0x31, 0x1f), 0xffffffff},
		{"not", code(0x30, 0x20), 0xffffffff},
		{"plus wraps", code(0x09, 0xff, 0x32, 0x22), 1},
		{"plus_uconst", code(0x31, 0x23, 0x80, 0x01), 129},
		{"shl", code(0x31, 0x3f, 0x24), 1 << 15},
		{"shl by 32", code(0x31, 0x08, 32, 0x24), 0},
		{"shr", code(0x09, 0xff, 0x34, 0x25), 0x0fffffff},
		{"shra", code(0x09, 0xf0, 0x32, 0x26), 0xfffffffc},
		{"shra by 99", code(0x09, 0xf0, 0x08, 99, 0x26), 0xffffffff},
		{"lt is signed", code(0x09, 0xff, 0x31, 0x2d), 1},
		{"ge", code(0x31, 0x32, 0x2a), 0},
		{"gt", code(0x32, 0x31, 0x2b), 1},
		{"le", code(0x32, 0x32, 0x2c), 1},
		{"eq", code(0x32, 0x32, 0x29), 1},
		{"ne", code(0x32, 0x32, 0x2e), 0},
		{"bra taken", code(0x31, 0x31, 0x28, 1, 0, 0x35), 1},
		{"bra not taken", code(0x31, 0x30, 0x28, 1, 0, 0x35), 5},
		{"skip back", code(0x2f, 1, 0, 0x35, 0x33), 3},
		{"nop", code(0x31, 0x96), 1},
		{"GNU_uninit", code(0x31, 0xf0), 1},
		{"breg", code(0x73, 0x7c), 0x2ffc},
		{"bregx", code(0x92, 3, 4), 0x3004},
		{"reg", code(0x54), 0x4000},
		{"regx", code(0x90, 64), uint64(half)},
		{"fbreg", code(0x91, 0x78), 0x20000ff8},
		{"call_frame_cfa", code(0x9c), 0x20001000},
		{"deref", code(0x08, 0x10, 0x06), 0x13121110},
		{"deref_size", code(0x08, 0x10, 0x94, 2), 0x1110},
		{"entry_value", code(0xa3, 1, 0x50), 77},
		{"GNU_entry_value", code(0xf3, 1, 0x50, 0x9f), 77},
		{"GNU_parameter_ref", code(0xfa, u32(0x40)), 88},
		{"call2", code(0x98, 0x30, 0), 5},
		{"call4 to an entry without code", code(0x31, 0x99, u32(0x31)), 1},
		{"call_ref", code(0x9a, u32(0x1033)), 0x110},
		{"GNU_variable_value in memory", code(0xfd, u32(0x1033)), 0x13121110},
		{"GNU_variable_value in a register", code(0xfd, u32(0x1034)), 0},
		{"const_type", code(0xa4, 0x20, 8, double15), double15},
		{"regval_type", code(0xa5, 0x80, 0x02, 0x20), double15},
		{"regval_type of two S registers", code(0xa5, 80, 0x20), double15},
		{"regval_type of two core registers", code(0xa5, 2, 0x22), 0x3000_00002000},
		{"deref_type", code(0x08, 0x10, 0xa6, 2, 0x23), 0x1110},
		{"convert double to int", code(0xa5, 0x80, 0x02, 0x20, 0xa8, 0x26), 1},
		{"convert float to double", code(0xa5, 64, 0x21, 0xa8, 0x20), math.Float64bits(0.5)},
		{"convert signed to double", code(0x09, 0xff, 0xa8, 0x24, 0xa8, 0x20), math.Float64bits(-1)},
		{"convert signed char to generic", code(0x09, 0xff, 0xa8, 0x24, 0xa8, 0), 0xffffffff},
		{"convert to 64 bits", code(0x09, 0xff, 0xa8, 0x26, 0xa8, 0x22), math.MaxUint64},
		{"reinterpret", code(0x0c, u32(half), 0xa9, 0x21, 0xa8, 0x20), math.Float64bits(0.5)},
		{"GNU_convert", code(0xa5, 64, 0x21, 0xf7, 0x20), math.Float64bits(0.5)},
		{"double plus double", code(0xf5, 0x80, 0x02, 0x20, 0x12, 0x22), math.Float64bits(3)},
		{"double compared", code(0xf5, 0x80, 0x02, 0x20, 0x12, 0x2c), 1},
		{"64-bit product", code(0x4f, 0xa8, 0x22, 0x0c, u32(1<<31), 0xa8, 0x22, 0x1e), 31 << 31},
		{"smallest divided by -1", code(0x0c, u32(1<<31), 0x09, 0xff, 0x1b), 1 << 31},
	} {
		c := slices.Clone(tt.code)
		if got, err := expr.Number(expr.Expr{Code: c, Context: program{base: code(0x9c)}}, frame{}); err != nil || got != tt.want {
			t.Errorf("%s: % x = %#x, %v; want %#x", tt.name, c, got, err, tt.want)
		}
	}
}

// TestLocate runs expressions that say where an object is.
func TestLocate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code []byte
		want expr.Location
	}{
		{"empty", nil, expr.Location{{Kind: expr.OptimizedOut}}},
		{"memory", code(0x91, 0x7c), expr.Location{{Kind: expr.Memory, Addr: 0x20000ffc}}},
		{"register", code(0x53), expr.Location{{Kind: expr.Register, Register: 3}}},
		{"D register", code(0x90, 0x82, 0x02), expr.Location{{Kind: expr.Register, Register: 258}}},
		{"stack_value", code(0x35, 0x9f), expr.Location{{Kind: expr.Value, Data: []byte{5, 0, 0, 0, 0, 0, 0, 0}}}},
		{"negative constant", code(0x11, 0x7b, 0x9f), expr.Location{{Kind: expr.Value, Data: []byte{0xfb, 255, 255, 255, 255, 255, 255, 255}}}},
		{"computed value", code(0x35, 0x31, 0x22, 0x9f), expr.Location{{Kind: expr.Value, Data: []byte{6, 0, 0, 0}}}},
		{"stack_value of a type", code(0xa4, 0x20, 8, double15, 0x9f), expr.Location{{Kind: expr.Value, Data: code(double15)}}},
		{"implicit_value", code(0x9e, 3, 1, 2, 3), expr.Location{{Kind: expr.Value, Data: []byte{1, 2, 3}}}},
		{"implicit_pointer", code(0xa0, u32(0x1040), 0x7c), expr.Location{{Kind: expr.ImplicitPointer, Target: 0x1040, Offset: -4}}},
		{"GNU_implicit_pointer", code(0xf2, u32(0x1040), 4), expr.Location{{Kind: expr.ImplicitPointer, Target: 0x1040, Offset: 4}}},
		{"pieces", code(0x50, 0x93, 4, 0x93, 2, 0x91, 0, 0x93, 4, 0x35, 0x9f, 0x93, 2), expr.Location{
			{Kind: expr.Register, Register: 0, BitSize: 32}, {Kind: expr.OptimizedOut, BitSize: 16},
			{Kind: expr.Memory, Addr: 0x20001000, BitSize: 32}, {Kind: expr.Value, Data: []byte{5, 0, 0, 0, 0, 0, 0, 0}, BitSize: 16},
		}},
		{"bit_piece", code(0x90, 0x80, 0x02, 0x9d, 32, 32), expr.Location{{Kind: expr.Register, Register: 256, BitSize: 32, BitOffset: 32}}},
	} {
		got, err := expr.Locate(expr.Expr{Code: tt.code, Context: program{base: code(0x9c)}}, frame{})
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, diff)
		}
	}
}

// TestErrors gives every reason why there is no result.
func TestErrors(t *testing.T) {
	t.Parallel()
	loop := code(0x2f, 0xfd, 0xff)
	for _, tt := range []struct {
		name string
		code []byte
		want error
	}{
		{"register that is not known", code(0x7c, 0), expr.ErrUnknownRegister},
		{"value of one", code(0xa5, 12, 0x26), expr.ErrUnknownRegister},
		{"value of two, one of them known", code(0xa5, 11, 0x22), expr.ErrUnknownRegister},
		{"address not in the table", code(0xa1, 4), expr.ErrNoContext},
		{"base type not there", code(0xa8, 0x7f), expr.ErrNoContext},
		{"entry not there", code(0x98, 0x7f, 0), expr.ErrNoContext},
		{"no object", code(0x97), expr.ErrNoContext},
		{"no call site", code(0xa3, 1, 0x51), errEntry},
		{"memory not there", code(0x0c, u32(0xf0000000), 0x06), errNoMemory},
		{"form_tls_address", code(0x30, 0x9b), expr.ErrThreadLocal},
		{"GNU_push_tls_address", code(0x30, 0xe0), expr.ErrThreadLocal},
		{"xderef", code(0x30, 0x30, 0x18), expr.ErrUnsupported},
		{"not an operation", code(0xff), expr.ErrUnsupported},
		{"value of 16 bytes", code(0xa5, 0, 0x25), expr.ErrUnsupported},
		{"empty stack", code(0x22), expr.ErrMalformed},
		{"pick too deep", code(0x31, 0x15, 1), expr.ErrMalformed},
		{"truncated", code(0x03, 1, 2), expr.ErrMalformed},
		{"operation after a register", code(0x50, 0x31), expr.ErrMalformed},
		{"no result", code(0x96), expr.ErrMalformed},
		{"types mixed", code(0x31, 0x31, 0xa8, 0x22, 0x22), expr.ErrMalformed},
		{"deref_size too large", code(0x31, 0x94, 5), expr.ErrMalformed},
		{"reinterpret to another size", code(0x31, 0xa9, 0x20), expr.ErrMalformed},
		{"branch outside", code(0x2f, 0x10, 0), expr.ErrMalformed},
		{"endless loop", loop, expr.ErrMalformed},
		{"endless stack", code(0x31, 0x2f, 0xfc, 0xff), expr.ErrMalformed},
		{"call of itself", code(0x98, 0x32, 0), expr.ErrMalformed},
		{"value of itself", code(0xfd, u32(0x35)), expr.ErrMalformed},
	} {
		_, err := expr.Locate(expr.Expr{Code: tt.code, Context: program{}}, frame{})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := expr.Number(expr.Expr{Code: code(0x31, 0x30, 0x1b)}, frame{}); err == nil {
		t.Error("division by zero has a result")
	}
	if _, err := expr.Number(expr.Expr{Code: code(0x9c)}, frame{noCFA: true}); !errors.Is(err, expr.ErrNoCFA) {
		t.Errorf("no CFA: %v", err)
	}
	circle := program{base: code(0x91, 0)}
	if _, err := expr.Number(expr.Expr{Code: code(0x91, 0), Context: circle}, frame{}); !errors.Is(err, expr.ErrMalformed) {
		t.Errorf("frame base of itself: %v", err)
	}
	if _, err := expr.Number(expr.Expr{}, frame{}); !errors.Is(err, expr.ErrOptimizedOut) {
		t.Errorf("number of an empty expression: %v", err)
	}
}

// TestLocateMember computes the places of members from that of the object.
func TestLocateMember(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code []byte
		want uint32
	}{
		{"plus_uconst", code(0x23, 8), 0x20000018},
		{"virtual base of gcc", code(0x12, 0x06, 0x08, 12, 0x1c, 0x06, 0x22), 0x20000010 + 0x07060504},
		{"push_object_address", code(0x13, 0x97, 0x34, 0x22), 0x20000014},
	} {
		l, err := expr.LocateMember(expr.Expr{Code: tt.code}, frame{}, 0x20000010)
		if a, ok := l.Address(); err != nil || !ok || a != tt.want {
			t.Errorf("%s: %#x, %v; want %#x", tt.name, a, err, tt.want)
		}
	}
}

// TestRead assembles objects from their pieces.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		where expr.Location
		size  uint32
		data  []byte
		known []byte
	}{
		{"memory", expr.Location{{Kind: expr.Memory, Addr: 0x10}}, 3, []byte{0x10, 0x11, 0x12}, []byte{0xff, 0xff, 0xff}},
		{"low bytes of a register", expr.Location{{Kind: expr.Register, Register: 3}}, 2, []byte{0, 0x30}, []byte{0xff, 0xff}},
		{"two registers", expr.Location{{Kind: expr.Register, Register: 2}}, 8, []byte{0, 0x20, 0, 0, 0, 0x30, 0, 0}, []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{"high half of D0", expr.Location{{Kind: expr.Register, Register: 256, BitSize: 32, BitOffset: 32}}, 4, []byte{0, 0, 0xf8, 0x3f}, []byte{255, 255, 255, 255}},
		{"a hole", expr.Location{{Kind: expr.Value, Data: []byte{1, 2}, BitSize: 8}, {BitSize: 8}}, 2, []byte{1, 0}, []byte{255, 0}},
		{"bits", expr.Location{{Kind: expr.Value, Data: []byte{0xff}, BitSize: 3}, {BitSize: 2}, {Kind: expr.Value, Data: []byte{0xf0}, BitOffset: 4, BitSize: 3}}, 1, []byte{0xe7}, []byte{0xe7}},
		{"a short value", expr.Location{{Kind: expr.Value, Data: []byte{7}}}, 4, []byte{7, 0, 0, 0}, []byte{255, 0, 0, 0}},
		{"pieces that end early", expr.Location{{Kind: expr.Register, Register: 1, BitSize: 32}}, 8, []byte{0, 0x10, 0, 0, 0, 0, 0, 0}, []byte{255, 255, 255, 255, 0, 0, 0, 0}},
	} {
		b, err := tt.where.Read(frame{}, tt.size)
		if err != nil || !slices.Equal(b.Data, tt.data) || !slices.Equal(b.Known, tt.known) {
			t.Errorf("%s: % x known % x, %v; want % x known % x", tt.name, b.Data, b.Known, err, tt.data, tt.known)
		}
	}
	if _, err := (expr.Location{{Kind: expr.Memory}}).Read(frame{}, 1<<31); !errors.Is(err, expr.ErrTooLarge) {
		t.Errorf("2 GiB: %v", err)
	}
	if _, err := (expr.Location{{Kind: expr.Register, Register: 12}}).Read(frame{}, 4); !errors.Is(err, expr.ErrUnknownRegister) {
		t.Errorf("register that is not known: %v", err)
	}
	b, err := expr.Location{{Kind: expr.ImplicitPointer, Target: 3}}.Read(frame{}, 4)
	if err != nil || b.Pointer == nil || b.Complete() {
		t.Errorf("implicit pointer: %+v, %v", b, err)
	}
}

func FuzzEval(f *testing.F) {
	for _, seed := range [][]byte{
		code(0x91, 0x7c), code(0x50, 0x93, 4, 0x91, 0, 0x93, 4), code(0xa3, 1, 0x50, 0x9f), code(0xa5, 0x80, 0x02, 0x20, 0xa8, 0x26, 0x9f),
		code(0x98, 0x32, 0), code(0x31, 0x2f, 0xfc, 0xff), code(0x9d, 3, 5), code(0x0e, uint64(1)), code(0xa0, u32(0x1040), 4),
	} {
		f.Add(seed, uint16(8))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint16) {
		e := expr.Expr{Code: b, Context: program{base: code(0x9c)}}
		if l, err := expr.Locate(e, frame{}); err == nil {
			if len(l) == 0 {
				t.Error("a location without pieces")
			}
			if v, err := l.Read(frame{}, uint32(size)); err == nil && len(v.Data) != int(size) && v.Pointer == nil {
				t.Errorf("%d bytes, want %d", len(v.Data), size)
			}
		}
		expr.Number(e, frame{})
		expr.LocateMember(e, frame{}, 0x20000000)
	})
}

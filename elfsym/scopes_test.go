package elfsym_test

import (
	"path/filepath"
	"testing"

	"pushmask/core/coretest"
	"pushmask/elfsym"
	"pushmask/elfsym/die"
	"pushmask/elfsym/scope"
)

// TestRustVariantParts reads every type of Rust firmware. readelf counts the
// DW_TAG_variant_part entries.
func TestRustVariantParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file     string
		variants int
	}{
		{"RP2040_full_unwind.elf", 438},
	} {
		m := open(t, filepath.Join(coretest.Shared(t, "dumps/probe-rs"), tt.file), elfsym.Options{})
		p := m.Scopes()
		types, variants := 0, 0
		p.Data().All(die.Types, func(e die.Entry) bool {
			typ := p.Types.At(e.Offset)
			types++
			if typ.IsRecord() {
				l, err := typ.Layout()
				if err != nil {
					t.Error(err)
				}
				variants += len(l.Variants)
			}
			return true
		})
		if variants != tt.variants {
			t.Errorf("%s: %d variant parts in %d types, want %d", tt.file, variants, types, tt.variants)
		}
	}
}

// TestScopesOfMovedProgram looks the same variables up in a program that was
// loaded elsewhere than where it is linked.
func TestScopesOfMovedProgram(t *testing.T) {
	t.Parallel()
	const bias = 0x20000
	path := "../testdata/firmware/m7-Og/fw.elf"
	m, moved := open(t, path, elfsym.Options{}), open(t, path, elfsym.Options{Bias: bias})
	n := 0
	m.Scopes().EachGlobal(func(v *scope.Variable) bool {
		want, ok := v.StaticAddress()
		if !ok {
			return true
		}
		list := moved.Scopes().Globals(v.QualifiedName())
		if len(list) != 1 {
			t.Errorf("%s: %d variables in the moved program", v.Name, len(list))
			return true
		}
		if got, _ := list[0].StaticAddress(); got != want+bias {
			t.Errorf("%s at %#x, want %#x", v.Name, got, want+bias)
		}
		n++
		return true
	})
	if n == 0 {
		t.Error("no variables")
	}
	for _, f := range m.Functions() {
		a, b := m.Scopes().At(f.Entry+2), moved.Scopes().At(f.Entry+2+bias)
		if len(a) != len(b) {
			t.Errorf("%s: %d scopes, %d in the moved program", f.Name, len(a), len(b))
		}
	}
}

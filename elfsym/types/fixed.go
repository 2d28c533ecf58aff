package types

import (
	"debug/dwarf"
	"math/big"
	"slices"
	"strings"
)

// Attributes of the constant that DW_AT_small refers to, as GNAT writes it
// (https://sourceware.org/gdb DW_AT_GNU_numerator and DW_AT_GNU_denominator).
const (
	attrGNUNumerator   dwarf.Attr = 0x2303
	attrGNUDenominator dwarf.Attr = 0x2304
)

// maxScale bounds the exponent of a scale.
const maxScale = 256

// IsFixed reports whether t is a base type of fixed-point numbers.
func (t *Type) IsFixed() bool {
	return t.Kind == Base && (t.Encoding == SignedFixed || t.Encoding == UnsignedFixed)
}

// Scale returns what one unit of a fixed-point number is worth: DW_AT_binary_scale,
// DW_AT_decimal_scale or DW_AT_small (DWARF 5, 5.1), and for types of Embedded C,
// which compilers do not scale, what their names mean on ARM. It is false where
// nothing tells.
func (t *Type) Scale() (*big.Rat, bool) {
	if !t.IsFixed() {
		return nil, false
	}
	if n, ok := t.Entry.Int(dwarf.AttrBinaryScale); ok {
		return power(2, n)
	}
	if n, ok := t.Entry.Int(dwarf.AttrDecimalScale); ok {
		return power(10, n)
	}
	if small, ok := t.Entry.Follow(dwarf.AttrSmall); ok {
		n, hasNumerator := small.Int(attrGNUNumerator)
		d, hasDenominator := small.Int(attrGNUDenominator)
		if !hasNumerator || !hasDenominator || n <= 0 || d <= 0 {
			return nil, false
		}
		return big.NewRat(n, d), true
	}
	bits, ok := fractionBits(t.TagName())
	if !ok {
		return nil, false
	}
	return power(2, -int64(bits))
}

// power returns base to the n.
func power(base, n int64) (*big.Rat, bool) {
	if n < -maxScale || n > maxScale {
		return nil, false
	}
	p := new(big.Int).Exp(big.NewInt(base), big.NewInt(max(n, -n)), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p), true
	}
	return new(big.Rat).SetInt(p), true
}

// fractionBits returns the bits behind the point of a type of Embedded C
// (ISO/IEC TR 18037, 4.1) on ARM: gcc's and clang's __ACCUM_FBIT__, __FRACT_FBIT__
// and their kin. Unsigned types have the bit of the sign too.
func fractionBits(name string) (int, bool) {
	words := strings.Fields(name)
	isAccum := slices.Contains(words, "_Accum")
	if !isAccum && !slices.Contains(words, "_Fract") {
		return 0, false
	}
	bits := 15
	switch {
	case slices.Contains(words, "short"):
		bits = 7
	case slices.Index(words, "long") != -1:
		bits = 31
		if n := slices.Index(words, "long"); !isAccum && slices.Contains(words[n+1:], "long") {
			bits = 63
		}
	}
	if slices.Contains(words, "unsigned") {
		bits++
	}
	return bits, true
}

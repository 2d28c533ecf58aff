package types

import "strings"

// FloatFormat is how a floating-point number is stored.
type FloatFormat uint8

// The formats.
const (
	NoFloat  FloatFormat = iota // of other types, and of sizes that ARM does not have
	Binary16                    // IEEE 754-2008, 3.4
	// AlternativeHalf is Arm's own form of __fp16: as Binary16 without infinities
	// and NaNs, whose exponent is one of numbers up to 131008 (Armv7-A ARM A2.7.3).
	AlternativeHalf
	BFloat16 // the upper half of Binary32 (Arm ARM A1.4.5)
	Binary32
	Binary64
)

// FloatFormat returns the format of a type of floating-point numbers, of complex
// ones that of their parts.
func (t *Type) FloatFormat() FloatFormat {
	size, _ := t.Size()
	if t.Kind != Base || size > 16 {
		return NoFloat
	}
	switch t.Encoding {
	case Float, ImaginaryFloat:
	case ComplexFloat:
		size /= 2
	default:
		return NoFloat
	}
	switch size {
	case 2:
		switch name := t.TagName(); {
		case strings.Contains(name, "bf16"), strings.Contains(name, "bfloat16"):
			return BFloat16
		case t.reader.AlternativeHalf && strings.Contains(name, "__fp16"):
			return AlternativeHalf
		}
		return Binary16
	case 4:
		return Binary32
	case 8:
		return Binary64
	}
	return NoFloat
}

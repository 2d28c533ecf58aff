package inspect

import (
	"errors"
	"math"
	"strconv"

	"pushmask/elfsym/types"
)

// floatFormat is how a floating-point number of a type is stored.
func (t *Type) floatFormat() types.FloatFormat {
	if t.dwarf != nil {
		return t.dwarf.FloatFormat()
	}
	return formatOfSize(t.size)
}

// formatOfSize is the format of C's own types.
func formatOfSize(size uint32) types.FloatFormat {
	switch size {
	case 2:
		return types.Binary16
	case 4:
		return types.Binary32
	case 8:
		return types.Binary64
	}
	return types.NoFloat
}

// decodeFloat decodes a floating-point number.
func decodeFloat(n uint64, f types.FloatFormat) (float64, error) {
	switch f {
	case types.Binary16:
		return decodeHalf(uint16(n), true), nil
	case types.AlternativeHalf:
		return decodeHalf(uint16(n), false), nil
	case types.BFloat16:
		return float64(math.Float32frombits(uint32(n) << 16)), nil
	case types.Binary32:
		return float64(math.Float32frombits(uint32(n))), nil
	case types.Binary64:
		return math.Float64frombits(n), nil
	}
	return 0, errFloat
}

var errFloat = errors.New("floating-point numbers of this size are not known")

// encodeFloat is the inverse of decodeFloat; it rounds to the nearest number.
func encodeFloat(x float64, f types.FloatFormat) uint64 {
	switch f {
	case types.Binary16:
		return uint64(encodeHalf(x, true))
	case types.AlternativeHalf:
		return uint64(encodeHalf(x, false))
	case types.BFloat16:
		return uint64(roundBits(math.Float32bits(float32(x)), x))
	case types.Binary32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// roundBits rounds binary32 to its upper half, to even where both are as near.
func roundBits(n uint32, x float64) uint16 {
	if math.IsNaN(x) {
		return uint16(n>>16) | 1<<6 // quiet, whatever is cut off
	}
	return uint16((n + 0x7fff + n>>16&1) >> 16)
}

// Parts of binary16 (IEEE 754-2008, 3.4).
const (
	halfFraction = 10 // bits
	halfBias     = 15
	halfTop      = 0x1f // the exponent of infinities and NaNs
)

// decodeHalf decodes 16 bits. Without infinities the top exponent is one of
// numbers.
func decodeHalf(h uint16, hasInf bool) float64 {
	exp, frac := int(h>>halfFraction&halfTop), float64(h&(1<<halfFraction-1))
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	switch {
	case exp == halfTop && hasInf && frac != 0:
		return math.NaN()
	case exp == halfTop && hasInf:
		return math.Inf(int(sign))
	case exp == 0:
		return math.Copysign(math.Ldexp(frac, 1-halfBias-halfFraction), sign)
	}
	return sign * math.Ldexp(1+frac/(1<<halfFraction), exp-halfBias)
}

// encodeHalf rounds to the nearest number of 16 bits, to even where two are as
// near. What is too large is infinite, or the largest number without infinities,
// which have no NaN either: 0 stands for it (Armv7-A ARM A2.7.3).
func encodeHalf(x float64, hasInf bool) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign = 1 << 15
	}
	top := uint16(halfTop<<halfFraction - 1) // the largest finite number
	if !hasInf {
		top = 1<<15 - 1
	}
	_, exp := math.Frexp(x) // x is 0.5 to 1 times 2 to the exp
	exp = max(exp-1, 1-halfBias)
	units := math.RoundToEven(math.Ldexp(math.Abs(x), halfFraction-exp))
	switch {
	case x == 0:
		return sign
	case math.IsNaN(x) && hasInf:
		return sign | halfTop<<halfFraction | 1<<(halfFraction-1)
	case math.IsNaN(x):
		return sign
	case math.IsInf(x, 0) || exp > halfTop+1 || int64(units)+int64(exp+halfBias-1)<<halfFraction > int64(top):
		if hasInf {
			top++
		}
		return sign | top
	}
	// A subnormal number has the exponent of the smallest normal one, less its
	// leading bit, and so has no bits of the exponent set.
	return sign | uint16(int64(units)+int64(exp+halfBias-1)<<halfFraction)
}

// largestWhole is where whole numbers of 16 bits end to be written in full.
const largestWhole = 1 << 17

// floatText writes the shortest decimal number that is read back as the same; whole
// numbers of 16 bits are written in full.
func floatText(x float64, f types.FloatFormat) string {
	switch f {
	case types.Binary64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case types.Binary32:
		return strconv.FormatFloat(x, 'g', -1, 32)
	}
	if x == math.Trunc(x) && math.Abs(x) < largestWhole {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	text := ""
	for digits := 1; digits <= 9; digits++ {
		text = strconv.FormatFloat(x, 'g', digits, 64)
		if y, err := strconv.ParseFloat(text, 64); err == nil && encodeFloat(y, f) == encodeFloat(x, f) {
			break
		}
	}
	return text
}

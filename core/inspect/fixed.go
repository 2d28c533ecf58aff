package inspect

import (
	"errors"
	"math/big"
	"strings"
)

func (t *Type) isFixed() bool { return t.dwarf != nil && t.dwarf.IsFixed() }

// rational returns a fixed-point number as it is.
func (v *Value) rational(t *Type) (*big.Rat, error) {
	scale, ok := t.dwarf.Scale()
	if !ok {
		return nil, errScale
	}
	n, err := v.bits()
	if err != nil {
		return nil, err
	}
	units := number{typ: t, i: v.extended(n, t)}.big()
	return new(big.Rat).Mul(new(big.Rat).SetInt(units), scale), nil
}

// Errors of fixed-point numbers.
var (
	errScale = errors.New("nothing tells how the fixed-point number is scaled")
	errRange = errors.New("the number is out of the range of the type")
)

// toFixed converts x to a fixed-point number: the nearest one, and of two that
// are as near the larger.
func toFixed(x number, t *Type) (number, error) {
	scale, ok := t.dwarf.Scale()
	if !ok {
		return number{}, errScale
	}
	exact := new(big.Rat)
	if x.isFloat() {
		if exact.SetFloat64(x.f) == nil {
			return number{}, errRange
		}
	} else {
		exact.SetInt(x.big())
	}
	exact.Quo(exact, scale)
	exact.Add(exact, big.NewRat(1, 2))
	units := new(big.Int).Div(exact.Num(), exact.Denom()) // towards minus infinity: the denominator is positive
	size, _ := t.Size()
	fits := wideNumber(wideBytes(units, min(size, 8)), t.isSigned())
	if fits.Cmp(units) != 0 {
		return number{}, errRange
	}
	return number{typ: t, i: fits.Uint64() | uint64(fits.Int64())}, nil
}

// maxDigits bounds the digits behind the point of a fixed-point number.
const maxDigits = 40

// fixedText writes a fixed-point number in full, as far as its digits come to an
// end; others are cut.
func fixedText(x *big.Rat) string {
	digits, exact := x.FloatPrec()
	if !exact || digits > maxDigits {
		digits = min(max(digits, 17), maxDigits)
	}
	text := x.FloatString(digits)
	if !exact {
		text = strings.TrimRight(text, "0")
	}
	return strings.TrimSuffix(text, ".")
}

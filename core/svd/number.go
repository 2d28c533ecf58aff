package svd

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// number parses a scaledNonNegativeInteger: decimal, hexadecimal after 0x,
// binary after # (0b in some files), with a factor k, M, G or T of 1024 and its
// powers. Suffixes of C (UL) are passed over, since generators leave them in.
func number(s string) (uint64, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "+")
	digits, base := splitBase(s)
	if base != 2 {
		digits = strings.TrimRight(digits, "uUlL")
	}
	shift := 0
	if n := len(digits); n > 0 {
		if k := strings.IndexByte("kmgt", digits[n-1]|0x20); k >= 0 {
			shift, digits = 10*(k+1), digits[:n-1]
		}
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil || bits.Len64(v)+shift > 64 {
		return 0, false
	}
	return v << shift, true
}

// splitBase takes the mark of its base off a number.
func splitBase(s string) (digits string, base int) {
	switch {
	case len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x':
		return s[2:], 16
	case len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'b':
		return s[2:], 2
	case len(s) > 0 && s[0] == '#':
		return s[1:], 2
	}
	return s, 10
}

// integer parses an xs:integer that fits an interrupt number; vendor files
// write some in hexadecimal.
func integer(s string) (int, bool) {
	s = strings.TrimSpace(s)
	v, ok := number(strings.TrimPrefix(s, "-"))
	if !ok || v > math.MaxInt32 {
		return 0, false
	}
	if strings.HasPrefix(s, "-") {
		return -int(v), true
	}
	return int(v), true
}

// pattern parses an enumeratedValueDataType: a number, or a binary one with x
// for bits that do not matter. mask has the bits that do.
func pattern(s string) (value, mask uint64, ok bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "+")
	digits, base := splitBase(s)
	if base != 2 || !strings.ContainsAny(digits, "xX") {
		value, ok = number(s)
		return value, ^uint64(0), ok
	}
	if len(digits) > 64 {
		return 0, 0, false
	}
	mask = ^ones(len(digits))
	for i, c := range []byte(digits) {
		bit := uint64(1) << (len(digits) - 1 - i)
		switch c {
		case '1':
			value |= bit
			mask |= bit
		case '0':
			mask |= bit
		case 'x', 'X':
		default:
			return 0, 0, false
		}
	}
	return value, mask, true
}

// bitRange parses a bitRangeType: "[7:0]", also "[3]" and "7:0".
func bitRange(s string) (msb, lsb uint64, ok bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "["), "]")
	high, low, two := strings.Cut(s, ":")
	msb, ok = number(high)
	if !two {
		return msb, msb, ok
	}
	lsb, lowOK := number(low)
	return msb, lsb, ok && lowOK
}

// boolean parses an xs:boolean, in any case.
func boolean(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return s == "true" || s == "1"
}

package inspect

import (
	"math"
	"testing"

	"pushmask/elfsym/types"
)

// TestHalfRoundTrip decodes all numbers of 16 bits and encodes them again.
func TestHalfRoundTrip(t *testing.T) {
	t.Parallel()
	for _, f := range []types.FloatFormat{types.Binary16, types.AlternativeHalf, types.BFloat16} {
		for n := range uint64(1 << 16) {
			x, err := decodeFloat(n, f)
			if err != nil {
				t.Fatal(err)
			}
			back := encodeFloat(x, f)
			if again, _ := decodeFloat(back, f); back != n && !(math.IsNaN(x) && math.IsNaN(again)) {
				t.Fatalf("format %d: %#04x is %v, which is %#04x", f, n, x, back)
			}
			if f == types.AlternativeHalf && (math.IsNaN(x) || math.IsInf(x, 0)) {
				t.Fatalf("%#04x is %v in the format without such", n, x)
			}
		}
	}
}

// TestHalfRounding encodes numbers that lie between two of 16 bits.
func TestHalfRounding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x    float64
		f    types.FloatFormat
		want uint64
	}{
		{1, types.Binary16, 0x3c00}, {1 + 1.0/2048, types.Binary16, 0x3c00}, {1 + 3.0/2048, types.Binary16, 0x3c02}, {1 + 1.1/2048, types.Binary16, 0x3c01},
		{65504, types.Binary16, 0x7bff}, {65519, types.Binary16, 0x7bff}, {65520, types.Binary16, 0x7c00}, {-1e30, types.Binary16, 0xfc00},
		{0x1p-24, types.Binary16, 1}, {0x1p-25, types.Binary16, 0}, {0x1.8p-25, types.Binary16, 1}, {1023.6 * 0x1p-24, types.Binary16, 0x400},
		{math.Copysign(0, -1), types.Binary16, 0x8000}, {math.NaN(), types.Binary16, 0x7e00},
		{65536, types.AlternativeHalf, 0x7c00}, {131008, types.AlternativeHalf, 0x7fff}, {1e9, types.AlternativeHalf, 0x7fff},
		{math.Inf(-1), types.AlternativeHalf, 0xffff}, {math.NaN(), types.AlternativeHalf, 0},
		{1, types.BFloat16, 0x3f80}, {1 + 1.0/256, types.BFloat16, 0x3f80}, {1 + 3.0/256, types.BFloat16, 0x3f82}, {3.4e38, types.BFloat16, 0x7f80},
		{math.NaN(), types.BFloat16, 0x7fc0},
	} {
		if got := encodeFloat(c.x, c.f); got != c.want {
			t.Errorf("%v in format %d is %#04x, want %#04x", c.x, c.f, got, c.want)
		}
	}
	for want, x := range map[string]float64{"0.1": 0.0999755859375, "65504": 65504, "+Inf": math.Inf(1), "6e-08": 0x1p-24, "0": 0, "131008": 131008, "-2049": -2049} {
		if got := floatText(x, types.Binary16); got != want {
			t.Errorf("%v is shown as %s, want %s", x, got, want)
		}
	}
}

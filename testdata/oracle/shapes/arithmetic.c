/* What becomes calls of libgcc and libm: division, 64 bits, float, double. */
#include "shapes.h"

#include <math.h>

static volatile float one_half = 0.5f;
static volatile double two = 2.0;
static volatile uint64_t wide = 0xfedcba9876543210u;

SHAPE uint64_t wide_division(uint64_t a, uint64_t b) { return a / b + a % (b + (unsigned)leaf(2)); }

SHAPE int64_t signed_division(int64_t a, int b) { return a / b - a % (leaf(b) | 1); }

SHAPE int narrow_division(int a, int b) { return a / b + a % (b + 3) + (int)((unsigned)a / (unsigned)(b + 1)); }

SHAPE float floats(float a, float b) {
  float root = sqrtf(a * a + b);
  sink = (int)root;
  return root * one_half + (float)leaf(1) / (a + b);
}

SHAPE double doubles(double a, int n) {
  double sum = 0;
  for (int i = 1; i < n; i++) {
    sum += sin(a * i) / i + (double)floats((float)i, (float)a) * two;
  }
  return sum > 1e6 ? sum - exp(a) : sum + pow(a, 1.5);
}

SHAPE float kept_in_registers(float a, float b, float c, float d) {
  float e = a * b, f = b * c, g = c * d, h = d * a;
  sink = leaf((int)a);
  float i = e + f * g, j = h - e;
  sink += leaf((int)i);
  return e * f + g * h + i * j;
}

SHAPE double many_doubles(double a, double b) {
  double c = a * b, d = a + b, e = a - b;
  int k = leaf(3);
  double f = c * d, g = d * e;
  return c + d * k + e + f * leaf(4) + g;
}

int arithmetic(int seed) {
  int sum = (int)wide_division(wide, (unsigned)seed + 77) + (int)signed_division(-(int64_t)(wide >> 3), seed + 9);
  sum += narrow_division(99999, seed + 2);
  sum += (int)doubles(1.25 + seed, 2) + (int)kept_in_registers(1, 2, (float)seed, 4);
  return sum + (int)many_doubles(seed, two);
}

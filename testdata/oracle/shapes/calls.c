/* Leaves, tail calls, shrink-wrapping, recursion, variadic functions, structs by value. */
#include "shapes.h"

#include <stdarg.h>

struct block {
  int cells[24];
};

SHAPE int leaf(int a) { return a * 5 + sink; }

SHAPE int leaf_with_locals(int a) {
  volatile int box[4];
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    box[i] = a + i;
  }
  for (int i = 3; i >= 0; i--) {
    sum = sum * 3 + box[i];
  }
  return sum;
}

SHAPE int tail_call(int a) {
  sink = a;
  return leaf(a ^ 3);
}

SHAPE int shrink_wrapped(const int *values, int n) {
  if (!values) {
    return -1;
  }
  if (n > 40) {
    return n;
  }
  int product = 1;
  for (int i = 0; i < n; i++) {
    product += leaf(values[i]) ^ tail_call(i);
  }
  return product;
}

SHAPE int early_return(int a) {
  if (a < 0) {
    return leaf(a);
  }
  if (a & 1) {
    int kept = leaf(a + 1);
    return kept + leaf_with_locals(kept);
  }
  return tail_call(a);
}

SHAPE int variadic(int n, ...) {
  va_list list;
  int sum = 0;
  va_start(list, n);
  while (n-- > 0) {
    sum += leaf(va_arg(list, int));
  }
  va_end(list);
  return sum;
}

SHAPE struct block by_value(struct block in, int k) {
  for (int i = 0; i < 24; i += 8) {
    in.cells[i] += leaf(k - i);
  }
  return in;
}

SHAPE int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  int x = leaf(a - b), y = tail_call(c - d), z = leaf_with_locals(e - f), w = leaf(g - h);
  return x * a + y * b + z * c + w * d + e * f + g * h + i * j;
}

SHAPE int recursive(int depth, int k) {
  if (depth == 0) {
    static const int values[] = {3, 1, 4, 1, 5};
    return shrink_wrapped(values, 5);
  }
  int below = recursive(depth - 1, k * 2);
  return (k & 1 ? leaf(below) : early_return(below)) + depth;
}

SHAPE int odd(int n);
SHAPE int even(int n) { return n == 0 ? leaf(1) : odd(n - 1) + 1; }
SHAPE int odd(int n) { return n == 0 ? leaf(0) : even(n - 1) + 2; }

SHAPE int through_pointer(int (*f)(int), int a) { return f(a) + f(a + 1); }

int calls(int seed) {
  static int (*const functions[])(int) = {leaf, tail_call, leaf_with_locals, early_return};
  struct block b = {{seed}};
  int sum = recursive(5, seed) + even(5) + early_return(-seed);
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    sum += through_pointer(functions[i], seed);
  }
  b = by_value(b, seed);
  sum += variadic(6, 1, 2, 3, seed, 5, 6) + b.cells[7] + shrink_wrapped(0, 1);
  return sum + many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9, seed);
}

/* Frames of a size known at run time only, large frames, realigned stacks, code in RAM. */
#include "shapes.h"

#include <alloca.h>
#include <string.h>

SHAPE int variable_array(int n) {
  int values[n + 2];
  for (int i = 0; i < n + 2; i++) {
    values[i] = leaf(i * n);
  }
  return shrink_wrapped(values, n) + leaf_with_locals(values[n + 1]);
}

SHAPE int allocating(int n) {
  int sum = 0;
  for (int i = 1; i <= n; i++) {
    char *text = alloca((unsigned)i * 12);
    memset(text, i, (unsigned)i * 12);
    sum += leaf(text[i]);
  }
  return sum;
}

SHAPE int medium_frame(int n) {
  volatile char room[700];
  room[n & 127] = (char)n;
  return leaf(room[n & 127]) + room[5];
}

SHAPE int large_frame(int n) {
  volatile char room[10000];
  room[0] = (char)n;
  room[9999] = 9;
  return leaf_with_locals(room[9999]) + room[0] + medium_frame(n);
}

SHAPE int realigned(int n) {
  volatile int box[16] __attribute__((aligned(32)));
  for (int i = 0; i < 16; i += 5) {
    box[i] = leaf(i + n);
  }
  return box[n & 15];
}

__attribute__((optimize("no-omit-frame-pointer"))) SHAPE int frame_pointer(int n) {
  volatile int box[5] = {n, n + 1};
  return leaf(box[1]) + tail_call(box[0]);
}

__attribute__((section(".ramcode"), long_call)) SHAPE int in_ram(int n) {
  int product = 1;
  for (int i = 1; i < n; i++) {
    product = product * i + n;
  }
  return product;
}

__attribute__((section(".ramcode"), long_call)) SHAPE int in_ram_with_calls(int (*f)(int), int n) {
  int a = f(n), b = f(n + 1);
  return a - b + in_ram(n);
}

int frames(int seed) {
  int sum = variable_array(seed + 3) + allocating(3) + large_frame(seed) + realigned(seed);
  return sum + frame_pointer(seed) + in_ram(seed + 4) + in_ram_with_calls(leaf, seed);
}

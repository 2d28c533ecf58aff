/* One function for each thing that a step must get right. */
#include "steps.h"

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int leaf(int x) {
  int y = x * 3;
  return y + 1;
}

NOINLINE int nested(int x) {
  int a = leaf(x);
  int b = leaf(a);
  return a + b;
}

NOINLINE int factorial(int n) {
  if (n <= 1) {
    return 1;
  }
  return n * factorial(n - 1);
}

static inline __attribute__((always_inline)) int clamp(int x, int high) {
  if (x > high) {
    x = high;
  }
  return x;
}

NOINLINE int inlined(int x) {
  int y = clamp(x, 10);
  y += clamp(y + 1, 5);
  return y;
}

NOINLINE int tail(int x) {
  x += 2;
  return leaf(x);
}

NOINLINE int through_pointer(int (*f)(int), int x) {
  int y = f(x);
  return y - 1;
}

NOINLINE int loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += i;
  }
  return sum;
}

NOINLINE int one_line(int n) {
  int sum = 0;
  while (n > 0) { sum += n; n--; }
  return sum;
}

/* RAM is too far away for a BL: the linker puts a veneer between. */
__attribute__((noinline, noclone, section(".ramcode"))) int far_away(int x) {
  int y = x + 5;
  return y * 2;
}

NOINLINE int choose(int x) {
  switch (x & 3) {
  case 0: return leaf(x);
  case 1: return x + 10;
  case 2: return x - 10;
  default: break;
  }
  return x;
}

static volatile int counted;

NOINLINE void count_one(int i) {
  counted = i;
}

NOINLINE int count(int n) {
  for (int i = 0; i < n; i++) {
    count_one(i);
  }
  return counted;
}

static uint32_t context[10];

NOINLINE int dive(int depth) {
  if (depth > 0) {
    return dive(depth - 1) + 1;
  }
  if (context[0] != 1) {
    restore_context(context, 7);
  }
  return 0;
}

NOINLINE int jump_back(int depth) {
  int value = save_context(context);
  if (value == 0) {
    dive(depth);
  }
  return value;
}

NOINLINE uint32_t read_word(uint32_t address) {
  return *(volatile uint32_t *)address;
}

NOINLINE void undefined(void) {
  __builtin_trap();
}

NOINLINE void spin(void) {
  while (1);
}

NOINLINE void wait(void) {
  for (;;) {
    __asm volatile("wfi" ::: "memory");
  }
}

NOINLINE int tour(int n) {
  int sum = leaf(n);
  sum += nested(n);
  sum += factorial(4);
  sum += inlined(n);
  sum += tail(n);
  sum += through_pointer(leaf, n);
  sum += loop(3);
  sum += one_line(5);
  sum += far_away(n);
  sum += choose(n);
  sum += select_sign(n - 3);
  sum += call_by_pop(n);
  sum += no_lines(n);
  sum += no_lines_calls(leaf, n);
  sum += supervise(n);
  sum += shapes(n);
  return sum;
}

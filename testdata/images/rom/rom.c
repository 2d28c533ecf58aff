#include "rom.h"

#include "board.h"

NOINLINE static int add(int a, int b) { return a + b; }

int rom_sum(const int *list, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum = add(sum, list[i]);
  }
  return sum;
}

NOINLINE static void swap(int *a, int *b) {
  int c = *a;
  *a = *b;
  *b = c;
}

void rom_sort(int *list, int n, int (*compare)(int, int)) {
  for (int i = 1; i < n; i++) {
    for (int k = i; k > 0 && compare(list[k - 1], list[k]) > 0; k--) {
      swap(&list[k - 1], &list[k]);
    }
  }
}

NOINLINE static void set(volatile uint32_t *where, uint32_t value) { *where = value; }

void rom_fill(volatile uint32_t *where, int n, uint32_t value) {
  for (int i = 0; i < n; i++) {
    set(&where[i], value + (uint32_t)i);
  }
}

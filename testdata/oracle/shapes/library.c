/* Newlib: callbacks, formatted output, memory, strings. */
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_leaf(const void *a, const void *b) { return leaf(*(const int *)a) - leaf(*(const int *)b); }

SHAPE int sorted(int n) {
  int values[9];
  for (int i = 0; i < 9; i++) {
    values[i] = (i * 6007 + n) % 89;
  }
  qsort(values, 9, sizeof *values, by_leaf);
  const int key = values[n & 7];
  const int *found = bsearch(&key, values, 9, sizeof *values, by_leaf);
  return found ? *found : -1;
}

SHAPE int formatted(int n) {
  char text[64];
  int length = snprintf(text, sizeof text, "%d %5s %08x %c %lu", n, "xyz", (unsigned)sink, 'a' + n, 70000ul);
  printf("%s %p\n", text, (void *)text);
  return length + atoi(text) + (int)strtol("0x7f", 0, 0);
}

SHAPE int heap(int n) {
  char *a = malloc((unsigned)n + 100), *b = calloc(3, (unsigned)n + 7);
  strcpy(a, "a longer text than fits a word");
  memcpy(b, a, (unsigned)n + 3);
  int differ = strcmp(a, b) + memcmp(a, b, 3) + (strchr(a, 'w') != 0);
  a = realloc(a, 300);
  free(b);
  free(a);
  return differ;
}

int library(int seed) { return sorted(seed) + formatted(seed) + heap(seed); }

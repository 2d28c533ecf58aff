/* setjmp, longjmp, functions that do not return. */
#include "shapes.h"

#include <setjmp.h>
#include <stdlib.h>

static jmp_buf landing;

__attribute__((noreturn)) SHAPE void give_up(int code) { longjmp(landing, code); }

SHAPE int digging(int depth) {
  if (depth > 3) {
    give_up(depth);
  }
  return digging(depth + 1) + leaf(depth);
}

__attribute__((noreturn)) SHAPE void checked(int value) {
  sink = leaf(value);
  digging(value);
  abort();
}

SHAPE int landed(int seed) {
  int code = setjmp(landing);
  if (code == 0) {
    checked(seed & 1);
  }
  return leaf(code);
}

int jumps(int seed) { return landed(seed) + landed(seed + 1); }

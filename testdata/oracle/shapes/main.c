#include "shapes.h"

volatile int sink;

#ifdef CPLUSPLUS
#define GROUPS cplusplus
#elif defined(ASSEMBLY)
#define GROUPS assembly
#elif defined(MODES)
#define GROUPS exceptions, calls, tables, handwritten
#else
#define GROUPS calls, frames, tables, handwritten, jumps, arithmetic, library
#endif

int main(void) {
  static int (*const groups[])(int) = {GROUPS};
  interrupts_start();
  for (int round = 0; round < 2; round++) {
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
      sink += groups[i](round + (int)i);
    }
  }
  return sink;
}

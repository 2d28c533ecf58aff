// Calls all units; the program stops in the middle of one of them.
#include "units.h"

#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11)
#define DECLARE(n) namespace unit##n { int enter(int); }
#define CALL(n) +unit##n::enter(x)
EACH(DECLARE)

volatile int last;

__attribute__((noinline)) void stop_here(int weight) {
  last = weight;
  for (;;) {
  }
}

int main() {
  int x = wanted(9, 20);
  last = 0 EACH(CALL);
}

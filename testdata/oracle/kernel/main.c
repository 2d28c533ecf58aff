/* Threads that compute, recurse, sleep and yield; their entries are left in
   several ways. */
#include "kernel.h"

#include "shapes.h"

#define WORDS 2048

volatile int sink;
static uint32_t stacks[4][WORDS] __attribute__((section(".noinit"), aligned(8)));
static volatile int finished;

__attribute__((noinline, noreturn)) void oracle_end(void);

/* thread_exit is where the entry of a thread would return to. */
static void thread_exit(void) {
  for (;;) {
    sink++;
  }
}

SHAPE int dig(int depth) {
  if (depth == 0) {
    kernel_yield();
    return leaf(sink);
  }
  int below = dig(depth - 1);
  return below + leaf_with_locals(depth);
}

static void idle(int n) {
  for (;;) {
    __asm volatile("nop");
    sink += n;
  }
}

static void compute(int n) {
  for (int i = 0; i < 3; i++) {
    sink += calls(n + i) + arithmetic(i);
    kernel_yield();
  }
  finished++;
  for (;;) {
    kernel_sleep(100);
  }
}

static void recurse(int n) {
  for (;;) {
    sink += dig(n & 7) + frames(n);
    kernel_sleep(1 + (n++ & 1));
  }
}

static void check(int n) {
  while (finished < 1) {
    kernel_yield();
    sink += n;
  }
  oracle_end();
}

int main(void) {
  kernel_create(0, idle, 0xffffffffu, stacks[0], WORDS);
  kernel_create(1, compute, (uint32_t)thread_exit, stacks[1], WORDS);
  kernel_create(2, recurse, 0, stacks[2], WORDS);
  kernel_create(3, check, (uint32_t)thread_exit, stacks[3], WORDS);
  kernel_start();
  return 0;
}

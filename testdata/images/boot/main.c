/* The boot loader: checks the application, enters it, and serves it. */
#include "board.h"
#include "services.h"

struct config {
  uint32_t magic;
  uint16_t boots;
  uint16_t tries;
  const char *reason;
};

static struct config config = {0xb007b007u, 0, 3, "power on"};
static int state = 1;

NOINLINE static int rotate(int sum, int by) { return (int)((uint32_t)sum << 1 | (uint32_t)sum >> 31) ^ by; }

NOINLINE static int checksum(const uint8_t *data, uint32_t size) {
  int sum = (int)size;
  for (uint32_t i = 0; i < size; i++) {
    sum = rotate(sum, data[i]);
  }
  return sum + 1;
}

NOINLINE static int each(const int *list, int n, int (*visit)(int)) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += visit(list[i]);
  }
  return sum;
}

NOINLINE static void put(volatile uint32_t *where, uint32_t value) { *where = value; }

NOINLINE static int store(volatile uint32_t *where, uint32_t value) {
  put(where, value);
  return rotate((int)value, 3);
}

__attribute__((section(".services"), used)) const struct services services = {1, checksum, each, store};

#ifdef __ARM_ARCH_6M__
/* There is no VTOR: what has a handler in the application goes there. */
#define FORWARD(name, offset)                                                                 \
  __attribute__((naked)) void name(void) {                                                    \
    __asm volatile(".syntax unified\n ldr r0, 1f\n ldr r1, [r0, #8]\n cmp r1, #0\n beq 2f\n"  \
                   "ldr r0, [r0, #4]\n ldr r0, [r0, #" #offset "]\n bx r0\n 2: b 2b\n"        \
                   ".align 2\n 1: .word 0x20003ff0");                                         \
  }
FORWARD(HardFault_Handler, 12)
FORWARD(SysTick_Handler, 60)
#else
void HardFault_Handler(void) {
  state = -1;
  for (;;) {
  }
}
#endif

#ifdef PLACED
/* What a position-independent application tells behind its vectors. */
struct placement {
  uint32_t rel_start, rel_end;
};

struct rel {
  uint32_t offset, info;
};

enum { R_ARM_RELATIVE = 23 }; /* AAELF32, 5.6.1.7 */

NOINLINE static void relocate(uint32_t base) {
  const struct placement *p = (const struct placement *)(base + 64);
  const struct rel *end = (const struct rel *)(base + p->rel_end);
  for (const struct rel *r = (const struct rel *)(base + p->rel_start); r < end; r++) {
    if ((r->info & 0xff) == R_ARM_RELATIVE) {
      REG(base + r->offset) += base;
    }
  }
}
#endif

NOINLINE static int verify(const uint32_t *app) {
  config.boots++;
  int sum = checksum((const uint8_t *)app, 64);
  if (HANDOVER->scenario == CRASH_BOOT) {
    sum += store(NOWHERE, 1);
  }
  return sum;
}

__attribute__((noreturn)) static void enter(const uint32_t *app) {
  HANDOVER->entered = 1;
#ifndef __ARM_ARCH_6M__
  REG(0xe000ed08u) = (uint32_t)app; /* VTOR */
#endif
  __asm volatile("msr msp, %0\n bx %1" ::"r"(app[0]), "r"(app[1]));
  __builtin_unreachable();
}

int main(void) {
  const uint32_t *app = HANDOVER->app;
  HANDOVER->entered = 0;
  state = verify(app);
#ifdef PLACED
  relocate((uint32_t)app);
#endif
  enter(app);
}

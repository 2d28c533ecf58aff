/* Macros and a function that uses them, for macros.c, which includes it twice. */
#ifndef MACROS_H
#define MACROS_H
#include <stdint.h>

#define BIT(n) (1UL << (n))
#define REG_BASE 0x20000100UL
#define DEVICE ((struct device *)REG_BASE)
#define DEVICE_MASK (BIT(ENABLE_POS) | BIT(3))
#define ENABLE_POS 5
#define IN_HEADER 1

extern volatile int sink;

struct device {
  volatile uint32_t control, status;
};

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

KEPT static int in_header(int value) {
#define LOCAL_TO_HEADER (value + 1)
  sink = value;
  sink = LOCAL_TO_HEADER;
  sink = value + 2;
  return value + IN_HEADER;
#undef LOCAL_TO_HEADER
}
#undef IN_HEADER
#define IN_HEADER 2
#define AFTER_FUNCTION 3
#endif

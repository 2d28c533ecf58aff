#include "task.h"

#include <stdint.h>
#include <stdlib.h>

#define XPSR_THUMB 0x01000000u

static uint32_t stack[192] __attribute__((aligned(8)));
static void (*task_entry)(void);

/* A task must not return; this is its return address, as in most kernels. */
static void task_returned(void) { abort(); }

/* The frame that the SVC handler returns into (Armv7-M ARM B1.5.6). */
__attribute__((used)) static uint32_t *first_frame(void) {
  uint32_t *frame = &stack[sizeof stack / sizeof stack[0] - 8];
  frame[5] = (uint32_t)task_returned;
  frame[6] = (uint32_t)task_entry & ~1u;
  frame[7] = XPSR_THUMB;
  return frame;
}

__attribute__((naked)) void SVC_Handler(void) {
  __asm volatile("bl first_frame\n"
                 "msr psp, r0\n"
                 "mvn lr, #2\n" /* EXC_RETURN 0xfffffffd: thread mode, process stack */
                 "bx lr");
}

void task_start(void (*entry)(void)) {
  task_entry = entry;
  __asm volatile("svc 0" ::: "memory");
  abort();
}

/* SysTick at random times (a step in QEMU takes some thousand cycles), PendSV
   tail-chained to it, SVC. */
#include "shapes.h"

#if __ARM_ARCH_PROFILE == 'M'
#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define ICSR (*(volatile uint32_t *)0xe000ed04u)
#define SHPR3 (*(volatile uint32_t *)0xe000ed20u)

static uint32_t random_state = 12345;
static volatile int ticks;
static volatile float scale = 1.5f;

SHAPE int tick_work(int n) { return n > 0 ? tick_work(n - 1) + leaf(n) : (int)(scale * 3); }

void interrupts_start(void) {
  SHPR3 = 0x40c00000u;
  SYST_RVR = 200000;
  SYST_CSR = 7;
}

__attribute__((interrupt)) void SysTick_Handler(void) {
  random_state = random_state * 1664525u + 1013904223u;
  SYST_RVR = 400000 + (random_state >> 12); /* from the next round on */
  if ((++ticks & 3) == 0) {
    ICSR = 1u << 28; /* PENDSVSET */
  }
  if (ticks & 1) {
    sink += tick_work(ticks & 3);
  }
}

void PendSV_Handler(void) {
  volatile int box[3] = {ticks};
  box[1] = tick_work(1);
  sink += leaf_with_locals(box[1]);
}

void SVC_Handler(void) { sink += leaf(ticks); }
#elif !defined(MODES)
void interrupts_start(void) {}
#endif

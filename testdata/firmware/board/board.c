/* The MPS2 boards of QEMU. The link is canned: LINK_BYTES is what it receives. */
#include "board.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)
#define CPACR (*(volatile uint32_t *)0xe000ed88u)

static const uint8_t link_bytes[] = {LINK_BYTES};
static volatile unsigned ticks;

void board_init(void) {
#if __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FP)
  CPACR |= 0xfu << 20;
  __asm volatile("dsb\n isb" ::: "memory");
#endif
}

size_t board_receive(uint8_t *buffer, size_t size) {
  size_t n = sizeof link_bytes < size ? sizeof link_bytes : size;
  for (size_t i = 0; i < n; i++) {
    buffer[i] = link_bytes[i];
  }
  return n;
}

void board_tick_start(uint32_t cycles) {
  SYST_RVR = cycles;
  SYST_CVR = 0;
  SYST_CSR = 7;
}

void board_tick_stop(void) { SYST_CSR = 0; }

void board_tick_seen(void) { ticks++; }

void board_idle(void) { __asm volatile("wfi" ::: "memory"); }

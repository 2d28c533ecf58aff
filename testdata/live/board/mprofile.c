/* Vectors, reset and the timer of M-profile cores. */
#include "board.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)
#define CPACR (*(volatile uint32_t *)0xe000ed88u)
#define SHCSR (*(volatile uint32_t *)0xe000ed24u)

extern uint32_t __stack_top, __data_load, __data_start, __data_end, __bss_start, __bss_end;

int main(void);

volatile uint32_t ticks;

__attribute__((noinline)) static void tick(void) { ticks++; }

void SysTick_Handler(void) {
  tick();
}

void SVC_Handler(void) {
  ticks += 100;
}

void HardFault_Handler(void) {
  for (;;) {
  }
}

void MemManage_Handler(void) {
  for (;;) {
  }
}

void BusFault_Handler(void) {
  for (;;) {
  }
}

void UsageFault_Handler(void) {
  for (;;) {
  }
}

void Default_Handler(void) {
  for (;;) {
  }
}

void board_timer(uint32_t cycles) {
  SYST_CSR = 0;
  SYST_RVR = cycles;
  SYST_CVR = 0;
  SYST_CSR = cycles ? 7 : 0;
}

#ifdef SECOND_CORE
/* SSE-200: the second core waits until CPUWAIT is cleared, and finds its vectors
   at INITSVTOR1 (Arm CoreLink SSE-200 TRM, system control registers). */
#define INITSVTOR1 (*(volatile uint32_t *)0x50021114u)
#define CPUWAIT (*(volatile uint32_t *)0x50021118u)

volatile uint32_t second_counter;

__attribute__((noinline)) static void second_round(void) { second_counter++; }

__attribute__((noreturn)) static void second_main(void) {
  for (;;) {
    second_round();
  }
}

extern uint32_t __second_stack_top;

__attribute__((section(".second_vectors"), used, aligned(512))) static const void *const second_vectors[] = {
    &__second_stack_top, second_main, Default_Handler, HardFault_Handler,
};

static void start_second_core(void) {
  INITSVTOR1 = (uint32_t)second_vectors;
  CPUWAIT = 0;
}
#endif

__attribute__((noreturn)) void Reset_Handler(void) {
  const uint32_t *from = &__data_load;
  for (uint32_t *to = &__data_start; to < &__data_end;) {
    *to++ = *from++;
  }
  for (uint32_t *to = &__bss_start; to < &__bss_end;) {
    *to++ = 0;
  }
#ifndef __ARM_ARCH_6M__
  SHCSR = 7u << 16; /* MemManage, BusFault and UsageFault have their own handlers */
#endif
#ifdef __ARM_FP
  CPACR |= 0xfu << 20;
  __asm volatile("dsb\n isb" ::: "memory");
#endif
#ifdef SECOND_CORE
  start_second_core();
#endif
  main();
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    &__stack_top,      Reset_Handler,    Default_Handler,  HardFault_Handler,
    MemManage_Handler, BusFault_Handler, UsageFault_Handler, HardFault_Handler,
    0,                 0,                0,                SVC_Handler,
    Default_Handler,   0,                Default_Handler,  SysTick_Handler,
};

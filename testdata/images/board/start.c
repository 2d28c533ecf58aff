/* Vectors, reset and the timer of each image: the same names in all. */
#include "board.h"

extern uint32_t __stack_top, __data_load, __data_start, __data_end, __bss_start, __bss_end;

int main(void);
void HardFault_Handler(void);

__attribute__((weak)) void SVC_Handler(void) {}

__attribute__((weak)) void SysTick_Handler(void) {}

__attribute__((weak)) void UsageFault_Handler(void) { HardFault_Handler(); }

void Default_Handler(void) {
  for (;;) {
  }
}

void board_timer(uint32_t cycles) {
  REG(0xe000e010u) = 0; /* SYST_CSR */
  REG(0xe000e014u) = cycles;
  REG(0xe000e018u) = 0;
  REG(0xe000e010u) = 7;
}

__attribute__((noreturn)) void Reset_Handler(void) {
  const uint32_t *from = &__data_load;
  for (uint32_t *to = &__data_start; to < &__data_end;) {
    *to++ = *from++;
  }
  for (uint32_t *to = &__bss_start; to < &__bss_end;) {
    *to++ = 0;
  }
  main();
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    &__stack_top,    Reset_Handler,   Default_Handler,    HardFault_Handler,
    Default_Handler, Default_Handler, UsageFault_Handler, Default_Handler,
    0,               0,               0,                  SVC_Handler,
    Default_Handler, 0,               Default_Handler,    SysTick_Handler,
};

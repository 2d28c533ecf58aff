/* Vector table, reset and fault handlers for M-profile. */
#include <stdint.h>

extern uint32_t __stack_top, __data_load, __data_start, __data_end, __bss_start, __bss_end;

int main(void);

static volatile struct {
  uint32_t cfsr;
  uint32_t hfsr;
  uint32_t bfar;
} fault_record;

void HardFault_Handler(void) {
  fault_record.cfsr = *(volatile uint32_t *)0xe000ed28u;
  fault_record.hfsr = *(volatile uint32_t *)0xe000ed2cu;
  fault_record.bfar = *(volatile uint32_t *)0xe000ed38u;
  for (;;) {
  }
}

void Default_Handler(void) {
  for (;;) {
  }
}

__attribute__((weak, alias("Default_Handler"))) void SVC_Handler(void);
__attribute__((weak, alias("Default_Handler"))) void PendSV_Handler(void);
__attribute__((weak, alias("Default_Handler"))) void SysTick_Handler(void);

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
    &__stack_top,      Reset_Handler,     Default_Handler, HardFault_Handler,
    HardFault_Handler, HardFault_Handler, HardFault_Handler, HardFault_Handler,
    0,                 0,                 0,               SVC_Handler,
    Default_Handler,   0,                 PendSV_Handler,  SysTick_Handler,
};

/* Reset for A-profile. There are no exceptions: the firmware is only halted. */
#include <stdint.h>

extern uint32_t __stack_top, __data_load, __data_start, __data_end, __bss_start, __bss_end;

int main(void);

__attribute__((noreturn, used)) static void start(void) {
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

/* Sets the stack, gives access to the FPU (CPACR, FPEXC.EN) and never comes back. */
__attribute__((naked, noreturn, section(".vectors"))) void Reset_Handler(void) {
  __asm volatile("ldr sp, =__stack_top\n"
                 "mov r0, #0xf << 20\n"
                 "mcr p15, 0, r0, c1, c0, 2\n"
                 "isb\n"
                 "mov r0, #0x40000000\n"
                 "vmsr fpexc, r0\n"
                 "bl start\n"
                 ".ltorg");
}

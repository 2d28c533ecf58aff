/* Start-up of the programs whose variables are compared with gdb. */
#include <stdint.h>

extern uint32_t data_begin[], data_end[], data_load[], bss_begin[], bss_end[], stack_top[];
extern void (*init_begin[])(void), (*init_end[])(void);
int main(void);

void Reset_Handler(void) {
  const uint32_t *from = data_load;
  for (uint32_t *to = data_begin; to < data_end; to++) *to = *from++;
  for (uint32_t *to = bss_begin; to < bss_end; to++) *to = 0;
#ifdef HARD_FLOAT
  *(volatile uint32_t *)0xe000ed88u = 0xf << 20; /* CPACR: full access to the FPU */
  __asm volatile("dsb; isb");
#endif
  for (void (**f)(void) = init_begin; f < init_end; f++) (*f)();
  main();
  for (;;) {
  }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {stack_top, (const void *)Reset_Handler};

/* Vectors, reset and the timer of the virt board: GICv2 and the virtual timer. */
#include "board.h"

#define GICD_CTLR (*(volatile uint32_t *)0x08000000u)
#define GICD_ISENABLER0 (*(volatile uint32_t *)0x08000100u)
#define GICC_CTLR (*(volatile uint32_t *)0x08010000u)
#define GICC_PMR (*(volatile uint32_t *)0x08010004u)
#define GICC_IAR (*(volatile uint32_t *)0x0801000cu)
#define GICC_EOIR (*(volatile uint32_t *)0x08010010u)

enum { VIRTUAL_TIMER = 27 };

extern uint32_t __data_load, __data_start, __data_end, __bss_start, __bss_end;

int main(void);

volatile uint32_t ticks;
static volatile uint32_t period;

static void timer_next(void) { __asm volatile("mcr p15, 0, %0, c14, c3, 0" ::"r"(period)); } /* CNTV_TVAL */

__attribute__((noinline)) static void tick(void) { ticks++; }

__attribute__((interrupt("IRQ"), target("arm"))) void IRQ_Handler(void) {
  uint32_t interrupt = GICC_IAR;
  tick();
  timer_next();
  GICC_EOIR = interrupt;
}

__attribute__((interrupt("SWI"), target("arm"))) void SVC_Handler(void) {
  ticks += 100;
}

#define HANDLER(name) \
  __attribute__((naked, noreturn, target("arm"))) void name(void) { __asm volatile("b ."); }

HANDLER(Undefined_Handler)
HANDLER(Prefetch_Handler)
HANDLER(Data_Handler)
HANDLER(Default_Handler)

__attribute__((naked, noreturn, aligned(32), target("arm"))) static void exceptions(void) {
  __asm volatile("b Default_Handler\n"
                 "b Undefined_Handler\n"
                 "b SVC_Handler\n"
                 "b Prefetch_Handler\n"
                 "b Data_Handler\n"
                 "b Default_Handler\n"
                 "b IRQ_Handler\n"
                 "b Default_Handler");
}

void board_timer(uint32_t cycles) {
  period = cycles * 8;
  timer_next();
  __asm volatile("mcr p15, 0, %0, c14, c3, 1" ::"r"(cycles ? 1 : 0)); /* CNTV_CTL */
  GICD_CTLR = 1;
  GICD_ISENABLER0 = 1u << VIRTUAL_TIMER;
  GICC_PMR = 0xff;
  GICC_CTLR = 1;
  __asm volatile("cpsie i" ::: "memory");
}

__attribute__((noreturn, used)) static void start(void) {
  const uint32_t *from = &__data_load;
  for (uint32_t *to = &__data_start; to < &__data_end;) {
    *to++ = *from++;
  }
  for (uint32_t *to = &__bss_start; to < &__bss_end;) {
    *to++ = 0;
  }
  __asm volatile("mcr p15, 0, %0, c12, c0, 0\n isb" ::"r"(exceptions)); /* VBAR */
  main();
  for (;;) {
  }
}

/* A stack for each mode; the program runs in System mode. */
__attribute__((naked, noreturn, section(".vectors"), target("arm"))) void Reset_Handler(void) {
  __asm volatile("msr cpsr_c, #0xd2\n"
                 "ldr sp, =__irq_stack_top\n"
                 "msr cpsr_c, #0xd3\n"
                 "ldr sp, =__supervisor_stack_top\n"
                 "msr cpsr_c, #0xdf\n"
                 "ldr sp, =__stack_top\n"
                 "bl start\n"
                 ".ltorg");
}

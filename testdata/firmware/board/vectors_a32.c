/* Vectors for A-profile: each exception ends in a loop of its own. */
#include <stdint.h>

#define HANDLER(name) \
  __attribute__((naked, noreturn)) void name(void) { __asm volatile("b ."); }

HANDLER(Undefined_Handler)
HANDLER(Prefetch_Handler)
HANDLER(Data_Handler)
HANDLER(Other_Handler)

__attribute__((naked, noreturn, aligned(32))) static void exceptions(void) {
  __asm volatile("b Other_Handler\n"
                 "b Undefined_Handler\n"
                 "b Other_Handler\n"
                 "b Prefetch_Handler\n"
                 "b Data_Handler\n"
                 "b Other_Handler\n"
                 "b Other_Handler\n"
                 "b Other_Handler");
}

/* VBAR points to the vectors (Armv7-AR ARM B4.1.156). */
void board_vectors(void) {
  __asm volatile("mcr p15, 0, %0, c12, c0, 0\n isb" ::"r"(exceptions));
}

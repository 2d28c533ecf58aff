/* The non-secure image. It shares no function with the secure one. */
#define NONSECURE
#include "trustzone.h"

/* The linker's own long branches go past the gateways when both images are
   linked at once. These are like them; gate_X is the gateway of X. */
#if __ARM_ARCH_ISA_THUMB == 2
#define JUMP(name) "ldr.w pc, 1f\n .align 2\n 1: .word gate_" #name "\n"
#else
#define JUMP(name) "movw ip, #:lower16:gate_" #name "\n movt ip, #:upper16:gate_" #name "\n bx ip\n"
#endif
#define FAR(name)                                                                             \
  __asm__(".syntax unified\n .section .text.to_" #name ",\"ax\"\n .align 2\n .thumb_func\n"     \
          ".global to_" #name "\n .type to_" #name ", %function\n to_" #name ":\n" JUMP(name) \
          ".size to_" #name ", . - to_" #name "\n .previous\n")

FAR(secure_leaf);
FAR(secure_work);
FAR(secure_floats);
FAR(secure_callback);
FAR(secure_once_more);

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define ICSR (*(volatile uint32_t *)0xe000ed04u)
#define SHPR3 (*(volatile uint32_t *)0xe000ed20u)

extern uint32_t __ns_stack_top, __ns_process_stack_top;

static volatile int ns_sink, ns_ticks;
static volatile number ns_scale;
static uint32_t ns_random;

NOINLINE int ns_leaf(int a) { return a * 3 + 1; }

NOINLINE int ns_recursive(int n) {
  volatile int box[2];
  box[0] = n;
  return n > 0 ? ns_recursive(n - 1) + ns_leaf(box[0]) : ns_leaf(n);
}

NOINLINE int ns_tail(int a) {
  ns_sink = ns_leaf(a);
  return secure_leaf(a + 1);
}

NOINLINE int ns_called_back(int a) { return ns_recursive(a & 3) + secure_leaf(a); }

NOINLINE int ns_called_deep(int a) {
  int sum = ns_leaf(a);
  a &= 3;
  return a > 0 ? sum + secure_callback(ns_called_deep, a - 1) : sum + secure_once_more(sum);
}

NOINLINE number ns_float_back(number a) {
  number b = a * ns_scale;
  return b + secure_floats(a, b);
}

int ns_callback_leaf(int a) { return a ^ 5; }

int ns_from_handler(int a) { return ns_recursive(1) + a; }

NOINLINE int ns_round(int seed) {
  int sum = secure_leaf(seed) + ns_tail(seed) + secure_work(seed, 3);
  sum += (int)ns_float_back((number)seed);
  sum += secure_callback(ns_called_back, seed) + secure_callback(ns_callback_leaf, sum);
  sum += ns_called_deep(2);
  __asm volatile("svc 3" ::: "memory");
  return sum + ns_recursive(2);
}

NOINLINE void ns_main(void) {
  SHPR3 = 0x40c00000u;
  ns_random = 777;
  SYST_RVR = 230000;
  SYST_CSR = 7;
  ns_scale = 2.5f;
  for (int i = 0; i < 6; i++) {
    ns_sink += ns_round(i);
  }
  SYST_CSR = 0;
}

#ifdef PROCESS_STACK
__attribute__((naked)) static void ns_enter(void) {
  __asm volatile(
      "push {r4, lr}\n"
      "ldr r0, =__ns_process_stack_top\n"
      "msr psp, r0\n"
      "mrs r0, control\n"
      "movs r1, #2\n"
      "orrs r0, r1\n"
      "msr control, r0\n"
      "isb\n"
      "movs r0, #0\n"
      "mov lr, r0\n"
      "ldr r0, =ns_thread\n"
      "bx r0\n"
      ".ltorg");
}
#endif

/* With PROCESS_STACK a thread that nobody called. */
__attribute__((noreturn, used)) void ns_thread(void) {
  ns_main();
  secure_leaf(-1);
  for (;;) {
  }
}

int ns_reset(int a) {
#ifdef PROCESS_STACK
  ns_enter();
#endif
  ns_main();
  return a;
}

void ns_systick(void) {
  ns_random = ns_random * 1664525u + 1013904223u;
  SYST_RVR = 300000 + (ns_random >> 12);
  if ((++ns_ticks & 3) == 0) {
    ICSR = 1u << 28; /* PENDSVSET */
  }
  ns_sink += ns_recursive(ns_ticks & 1);
  if (ns_ticks & 2) {
    ns_sink += secure_leaf(ns_ticks) + secure_callback(ns_callback_leaf, 4);
  }
}

void ns_pendsv(void) { ns_sink += ns_leaf(ns_ticks); }
void ns_svc(void) { ns_sink += ns_recursive(1) + secure_work(1, 2); }
void ns_fault(void) {
  for (;;) {
  }
}

__attribute__((section(".ns_vectors"), used)) const void *const ns_vectors[16] = {
    &__ns_stack_top, ns_reset, ns_fault, ns_fault, ns_fault, ns_fault, ns_fault, ns_fault,
    0, 0, 0, ns_svc, ns_fault, 0, ns_pendsv, ns_systick,
};

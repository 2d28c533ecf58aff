/* Threads and what chooses among them. SysTick comes at random times. */
#include "kernel.h"

#include "shapes.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define ICSR (*(volatile uint32_t *)0xe000ed04u)
#define SHPR2 (*(volatile uint32_t *)0xe000ed1cu)
#define SHPR3 (*(volatile uint32_t *)0xe000ed20u)
#define PENDSVSET (1u << 28)
#define PENDSTSET (1u << 26)
#define THREADS 4
#define IDLE 0

struct thread *kernel_current, *kernel_next;
static struct thread threads[THREADS];
static uint32_t random_state = 12345;

void kernel_create(int n, void (*entry)(int), uint32_t link, uint32_t *stack, int words) {
  for (int i = words - 64; i < words; i++) {
    stack[i] = 0xa5a5a5a5u;
  }
  uint32_t *frame = stack + words - 8; /* of the hardware */
  frame[0] = (uint32_t)n;
  frame[5] = link;
  frame[6] = (uint32_t)entry & ~1u;
  frame[7] = 1u << 24;
  struct thread *t = &threads[n];
  t->sp = frame - kernel_pushed;
  if (kernel_return_word >= 0) {
    t->sp[kernel_return_word] = 0xfffffffdu;
  }
  t->saved[8] = (uint32_t)frame;
  t->saved[9] = 0xfffffffdu;
}

SHAPE static int ready(int n) { return threads[n].asleep <= 0; }

/* kernel_choose takes the next thread in turn, the idle one if all sleep. */
SHAPE void kernel_choose(void) {
  int now = kernel_current ? (int)(kernel_current - threads) : 0;
  int next = IDLE;
  for (int i = 1; i <= THREADS && next == IDLE; i++) {
    int n = (now + i) % THREADS;
    if (n != IDLE && ready(n)) {
      next = n;
    }
  }
  if ((leaf(next) & 7) == 0) {
    ICSR = PENDSTSET; /* interrupts the switch */
  }
  kernel_next = &threads[next];
}

void kernel_yield(void) {
  ICSR = PENDSVSET;
  __asm volatile("dsb\n isb" ::: "memory");
}

void kernel_sleep(int ticks) {
  register int r0 __asm("r0") = ticks;
  __asm volatile("svc #1" : "+r"(r0)::"memory");
}

void SysTick_Handler(void) {
  random_state = random_state * 1664525u + 1013904223u;
  SYST_RVR = 100000 + (random_state >> 14); /* from the next round on */
  for (int n = 0; n < THREADS; n++) {
    threads[n].asleep -= threads[n].asleep > 0;
  }
  sink += leaf_with_locals(sink & 3);
  if (kernel_current && random_state >> 30) { /* before, PSP is 0 */
    ICSR = PENDSVSET;
  }
}

/* kernel_service answers SVC: 0 starts the first thread, 1 sleeps. */
__attribute__((used)) void kernel_service(uint32_t *frame) {
  switch (((uint8_t *)frame[6])[-2]) {
  case 0:
    kernel_first();
    break;
  case 1:
    kernel_current->asleep = (int)frame[0];
    frame[0] = 0;
    ICSR = PENDSVSET;
    break;
  }
}

__attribute__((naked)) void SVC_Handler(void) {
#if __ARM_ARCH >= 7
  __asm volatile(
      "tst lr, #4\n"
      "ite eq\n"
      "mrseq r0, msp\n"
      "mrsne r0, psp\n"
      "b kernel_service");
#else
  __asm volatile(
      "movs r0, #4\n"
      "mov r1, lr\n"
      "tst r0, r1\n"
      "beq 1f\n"
      "mrs r0, psp\n"
      "b 2f\n"
      "1: mrs r0, msp\n"
      "2: ldr r1, =kernel_service\n"
      "bx r1\n"
      ".ltorg");
#endif
}

/* kernel_start gives up the stack below it, as kernels do. */
__attribute__((naked)) static void leave_main(void) {
  __asm volatile(
      "ldr r0, =__stack_top\n"
      "msr msp, r0\n"
      "cpsie i\n"
      "dsb\n"
      "isb\n"
      "svc #0\n"
      "1: b 1b\n"
      ".ltorg");
}

void kernel_start(void) {
  SHPR2 = 0x40000000u;
  SHPR3 = 0x40c00000u;
  kernel_choose();
  SYST_RVR = 200000;
  SYST_CSR = 7;
#ifdef FIRST_BY_PENDSV
  kernel_yield();
  for (;;) {
  }
#else
  leave_main();
#endif
}

/* Exceptions of A-profile cores: entries as compilers and people write them,
   with two vector tables. Compiled as A32 code for QEMU's virt board. */
#include "shapes.h"

#ifdef MODES
#define GICD(offset) (*(volatile uint32_t *)(0x08000000u + (offset)))
#define GICC(offset) (*(volatile uint32_t *)(0x08010000u + (offset)))
#define TIMER_PPI 30u
#define ENTRY(name, text) __attribute__((naked, used)) static void name(void) { __asm volatile(text); }

static volatile int ticks;

SHAPE int irq_work(int n) { return n > 0 ? irq_work(n - 1) + leaf(n) : leaf_with_locals(n); }

static void timer_start(uint32_t cycles) {
  __asm volatile("mcr p15, 0, %0, c14, c2, 0\n mcr p15, 0, %1, c14, c2, 1" ::"r"(cycles), "r"(1));
}

/* What every entry calls: acknowledge, work, end. */
__attribute__((used)) SHAPE void irq_dispatch(void) {
  uint32_t id = GICC(0x0c);
  if ((id & 0x3ff) == TIMER_PPI) {
    timer_start(20000000 + 99700 * (uint32_t)(ticks & 63));
  }
  ticks++;
  sink += irq_work(ticks & 3);
  GICC(0x10) = id;
}

__attribute__((used)) SHAPE int fault_work(int n) { return irq_work(n & 1) + 1; }

/* Entries without a switch of modes. */
__attribute__((interrupt("IRQ"), used)) static void irq_by_gcc(void) { irq_dispatch(); }
ENTRY(svc_plain, "stmfd sp!, {r0-r3, r12, lr}\n bl fault_work\n ldmfd sp!, {r0-r3, r12, pc}^")
ENTRY(undefined_plain, "push {r0-r12, lr}\n mov r0, #1\n bl fault_work\n pop {r0-r12, lr}\n movs pc, lr")
ENTRY(data_plain, "sub lr, lr, #8\n push {r0-r3, r12, lr}\n mrs r0, spsr\n push {r0, r1}\n bl fault_work\n"
  " pop {r0, r1}\n msr spsr_cxsf, r0\n pop {r0-r3, r12, lr}\n add lr, lr, #4\n movs pc, lr")
ENTRY(prefetch_plain, "sub sp, sp, #56\n stmia sp, {r0-r12}\n str lr, [sp, #52]\n mov r0, #2\n bl fault_work\n"
  " ldr lr, [sp, #52]\n ldmia sp, {r0-r12}\n add sp, sp, #56\n subs pc, lr, #0")

/* Entries that go on in another mode, so that interrupts can nest. */
#if __ARM_ARCH >= 6
ENTRY(irq_nested, "sub lr, lr, #4\n srsdb sp!, #0x1f\n cpsid i, #0x1f\n push {r0-r3, r12}\n and r1, sp, #4\n sub sp, sp, r1\n"
  " push {r1, lr}\n bl irq_dispatch\n cpsie i\n bl nested_work\n cpsid i\n pop {r1, lr}\n add sp, sp, r1\n pop {r0-r3, r12}\n rfeia sp!")
ENTRY(svc_nested, "srsdb sp!, #0x13\n push {r0-r3, r12, lr}\n cpsie i\n bl fault_work\n cpsid i\n pop {r0-r3, r12, lr}\n rfeia sp!")
#else
ENTRY(irq_nested, "sub lr, lr, #4\n stmfd sp!, {r0-r3, r12, lr}\n mrs r0, spsr\n stmfd sp!, {r0}\n msr cpsr_c, #0x9f\n"
  " stmfd sp!, {r4, lr}\n bl irq_dispatch\n ldmfd sp!, {r4, lr}\n msr cpsr_c, #0x92\n ldmfd sp!, {r0}\n msr spsr_cxsf, r0\n"
  " ldmfd sp!, {r0-r3, r12, pc}^")
ENTRY(svc_nested, "stmfd sp!, {r0-r12, lr}\n mrs r4, spsr\n msr cpsr_c, #0x1f\n stmfd sp!, {r4, lr}\n bl fault_work\n ldmfd sp!, {r4, lr}\n"
  " msr cpsr_c, #0x93\n msr spsr_cxsf, r4\n ldmfd sp!, {r0-r12, pc}^")
#endif
/* As FreeRTOS has it on Cortex-A9: the frame of IRQ mode holds the return. */
ENTRY(irq_supervisor, "sub lr, lr, #4\n push {lr}\n mrs lr, spsr\n push {lr}\n msr cpsr_c, #0x93\n push {r0-r4, r12}\n"
  " mov r2, sp\n and r2, r2, #4\n sub sp, sp, r2\n push {r0-r4, lr}\n ldr r1, =irq_dispatch\n mov lr, pc\n bx r1\n"
  " pop {r0-r4, lr}\n add sp, sp, r2\n pop {r0-r4, r12}\n msr cpsr_c, #0x92\n pop {lr}\n msr spsr_cxsf, lr\n pop {lr}\n movs pc, lr\n .ltorg")
/* A context switch that saves the registers of User mode in one go. */
ENTRY(svc_context, "sub sp, sp, #68\n stmia sp, {r0-r14}^\n str lr, [sp, #60]\n mrs r0, spsr\n str r0, [sp, #64]\n bl fault_work\n"
  " ldr r0, [sp, #64]\n msr spsr_cxsf, r0\n ldr lr, [sp, #60]\n ldmia sp, {r0-r14}^\n nop\n add sp, sp, #68\n movs pc, lr")
ENTRY(hang, "b .")

__attribute__((used)) SHAPE int nested_work(void) { return irq_work(2) + irq_work(1); }

#define VECTORS(name, undefined, svc, prefetch, data, irq) \
  __attribute__((naked, used, aligned(32))) static void name(void) { \
    __asm volatile("ldr pc, 1f\n ldr pc, 1f+4\n ldr pc, 1f+8\n ldr pc, 1f+12\n ldr pc, 1f+16\n nop\n ldr pc, 1f+24\n ldr pc, 1f\n" \
      "1: .word hang, " #undefined ", " #svc ", " #prefetch ", " #data ", hang, " #irq); \
  }
VECTORS(vectors_plain, undefined_plain, svc_plain, prefetch_plain, data_plain, irq_by_gcc)
VECTORS(vectors_nested, undefined_plain, svc_nested, prefetch_plain, data_plain, irq_nested)
VECTORS(vectors_context, undefined_plain, svc_context, prefetch_plain, data_plain, irq_supervisor)

static void use(void (*vectors)(void)) { __asm volatile("mcr p15, 0, %0, c12, c0, 0\n mov r0, r0" ::"r"(vectors)); }

SHAPE int asks(int a) {
  __asm volatile("svc #7" ::: "lr", "memory");
  return a + 1;
}

SHAPE int undefined(int a) {
  __asm volatile(".word 0xee000100" ::: "memory"); /* cdp p1, ...: there is no such coprocessor */
  return a + 2;
}

SHAPE int leaf_fault(const volatile int *p) { return *p + 3; }

SHAPE int stopped(int a) {
  __asm volatile(".word 0xe1200073" /* bkpt #3 */ ::: "memory");
  return leaf(a);
}

SHAPE int interrupted(int a) {
  GICD(0xf00) = 2u << 24; /* SGIR: to this core, number 0 */
  return leaf(a) + leaf_with_locals(a);
}

void interrupts_start(void) {
  use(vectors_plain);
  GICD(0) = 1;
  GICC(4) = 0xff;
  GICC(0) = 1;
  GICD(0x100) = 1u << TIMER_PPI | 1u;
  timer_start(20000000);
  __asm volatile("mrs r0, cpsr\n bic r0, r0, #0x80\n msr cpsr_c, r0" ::: "r0");
}

static int each(int a) {
  return asks(a) + undefined(a) + leaf_fault((const int *)0xf0000000u) + stopped(a) + interrupted(a);
}

int exceptions(int seed) {
  int sum = each(seed);
  use(vectors_nested);
  sum += each(seed);
  use(vectors_context);
  sum += each(seed);
  use(seed & 1 ? vectors_plain : vectors_nested);
  return sum;
}
#endif

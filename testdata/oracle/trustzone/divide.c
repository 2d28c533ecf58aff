/* Divides the board between the security states, before main. */
#include <stdint.h>

#define REG(a) (*(volatile uint32_t *)(a))

extern uint32_t __ns_stack_top, __ns_bss_load, __ns_bss_load_end, __sg_start, __sg_end;
#ifdef SECURE_FP
/* The oracle looks for this symbol. */
__attribute__((used)) volatile uint32_t secure_fp = 26;
#endif
extern const void *const ns_vectors[16];

/* Memory protection controller (Arm CoreLink SIE-200 TRM 3.5): makes the upper
   blocks non-secure, from the share first of two on. */
static void open_memory(uint32_t mpc, uint32_t first) {
  uint32_t words = REG(mpc + 0x10) + 1; /* BLK_MAX */
  for (uint32_t i = words / 2 * first; i < words; i++) {
    REG(mpc + 0x18) = i;           /* BLK_IDX */
    REG(mpc + 0x1c) = 0xffffffffu; /* BLK_LUT */
  }
}

/* Security attribution unit (Armv8-M ARM D1.2, SAU_RNR, SAU_RBAR, SAU_RLAR). */
static void attribute(uint32_t n, uint32_t from, uint32_t to, uint32_t callable) {
  REG(0xe000edd8u) = n;
  REG(0xe000eddcu) = from;
  REG(0xe000ede0u) = ((to - 1) & ~31u) | callable << 1 | 1;
}

__attribute__((constructor)) static void divide(void) {
  for (uint32_t *p = &__ns_bss_load; p < &__ns_bss_load_end;) {
    *p++ = 0;
  }
#if __ARM_FEATURE_MVE /* mps3-an547: the code SRAM, the second bank of the internal SRAM */
  open_memory(0x57000000u, 1);
  open_memory(0x50084000u, 0);
  attribute(0, 0x01100000u, 0x01200000u, 0);
  attribute(1, 0x21200000u, 0x21400000u, 0);
#else /* mps2-an505: SSRAM 1 and SSRAM 3 */
  open_memory(0x58007000u, 1);
  open_memory(0x58009000u, 0);
  attribute(0, 0x00200000u, 0x00400000u, 0);
  attribute(1, 0x28200000u, 0x28400000u, 0);
#endif
  attribute(2, (uint32_t)&__sg_start, (uint32_t)&__sg_end, 1);
  REG(0x50080014u) = 1;                      /* NSCCFG of the SSE-200, SSE-300 */
  REG(0xe000edd0u) = 1;                      /* SAU_CTRL.ENABLE */
  REG(0xe002ed08u) = (uint32_t)ns_vectors;   /* VTOR_NS */
  REG(0xe000ed8cu) |= 3u << 10;              /* NSACR */
  REG(0xe002ed88u) |= 0xfu << 20;            /* CPACR_NS */
#ifdef SECURE_FP
  REG(0xe000ef34u) |= 1u << secure_fp; /* FPCCR.TS */
#endif
  __asm volatile("msr msp_ns, %0\n dsb\n isb" ::"r"(&__ns_stack_top) : "memory");
}

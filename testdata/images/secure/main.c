/* The secure image: divides the board, enters the non-secure image, serves it. */
#include <arm_cmse.h>

#include "board.h"
#include "gates.h"

#define GATE __attribute__((cmse_nonsecure_entry))
typedef __attribute__((cmse_nonsecure_call)) int visitor(int);
typedef __attribute__((cmse_nonsecure_call)) void reset(void);

struct config {
  uint32_t magic;
  uint16_t boots;
  uint16_t tries;
  const char *reason;
};

static struct config config = {0x5ec05ec0u, 0, 3, "power on"};
static int state = 1;

extern uint32_t __sg_start, __sg_end;

NOINLINE static int rotate(int sum, int by) { return (int)((uint32_t)sum << 1 | (uint32_t)sum >> 31) ^ by; }

NOINLINE static int checksum(const uint8_t *data, uint32_t size) {
  int sum = (int)size;
  for (uint32_t i = 0; i < size; i++) {
    sum = rotate(sum, data[i]);
  }
  return sum + 1;
}

NOINLINE static void put(volatile uint32_t *where, uint32_t value) { *where = value; }

NOINLINE static int store(volatile uint32_t *where, uint32_t value) {
  put(where, value);
  return rotate((int)value, 3);
}

GATE int secure_checksum(const uint8_t *data, uint32_t size) { return checksum(data, size) ^ state; }

GATE int secure_each(const int *list, int n, int (*visit)(int)) {
  visitor *out = (visitor *)cmse_nsfptr_create(visit);
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += out(list[i]);
  }
  return sum;
}

GATE int secure_store(volatile uint32_t *where, uint32_t value) { return store(where, value) + 1; }

void HardFault_Handler(void) {
  state = -1;
  for (;;) {
  }
}

void SysTick_Handler(void) { state = checksum((const uint8_t *)&config, sizeof config); }

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

static void divide(void) {
  open_memory(0x58007000u, 1); /* SSRAM 1 */
  open_memory(0x58009000u, 0); /* SSRAM 3 */
  attribute(0, 0x00200000u, 0x00400000u, 0);
  attribute(1, 0x28200000u, 0x28400000u, 0);
  attribute(2, (uint32_t)&__sg_start, (uint32_t)&__sg_end, 1);
  REG(0x50080014u) = 1;                       /* NSCCFG of the SSE-200 */
  REG(0xe000edd0u) = 1;                       /* SAU_CTRL.ENABLE */
  REG(0xe002ed24u) = 1u << 18;                /* SHCSR_NS.USGFAULTENA */
  REG(0xe002ed08u) = (uint32_t)HANDOVER->app; /* VTOR_NS */
  __asm volatile("msr msp_ns, %0\n dsb\n isb" ::"r"(*HANDOVER->app) : "memory");
}

NOINLINE static int verify(void) {
  config.boots++;
  int sum = checksum((const uint8_t *)&config, sizeof config);
  if (HANDOVER->scenario == CRASH_BOOT) {
    sum += store(NOWHERE, 1);
  }
  return sum;
}

int main(void) {
  divide();
  state = verify();
  board_timer(500000);
  reset *enter = (reset *)cmse_nsfptr_create((reset *)HANDOVER->app[1]);
  enter();
  for (;;) {
  }
}

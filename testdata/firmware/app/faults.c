/* Mistakes that programs make, one per run: the recorder sets selected_fault. */
#include <stddef.h>
#include <stdint.h>

#include "board.h"

#define CCR (*(volatile uint32_t *)0xe000ed14u)
#define CPACR (*(volatile uint32_t *)0xe000ed88u)
#define MPU_CTRL (*(volatile uint32_t *)0xe000ed94u)
#define MPU_RBAR (*(volatile uint32_t *)0xe000ed9cu)
#define MPU_RASR (*(volatile uint32_t *)0xe000eda0u)

#define NO_ACCESS 0x10000000u /* XN, AP 0 */
#define READ_ONLY 0x06000000u /* AP 6 */
#define UNMAPPED 0xa0000000u

#if __ARM_ARCH_PROFILE == 'M'
#define UNDEFINED_CODE ".inst.n 0xb700"
#define NO_MEMORY 0x30000101u
#else
#define UNDEFINED_CODE ".inst 0xe6000010"
#define NO_MEMORY 0xa0000100u
#endif

struct config {
  int gain;
  int offset;
};

typedef void handler(int event);

enum fault {
  NULL_READ = 1,
  NULL_WRITE,
  NULL_CALL,
  WILD_CALL,
  NEVER_CODE,
  DIVIDE,
  UNALIGNED,
  UNDEFINED,
  TRAP,
  OVERFLOW,
  UNMAPPED_READ,
  NO_FPU,
  CONSTANT_WRITE,
};

volatile enum fault selected_fault;
volatile int result;
static struct config *volatile active_config;
static handler *volatile on_event;
static handler *volatile wild_event = (handler *)NO_MEMORY;
static volatile int samples;
static uint8_t packet[12];
__attribute__((aligned(32))) static const int limits[8] = {10, 20, 30};
extern uint32_t __bss_end;

#if __ARM_ARCH_PROFILE == 'M'
static inline void mpu_region(uint32_t number, uint32_t base, uint32_t rights) {
  MPU_RBAR = base | 0x10u | number;
  MPU_RASR = rights | 4u << 1 | 1u; /* 32 bytes */
}

/* Address 0, the constants and the end of the stack are guarded; Armv8-M has a
   limit for the stack. */
static void guard(void) {
#if __ARM_ARCH == 8
  __asm volatile("msr msplim, %0" ::"r"(((uint32_t)&__bss_end + 31u) & ~31u));
#else
  mpu_region(0, 0, NO_ACCESS);
  mpu_region(1, (uint32_t)limits, READ_ONLY);
  mpu_region(2, ((uint32_t)&__bss_end + 31u) & ~31u, NO_ACCESS);
  MPU_CTRL = 5;
  __asm volatile("dsb\n isb" ::: "memory");
#endif
}

#else
void board_vectors(void);

static void guard(void) { board_vectors(); }
#endif

static __attribute__((noinline)) int scaled(const struct config *c, int raw) { return raw * c->gain + c->offset; }

static __attribute__((noinline)) void set_offset(struct config *c, int offset) { c->offset = offset; }

static __attribute__((noinline)) void emit(handler *h, int event) {
  h(event);
  result++;
}

static __attribute__((noinline)) int mean(int sum, int n) { return sum / n; }

static __attribute__((noinline)) uint64_t stamp(const uint8_t *bytes) { return *(const uint64_t *)bytes; }

static __attribute__((noinline)) void unknown(void) { __asm volatile(UNDEFINED_CODE); }

static __attribute__((noinline)) int depth(int n) {
  volatile int local[8];
  local[n & 7] = n;
  return n < samples ? n : depth(n + 1) + local[n & 7];
}

static __attribute__((noinline)) uint32_t status(const volatile uint32_t *device) { return device[3]; }

static __attribute__((noinline)) float half(float f) { return f * 0.5f; }

static __attribute__((noinline)) void set_limit(int *table, int n, int v) { table[n] = v; }

static void run(enum fault f) {
  switch (f) {
  case NULL_READ:
    result = scaled(active_config, 3);
    break;
  case NULL_WRITE:
    set_offset(active_config, 4);
    break;
  case NULL_CALL:
    emit(on_event, 7);
    break;
  case WILD_CALL:
    emit(wild_event, 7);
    break;
  case NEVER_CODE:
    emit((handler *)0x40000001u, 7);
    break;
  case DIVIDE:
    CCR |= 1u << 4;
    result = mean(100, samples);
    break;
  case UNALIGNED:
    result = (int)stamp(packet + 1);
    break;
  case UNDEFINED:
    unknown();
    break;
  case TRAP:
    __builtin_trap();
  case OVERFLOW:
    result = depth(1);
    break;
  case UNMAPPED_READ:
    result = (int)status((const volatile uint32_t *)UNMAPPED);
    break;
  case NO_FPU:
    CPACR = 0;
    __asm volatile("dsb\n isb" ::: "memory");
    result = (int)half(3.0f);
    break;
  case CONSTANT_WRITE:
    set_limit((int *)limits, 2, 4);
    break;
  }
}

int main(void) {
  board_init();
  guard();
  run(selected_fault);
  return result;
}

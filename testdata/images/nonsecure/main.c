/* The non-secure image. Its config and its state are not those of secure.elf. */
#include "board.h"
#include "gates.h"

struct config {
  uint8_t mode;
  int8_t gain[3];
  uint32_t period;
};

static struct config config = {2, {1, -2, 3}, 400000};
static int state;
static volatile int total;
static int samples[5] = {3, 1, 4, 1, 5};

/* UNDEFINED: UsageFault, which stays in the non-secure state. */
#define UNDEFINED() __asm volatile("udf #7")

NOINLINE static int scale(int sample) {
  if (HANDOVER->scenario == CRASH_CALLBACK && state > 2) {
    UNDEFINED();
  }
  return sample * config.gain[2] - 40;
}

NOINLINE static int measure(int n) {
  int sum = secure_each(samples, n, scale);
  return sum + secure_checksum((const uint8_t *)&config, sizeof config);
}

NOINLINE static int report(volatile uint32_t *where) { return secure_store(where, (uint32_t)total) + state; }

NOINLINE static void work(int n) {
  volatile uint32_t here;
  total += measure(n);
  if (state > 2) {
    switch (HANDOVER->scenario) {
    case CRASH_APP:
      UNDEFINED();
      break;
    case CRASH_SERVICE:
      total += report(NOWHERE);
      break;
    }
  }
  total += report(&here);
}

NOINLINE static int tick(void) {
  config.mode ^= 1;
  if (HANDOVER->scenario == CRASH_INTERRUPT && state > 2) {
    secure_store(NOWHERE, 9);
  }
  return secure_checksum((const uint8_t *)samples, 6);
}

void SysTick_Handler(void) {
  state++;
  total ^= tick();
}

void HardFault_Handler(void) {
  state = -2;
  for (;;) {
  }
}

int main(void) {
  board_timer(config.period);
  for (;;) {
    work(5);
  }
}

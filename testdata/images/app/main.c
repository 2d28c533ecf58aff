/* The application. Its config and its state are not those of the boot loader. */
#include "board.h"
#include "services.h"
#ifdef ROM
#include "rom.h"
#endif

struct config {
  uint8_t mode;
  int8_t gain[3];
  uint32_t period;
  struct {
    int16_t low, high;
  } range;
};

static struct config config = {2, {1, -2, 3}, 400000, {-40, 85}};
static int state;
static volatile int total;
static int samples[5] = {3, 1, 4, 1, 5};

NOINLINE static int scale(int sample) {
  if (HANDOVER->scenario == CRASH_CALLBACK && state > 2) {
    *NOWHERE = (uint32_t)sample;
  }
  return sample * config.gain[2] + config.range.low;
}

#ifdef ROM
NOINLINE static int descending(int a, int b) { return scale(b) - scale(a); }
#endif

NOINLINE static int measure(int n) {
  int sum = SERVICES->each(samples, n, scale);
#ifdef ROM
  rom_sort(samples, n, descending);
  sum += rom_sum(samples, n);
#endif
  return sum + SERVICES->checksum((const uint8_t *)&config, sizeof config);
}

NOINLINE static int report(volatile uint32_t *where) {
#ifdef ROM
  rom_fill(where, 2, 7);
#endif
  return SERVICES->store(where, (uint32_t)total) + state;
}

NOINLINE static void work(int n) {
  volatile uint32_t here[2];
  total += measure(n);
  if (state > 2) {
    switch (HANDOVER->scenario) {
    case CRASH_APP:
      *NOWHERE = (uint32_t)total;
      break;
    case CRASH_SERVICE:
      total += report(NOWHERE);
      break;
    }
  }
  total += report(here);
}

NOINLINE static int tick(void) {
  config.mode ^= 1;
  if (HANDOVER->scenario == CRASH_INTERRUPT && state > 2) {
    SERVICES->store(NOWHERE, 9);
  }
  return SERVICES->checksum((const uint8_t *)samples, 6);
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

#include "sampler.h"

#include "board.h"
#include "sensor.h"

static volatile unsigned active_channel;
static volatile unsigned remaining;
static float history[8];
static unsigned position;

static __attribute__((noinline)) void store(float value) {
  history[position % 8u] = value;
  position++;
}

static __attribute__((noinline)) void tick(void) {
  if (remaining == 0) {
    return;
  }
  store(sensor_sample(active_channel));
  remaining--;
}

void SysTick_Handler(void) {
  tick();
  board_tick_seen();
}

void sampler_run(unsigned channel, unsigned count) {
  active_channel = channel;
  remaining = count;
  board_tick_start(1000);
  while (remaining > 0) {
    board_idle();
  }
  board_tick_stop();
}

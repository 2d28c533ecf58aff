#include "filter.h"

static float smoothed[SENSOR_CHANNELS];

/* Small and hot, so the compiler is told to put it into its callers. */
static inline __attribute__((always_inline)) uint32_t read_raw(const struct sensor *s) {
  return *s->raw & 0xfffu;
}

/* Rejects samples too far from the running value, as after a supply glitch. */
static __attribute__((noinline)) float scaled_sample(const struct sensor *s, float previous) {
  float value = (float)read_raw(s) * s->gain + s->offset;
  float step = value - previous;
  if (step > 100.0f || step < -100.0f) {
    return previous + step * 0.125f;
  }
  return value;
}

float filter_mean(const struct sensor *s, unsigned samples) {
  float sum = 0.0f;
  float previous = s->offset;
  for (unsigned i = 0; i < samples; i++) {
    previous = scaled_sample(s, previous);
    sum += previous;
  }
  return sum / (float)samples;
}

float filter_push(const struct sensor *s, float value) {
  unsigned slot = (unsigned)(s - sensor_get(0));
  smoothed[slot] += (value - smoothed[slot]) * 0.25f;
  return smoothed[slot];
}

#include "sensor.h"

#include "filter.h"

/* The board variant without the wind gauge leaves this pattern in its slot. */
#define NOT_FITTED ((volatile const uint32_t *)0xdeadbee0u)

static volatile const uint32_t converter[SENSOR_CHANNELS] = {2048, 1911, 3020, 0};

static struct sensor sensors[SENSOR_CHANNELS] = {
    {"temperature", &converter[0], 0.0625f, -40.0f},
    {"humidity", &converter[1], 0.0244f, 0.0f},
    {"pressure", &converter[2], 0.2686f, 300.0f},
    {"wind", NOT_FITTED, 0.0100f, 0.0f},
};

const struct sensor *sensor_get(unsigned channel) {
  return &sensors[channel % SENSOR_CHANNELS];
}

/* Moves the offset so that the mean of the last samples reads as reference. */
float sensor_calibrate(unsigned channel, float reference) {
  struct sensor *s = &sensors[channel % SENSOR_CHANNELS];
  float mean = filter_mean(s, 8);
  float error = reference - mean;
  s->offset += error;
  return error;
}

float sensor_sample(unsigned channel) {
  const struct sensor *s = sensor_get(channel);
  return filter_push(s, filter_mean(s, 1));
}

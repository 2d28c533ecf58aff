/* Analogue inputs of the station. */
#ifndef SENSOR_H
#define SENSOR_H

#include <stdint.h>

#define SENSOR_CHANNELS 4u

struct sensor {
  const char *name;
  volatile const uint32_t *raw; /* data register of the converter */
  float gain;
  float offset;
};

const struct sensor *sensor_get(unsigned channel);
float sensor_calibrate(unsigned channel, float reference);
float sensor_sample(unsigned channel);

#endif

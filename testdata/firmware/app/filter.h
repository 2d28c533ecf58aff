/* Smoothing of raw samples. */
#ifndef FILTER_H
#define FILTER_H

#include "sensor.h"

float filter_mean(const struct sensor *s, unsigned samples);
float filter_push(const struct sensor *s, float value);

#endif

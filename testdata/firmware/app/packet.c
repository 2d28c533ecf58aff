#include "packet.h"

#include "check.h"
#include "sampler.h"
#include "sensor.h"

#define PACKET_START 0x7eu
#define PACKET_OVERHEAD 4u

static packet_listener *listener;
static unsigned accepted;
static volatile float last_error;
static volatile enum packet_result last_result;

void packet_on_event(packet_listener *l) { listener = l; }

static uint8_t checksum(const uint8_t *bytes, size_t length) {
  uint8_t sum = 0;
  for (size_t i = 0; i < length; i++) {
    sum = (uint8_t)(sum + bytes[i]);
  }
  return sum;
}

static __attribute__((noinline)) void calibrate(const uint8_t *payload) {
  float reference = (float)(payload[1] | payload[2] << 8) / 10.0f;
  last_error = sensor_calibrate(payload[0], reference);
}

static __attribute__((noinline)) void notify(uint8_t event) {
  listener(event);
  accepted++;
}

static __attribute__((noinline)) enum packet_result selftest(unsigned expected) {
  check(expected == SENSOR_CHANNELS);
  last_error = 0.0f;
  return PACKET_OK;
}

static __attribute__((noinline)) enum packet_result dispatch(const uint8_t *packet) {
  const uint8_t *payload = packet + 3;
  switch (packet[1]) {
  case PACKET_PING:
    return PACKET_OK;
  case PACKET_CALIBRATE:
    calibrate(payload);
    return PACKET_OK;
  case PACKET_NOTIFY:
    notify(payload[0]);
    return PACKET_OK;
  case PACKET_STREAM:
    sampler_run(payload[0], 3);
    return PACKET_OK;
  case PACKET_SELFTEST:
    return selftest(payload[0]);
  default:
    return PACKET_UNKNOWN;
  }
}

/* Handles the packet at the start of the buffer and reports its size. */
static __attribute__((noinline)) enum packet_result parse(const uint8_t *bytes, size_t length,
                                                          size_t *used) {
  size_t size;
  if (length < PACKET_OVERHEAD || length < bytes[2] + PACKET_OVERHEAD) {
    *used = length;
    return PACKET_SHORT;
  }
  size = bytes[2] + PACKET_OVERHEAD;
  *used = size;
  if (checksum(bytes, size - 1) != bytes[size - 1]) {
    return PACKET_BAD_CHECKSUM;
  }
  last_result = dispatch(bytes);
  return last_result;
}

unsigned packet_receive(const uint8_t *bytes, size_t length) {
  while (length > 0) {
    size_t used = 1;
    if (bytes[0] == PACKET_START && parse(bytes, length, &used) == PACKET_OK) {
      accepted++;
    }
    bytes += used;
    length -= used;
  }
  return accepted;
}

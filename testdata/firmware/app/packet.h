/* Commands of the base station: 0x7e, command, length, payload, checksum. */
#ifndef PACKET_H
#define PACKET_H

#include <stddef.h>
#include <stdint.h>

enum packet_command {
  PACKET_PING = 1,
  PACKET_CALIBRATE = 2, /* channel, reference in tenths, little endian */
  PACKET_NOTIFY = 3,    /* event number */
  PACKET_STREAM = 4,    /* channel */
  PACKET_SELFTEST = 5,  /* expected number of channels */
};

enum packet_result { PACKET_OK, PACKET_SHORT, PACKET_BAD_CHECKSUM, PACKET_UNKNOWN };

typedef void packet_listener(uint8_t event);

/* Parses all packets in the buffer and returns how many were carried out. */
unsigned packet_receive(const uint8_t *bytes, size_t length);

/* Sets the function that PACKET_NOTIFY calls. */
void packet_on_event(packet_listener *listener);

#endif

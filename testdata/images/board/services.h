/* The functions that boot.elf has for the application, at a fixed address. */
#ifndef SERVICES_H
#define SERVICES_H

#include <stdint.h>

struct services {
  uint32_t version;
  int (*checksum)(const uint8_t *data, uint32_t size);
  int (*each)(const int *list, int n, int (*visit)(int));
  int (*store)(volatile uint32_t *where, uint32_t value);
};

#define SERVICES ((const struct services *)0x00000200u)

#endif

/* What nonsecure.elf may call in secure.elf. */
#ifndef GATES_H
#define GATES_H

#include <stdint.h>

int secure_checksum(const uint8_t *data, uint32_t size);
int secure_each(const int *list, int n, int (*visit)(int));
int secure_store(volatile uint32_t *where, uint32_t value);

#endif

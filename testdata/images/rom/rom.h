/* Functions in ROM, which the application is linked with by their addresses. */
#ifndef ROM_H
#define ROM_H

#include <stdint.h>

int rom_sum(const int *list, int n);
void rom_sort(int *list, int n, int (*compare)(int, int));
void rom_fill(volatile uint32_t *where, int n, uint32_t value);

#endif

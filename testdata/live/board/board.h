/* What the firmware needs from the board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* An interrupt each so many cycles; 0 stops them. */
void board_timer(uint32_t cycles);

/* Semihosting for AArch32 and AArch64, 5: SYS_WRITE0 and SYS_EXIT. */
void semihosting_write(const char *text);
void semihosting_exit(int status);

#endif

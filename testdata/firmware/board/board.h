/* What the application needs from the board. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

void board_init(void);
size_t board_receive(uint8_t *buffer, size_t size);
void board_tick_start(uint32_t cycles);
void board_tick_stop(void);
void board_tick_seen(void);
void board_idle(void);

#endif

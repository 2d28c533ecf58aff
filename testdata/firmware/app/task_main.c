/* The weather station as a task of a kernel. */
#include "board.h"
#include "packet.h"
#include "task.h"

static unsigned rounds;

static void station_task(void) {
  for (;;) {
    uint8_t buffer[32];
    size_t length = board_receive(buffer, sizeof buffer);
    rounds += packet_receive(buffer, length);
  }
}

int main(void) {
  board_init();
  task_start(station_task);
}

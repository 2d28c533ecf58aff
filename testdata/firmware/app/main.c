/* A weather station: takes commands from its base station and carries them out. */
#include "board.h"
#include "packet.h"

static unsigned rounds;

static __attribute__((noinline)) void poll_link(void) {
  uint8_t buffer[32];
  size_t length = board_receive(buffer, sizeof buffer);
  rounds += packet_receive(buffer, length);
}

int main(void) {
  board_init();
  for (;;) {
    poll_link();
  }
}

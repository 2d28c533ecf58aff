/* The firmware that the tests of live targets debug. It makes its tour again and
   again; what a debugger writes to "command" happens at the start of a round. */
#include "board.h"
#include "command.h"
#include "steps.h"

volatile uint32_t command;
volatile uint32_t counter;

struct station {
  int32_t total;
  uint8_t state;
  uint16_t samples[4];
  const char *name;
};
struct station station = {.total = 100, .samples = {1, 2, 3, 4}, .name = "north"};

__attribute__((noinline)) static void obey(uint32_t c) {
  switch (c) {
  case COMMAND_EXIT:
    semihosting_exit(0);
    break;
  case COMMAND_WRITE:
    semihosting_write("a line from the target\n");
    break;
  case COMMAND_READ_UNMAPPED:
    read_word(0xa0000000u);
    break;
  case COMMAND_UNDEFINED:
    undefined();
    break;
  case COMMAND_SPIN:
    spin();
    break;
  case COMMAND_WAIT:
    wait();
    break;
  case COMMAND_TIMER:
    board_timer(2000);
    break;
  case COMMAND_TIMER_STOP:
    board_timer(0);
    break;
  case COMMAND_JUMP:
    station.total += jump_back(3);
    break;
  case COMMAND_COUNT:
    station.total += count(1000);
    break;
  }
}

int main(void) {
  for (;;) {
    uint32_t c = command;
    command = 0;
    obey(c);
    station.samples[counter & 3] = (uint16_t)counter;
    station.total = tour((int)(counter & 7));
    station.state = (uint8_t)station.total;
    counter++;
  }
}

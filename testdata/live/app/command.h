/* What a debugger may write to "command". */
#ifndef COMMAND_H
#define COMMAND_H

enum command {
  COMMAND_NONE,
  COMMAND_EXIT,          /* SYS_EXIT; needs semihosting */
  COMMAND_WRITE,         /* SYS_WRITE0; needs semihosting */
  COMMAND_READ_UNMAPPED, /* a fault: nothing answers the read */
  COMMAND_UNDEFINED,     /* a fault: no instruction */
  COMMAND_SPIN,          /* while (1); */
  COMMAND_WAIT,          /* WFI without an interrupt that could come */
  COMMAND_TIMER,         /* interrupts from now on */
  COMMAND_TIMER_STOP,
  COMMAND_JUMP,          /* setjmp, longjmp out of three calls */
  COMMAND_COUNT,         /* hits count_one 1000 times */
};

#endif

/* A small preemptive kernel: threads on the process stack, a switch in PendSV. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

/* The switches know the offsets of sp and saved. */
struct thread {
  uint32_t *sp;       /* while it does not run: below what the switch pushed */
  uint32_t saved[10]; /* r4 to r11, sp, EXC_RETURN, of a switch that saves here */
  volatile int asleep;
};

extern struct thread *kernel_current; /* 0 before the first thread runs */
extern struct thread *kernel_next;    /* the thread to switch to, 0 while all wait */

/* Of the switch: words it pushes below the hardware frame, and which of them
   is EXC_RETURN, -1 for none. */
extern const int kernel_pushed, kernel_return_word;

void kernel_create(int n, void (*entry)(int), uint32_t link, uint32_t *stack, int words);
void kernel_start(void);
void kernel_yield(void);
void kernel_sleep(int ticks);
void kernel_choose(void);
void kernel_first(void); /* of the switch: starts kernel_next, in a handler */

#endif

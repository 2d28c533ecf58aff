/* Functions whose frames are hard to unwind. Each group is one file. */
#ifndef SHAPES_H
#define SHAPES_H

#include <stdint.h>

#define SHAPE __attribute__((noinline, noclone))
#ifdef __clang__
#undef SHAPE
#define SHAPE __attribute__((noinline))
#endif

extern volatile int sink;

int leaf(int a);
int leaf_with_locals(int a);
int tail_call(int a);
int shrink_wrapped(const int *values, int n);

int calls(int seed);
int frames(int seed);
int arithmetic(int seed);
int library(int seed);
int handwritten(int seed);
int tables(int seed);
int jumps(int seed);
int cplusplus(int seed);
int exceptions(int seed);
int assembly(int seed);
void interrupts_start(void);

#endif

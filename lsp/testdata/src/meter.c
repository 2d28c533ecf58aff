/* The firmware of the tests in package lsp: a call two levels deep and an
   inlined one, and a call that ends its function. */
#include "clamp.h"

volatile int input;
volatile int output;

__attribute__((noinline)) int measure(int channel)
{
    return clamp(input + channel);
}

__attribute__((noinline)) void sample(void)
{
    output = measure(3);
    output = 0;
}

void reset(void)
{
    for (;;)
        sample();
}

__attribute__((noinline, noreturn)) void halt(void)
{
    for (;;)
        ;
}

void fail(void)
{
    halt();
}

int after(void)
{
    return 1;
}

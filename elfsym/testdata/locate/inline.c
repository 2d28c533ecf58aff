// Inlined calls, a nested function, and a function that --gc-sections
// discards, whose DWARF claims addresses from 0 on, where the vector table and
// live functions are.
int source(void);
volatile int sink;

static inline __attribute__((always_inline)) int square(int x)
{
    return x * x * sink;
}

static inline __attribute__((always_inline)) int poly(int x)
{
    int y = square(x);
    sink = y;
    return y + square(x + 1);
}

__attribute__((noinline, cold)) void fail(int code)
{
    sink = code;
    sink = -1;
}

__attribute__((noinline)) int work(int x)
{
    if (__builtin_expect(x < 0, 0)) {
        fail(x);
        sink = 3;
    }
    return poly(x) + 1;
}

int discarded(int x)
{
    for (int i = 0; i < x; i++) {
        sink += i * square(x);
        sink -= poly(i);
        sink ^= poly(x);
    }
    return sink;
}

int source(void)
{
    int nested(int a) { sink = a; return a + sink; }
    return nested(sink) + nested(2);
}

__attribute__((noreturn)) void Reset_Handler(void)
{
    sink = work(source());
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) const void *const vectors[4] = {
    (void *)0x20001000, Reset_Handler, Reset_Handler, Reset_Handler,
};

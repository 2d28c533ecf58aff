// Frames of many shapes without the standard library.
int sink(int *a, double *b);

__attribute__((noinline)) int variable(int n)
{
    volatile int v[n];
    double d[4] = {0};
    v[0] = n;
    sink((int *)v, d);
    return v[0] + (int)d[1];
}

__attribute__((noinline)) int sink(int *a, double *b) { return a[0] + (int)b[0]; }

__attribute__((noinline)) double saved(double a, double b, double c, int n)
{
    variable(n);
    double r = a * b;
    variable(n + 1);
    return r + c * a + variable(2);
}

__attribute__((noinline)) int large(int n)
{
    int v[3000];
    double d[4] = {n};
    v[n] = n;
    return sink(v, d) + v[n + 1];
}

__attribute__((noinline)) int variadic(int n, ...)
{
    __builtin_va_list ap;
    __builtin_va_start(ap, n);
    int v = variable(__builtin_va_arg(ap, int));
    __builtin_va_end(ap);
    return v;
}

__attribute__((noinline)) int leaf(int n) { return n * 3; }

void _start(void)
{
    volatile int n = variable(4) + (int)saved(1, 2, 3, 4) + large(5) + variadic(1, 2) + leaf(3);
    for (;;)
        n++;
}

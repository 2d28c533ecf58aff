/* Functions that use the stack in every way a compiler knows. callees.c has what
   they call, in a unit of its own so that nothing is inlined. */
#include <stdarg.h>

int sink(int, ...);
int use(void *);
int eight(int, int, int, int, int, int, int, int);
float fuse(float *);
_Noreturn void stop(int);
extern int (*volatile hook)(int);

typedef struct { int word[6]; } block;
block make(int);

int leaf(int a) { return a + 1; }

int variadic(int n, ...)
{
  va_list list;
  int sum = 0;
  va_start(list, n);
  while (n--)
    sum += va_arg(list, int);
  va_end(list);
  return sink(sum) + 1;
}

int variadic_three(int a, int b, int c, ...)
{
  va_list list;
  va_start(list, c);
  a += va_arg(list, int);
  va_end(list);
  return use(&list) + a + b;
}

int on_stack(int a) { return eight(a, 2, 3, 4, 5, 6, 7, 8) + 1; }

int small_array(void) { char b[20]; return use(b) + 1; }
int page(void) { char b[600]; return use(b) + 1; }
int large(void) { char b[5000]; return use(b) + 1; }
int huge(void) { char b[70000]; return use(b) + b[3]; }

int vla(int n) { char b[n]; return use(b) + b[0]; }
int vla_nested(int n)
{
  int sum = 0;
  for (int i = 1; i < n; i++) {
    int b[i];
    sum += use(b) + b[0];
  }
  return sum;
}
int alloca_once(int n) { return use(__builtin_alloca(n)) + 1; }
int alloca_loop(int n)
{
  void *list = 0;
  while (n--) {
    void **p = __builtin_alloca(16);
    *p = list;
    list = p;
  }
  return use(list) + 1;
}
int vla_and_call(int n) { char b[n]; return eight(use(b), 2, 3, 4, 5, 6, 7, b[0]) + 1; }

int aligned(void) { _Alignas(64) char b[100]; return use(b) + 1; }
int aligned_vla(int n) { _Alignas(32) char b[40]; char c[n]; return use(b) + use(c); }

__attribute__((interrupt)) void handler(void) { use(0); }
__attribute__((naked)) void bare(void) { __asm__ volatile("push {r4, lr}\n bl use\n pop {r4, pc}"); }

int recursive(int n) { return n ? recursive(n - 1) * 2 + use(0) : 1; }
int odd(int n);
__attribute__((noinline)) int even(int n) { return n ? odd(n - 1) + use(&n) : 1; }
__attribute__((noinline)) int odd(int n) { return n ? even(n - 1) + use(&n) : 0; }

int indirect(int a) { return hook(a) + 1; }
int indirect_tail(int a) { return hook(a); }
int tail(int a) { return use((void *)&hook + a); }
int wrapped(int a) { return a > 3 ? use((void *)&hook) : sink(a) + a; }

int early(int *p, int n)
{
  if (!p)
    return -1; /* shrink-wrapped */
  int sum = 0, b[4] = {n, p[0], p[1], p[2]};
  for (int i = 0; i < n; i++)
    sum += use(b) * p[i] + b[i & 3];
  return sum;
}

void fails(int a)
{
  char b[40];
  if (a)
    stop(use(b));
  use(b);
  stop(a); /* nothing behind it */
}
int after_fails(int a) { char b[8]; use(b); return a + b[2]; }

float floats(float a, float b)
{
  float c[4] = {a, b, a * b, a - b};
  return fuse(c) * a + fuse(c) * b + fuse(c + 1) * a * b + c[2];
}
double doubles(double a, double b) { return a * b + use(0) + a / b; }
long long wide(long long a, long long b) { return a / b + a % b; }
unsigned divide(unsigned a, unsigned b) { return a / b + use(&a); }

int table(int a)
{
  char b[12];
  switch (a) {
  case 0: return use(b) + 1;
  case 1: return sink(a, b) * 3;
  case 2: return eight(a, a, a, a, 1, 2, 3, 4) + 5;
  case 3: return use(&a) - 7;
  case 4: return leaf(use(b)) - sink(1);
  case 5: return sink(2, b) + use(b + 4);
  default: return 9;
  }
}
int by_value(block x) { block y = make(x.word[1]); return use(&y) + x.word[5]; }
int returns_block(int a) { return make(a).word[2] + make(a + 1).word[3]; }
int many(int *p)
{
  int a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7], i = p[8], j = p[9];
  use(p);
  return a * b + c * d + e * f + g * h + i * j + (a ^ c ^ e ^ g ^ i) * use(p) + (b | d | f | h | j);
}

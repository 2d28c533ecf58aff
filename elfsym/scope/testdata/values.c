/* Declarations of every kind that C has, and code that keeps them in registers,
   on the stack, in pieces and nowhere. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opaque;
enum color { RED, GREEN = 5, BLUE = -2 };
enum flags { F_READ = 1, F_WRITE = 2, F_EXEC = 4 };
typedef enum { OFF, ON } power_t;
typedef unsigned int word_t;
typedef const volatile word_t port_t;
typedef int callback_t(int event, void *context);
typedef struct point { int x, y; } point_t;

struct bits {
  unsigned a : 3;
  int b : 7;
  unsigned : 0;
  uint8_t c : 2, d : 6;
  unsigned long long e : 40;
  bool f : 1;
  enum color g : 4;
};
struct __attribute__((packed)) straddle {
  uint8_t head;
  unsigned x : 5;
  unsigned y : 30;
  unsigned z : 13;
  uint16_t tail;
};
union number {
  uint8_t bytes[8];
  float f;
  double d;
  long long ll;
  struct { uint16_t low, high; };
};
struct node {
  struct node *next, **link;
  const char *const name;
  callback_t *callback;
  int (*table[3])(struct node *, ...);
  struct opaque *hidden;
  union number value;
  struct { int inner; struct { short deep; } more; } named;
  union { int i; float f; };
  int matrix[4][3];
  volatile uint8_t data[];
};
typedef float vec4 __attribute__((vector_size(16)));

port_t port = 1;
struct bits bits;
struct straddle straddle;
struct node first = {.name = "first"}, *head = &first;
static point_t points[2][5];
const char *const names[] = {"red", "green"};
static power_t power;
enum flags mode = F_READ | F_EXEC;
vec4 vector;
_Complex double impedance;
_Complex float small_impedance;
long double long_one;
char character;
signed char signed_character;
void *anything;
int (*(*returns_pointer)(void))[4];
void (*nothing)();
void (*noprototype)(void);
wchar_t wide;
unsigned char big[100000];
const struct point *const volatile qualified;
int *restrict alias;
_Atomic int atomic;
_Bool truth;
static const int table_size = 12;
volatile int sink;

__attribute__((noinline)) void consume(const volatile void *p) { sink += *(const volatile uint8_t *)p; }

static inline int square(int value) {
  int result = value * value;
  return result + sink;
}

static inline point_t add(point_t left, point_t right) {
  point_t sum = {left.x + right.x, left.y + right.y};
  return sum;
}

__attribute__((noinline)) static int entry(int first_argument, int second, short third) {
  int before = second + third;
  consume(&port);
  sink = first_argument;
  consume(&mode);
  return before + square(sink);
}

__attribute__((noinline)) long long wide_values(long long a, double d, float f, uint8_t byte) {
  long long product = a * byte;
  double scaled = d * f;
  consume(&a);
  return product + (long long)scaled;
}

__attribute__((noinline)) int variable_length(int n, int m) {
  int rows[n][m + 1];
  static int calls;
  for (int i = 0; i < n; i++)
    rows[i][0] = i;
  consume(rows);
  calls++;
  return rows[n - 1][0] + calls;
}

__attribute__((noinline)) int blocks(int depth, struct node *node) {
  int total = 0;
  for (int i = 0; i < depth; i++) {
    int depth = i * 2;
    if (node) {
      const char *name = node->name;
      static short counter = 7;
      counter += depth;
      consume(name);
      total += counter;
    }
    total += depth;
  }
  {
    extern volatile int sink;
    point_t moved = add((point_t){total, 1}, points[0][1]);
    total += square(moved.x) + sink;
  }
  return total;
}

__attribute__((noinline)) int variadic(const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int first = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return first + *format;
}

__attribute__((noinline)) int pointers(void) {
  point_t local = {3, 4};
  point_t *pointer = &local;
  int constant = 42;
  int *to_constant = &constant;
  sink = constant;
  sink += *to_constant;
  return pointer->x + pointer->y + sink;
}

int start(void) {
  int a = sink;
  points[1][2].x = entry(a, 2, 3);
  power = ON;
  a += blocks(a, head) + variable_length(a, 3) + variadic("a", a) + pointers();
  a += (int)wide_values(a, 1.5, 2.5f, 7) + table_size;
  return a + entry(7, a, (short)a);
}

/* A program with a variable of every kind that C has, on several levels of
 * calls. It is stopped in stop_here. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { IDLE, RUNNING, BLOCKED = 7 } state_t;
enum flags { READ = 1, WRITE = 2, EXECUTE = 4 };
enum level { LOW = -1, MIDDLE, HIGH };

struct point {
  int16_t x, y;
};

struct bits {
  unsigned a : 3;
  int b : 5;
  unsigned c : 17;
  bool flag : 1;
  state_t state : 4;
  uint64_t wide : 40;
};

struct __attribute__((packed)) packed {
  uint8_t kind;
  uint32_t word;
  uint16_t half;
  double real;
};

union number {
  uint32_t u;
  float f;
  uint8_t bytes[4];
  struct {
    uint16_t low, high;
  };
};

struct node {
  const char *name;
  struct node *next;
  union {
    int count;
    float ratio;
  };
  struct point at;
};

struct registers {
  volatile uint32_t control, status;
  uint32_t reserved[3];
};

typedef int (*operation)(int, int);
struct opaque;

struct everything {
  char c;
  signed char sc;
  unsigned char uc;
  short s;
  unsigned short us;
  int i;
  unsigned u;
  long l;
  unsigned long ul;
  long long ll;
  unsigned long long ull;
  float f;
  double d;
  bool b;
  state_t state;
  enum level level;
  enum flags flags;
  struct point *where;
  const char *text;
  char name[12];
  uint8_t raw[6];
  int grid[2][3];
  struct point path[2];
  union number number;
  operation op;
  struct opaque *hidden;
  void *any;
  void *const *table;
};

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }

struct node second = {"second", NULL, {7}, {-3, 4}};
struct node first = {"first", &second, {42}, {1, -2}};
static struct bits bits = {5, -7, 99999, true, BLOCKED, 0x123456789aULL};
static struct packed packed = {1, 0xdeadbeef, 0x1234, 2.5};
static const char greeting[] = "hello\n\"world\"";
static operation operations[] = {add, subtract, NULL};
uint64_t big = 0xfedcba9876543210ULL;
volatile int64_t negative = -5000000000LL;
float ratios[4] = {0.1f, -2.5f, 1e20f, 3.0f};
double precise = 3.141592653589793;
static state_t states[3] = {RUNNING, BLOCKED, IDLE};
enum flags access_rights = READ | EXECUTE;
const char *names[] = {"zero", "one", NULL};
struct registers *const device = (struct registers *)&ratios;
float _Complex phase = 1.5f - 2.0if;
unsigned char large[3000];
static int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static const unsigned long constant = 12345;
struct everything all;
volatile int sink;

__attribute__((noinline)) void stop_here(void) { __asm volatile("" ::: "memory"); }

static inline __attribute__((always_inline)) int clamp(int value, int low, int high) {
  int clamped = value < low ? low : value;
  if (clamped > high) {
    int over = clamped - high;
    sink = over;
    stop_here();
    clamped = high;
  }
  return clamped;
}

static __attribute__((noinline)) int leaf(int depth, struct point p, const struct node *list) {
  static int calls = 3;
  calls += depth;
  int sum = p.x + p.y;
  for (const struct node *n = list; n; n = n->next) {
    int count = n->count;
    sum += count;
    stop_here();
  }
  sink = sum;
  return clamp(sum, depth, 20) + calls;
}

static __attribute__((noinline)) long long middle(int a, unsigned b, int8_t c, float d, double e, uint64_t f, bool g) {
  struct everything local = {.c = 'x', .i = a, .u = b, .ll = (long long)f, .f = d, .d = e, .b = g, .text = greeting};
  local.where = &first.at;
  int a_shadowed = a;
  {
    float a = d * 2;
    struct point here = {(int16_t)b, c};
    for (unsigned i = 0; i < 2; i++) {
      local.grid[1][i] = leaf((int)i, here, &first);
    }
    sink = (int)a;
  }
  all = local;
  return local.ll + a_shadowed + local.grid[1][0];
}

static __attribute__((noinline)) int variable_length(int n, char fill) {
  short items[n];
  char text[n + 1];
  for (int i = 0; i < n; i++) {
    items[i] = (short)(i * i);
    text[i] = (char)(fill + i);
  }
  text[n] = 0;
  sink = items[n - 1] + text[0];
  int result = (int)middle(n, 0x80000001u, -4, 1.25f, -0.5, big, n > 2);
  sink = items[0] + text[1];
  return result;
}

static __attribute__((noinline)) int recurse(int n, struct node *parent) {
  struct node mine = {"mine", parent, {n}, {(int16_t)n, (int16_t)-n}};
  if (n == 0) {
    int r = variable_length(5, 'a');
    return r + mine.count;
  }
  int below = recurse(n - 1, &mine);
  sink = mine.at.x;
  return below + mine.count;
}

int main(void) {
  int result = 0;
  operation op = operations[1];
  second.next = NULL;
  all.name[0] = 'n';
  for (int i = 0; i < 3; i++) {
    result += op(recurse(2, &first), i);
    bits.a++;
    states[0] = (state_t)i;
    packed.half++;
    grid[i][0] += (int)constant;
  }
  large[7] = (unsigned char)result;
  sink = (int)(result + negative + (int)precise + names[0][0] + (int)access_rights + (int)device->status);
  phase += 1.0f;
  return 0;
}

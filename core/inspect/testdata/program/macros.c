/* A program whose expressions have macros of every kind. */
#define EARLY 1
#define CHANGES 10
#include "macros.h"

#define TWICE(x) ((x) + (x))
#define SUM(a, ...) add(a, __VA_ARGS__)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define NAME(x) #x
#define XNAME(x) NAME(x)
#define NOTHING
#define LOOP LOOP + 1
#define PING PONG
#define PONG PING
#define FIELD status
#define BOARD (board.now)
#define STATE (BOARD.level)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define INIT(x) ((x) = 0)
#define BLOCK(x) do { (x)++; } while (0)
#define CALL(x) in_header(x)
#define TYPE struct device
#define NEGATIVE -1
#define FLOAT 2.5f
#define TEXT "te" "xt"
#define LETTER 'A'
#define LONG_NAME_OF_A_MACRO (CAT(ear, ly_count) + CHANGES)
#define LINE_TWO \
  (2 + \
   2)
#define OFFSET(type, member) ((unsigned long)&((type *)0)->member)

struct {
  struct {
    int level, limit;
  } now;
} board = {{4, 9}};
struct device *volatile device = DEVICE;
int early_count = 7, status = 3;
volatile int sink;

KEPT static int early(int argument) {
  __asm volatile("" ::: "memory");
  return argument + CHANGES;
}

#undef CHANGES
#define CHANGES 20
#undef EARLY
#define LATE 2
#include "macros.h"

KEPT static int late(int argument) {
  __asm volatile("" ::: "memory");
  return argument + CHANGES + LATE;
}
#undef LATE
#define CHANGES_AGAIN 30

int main(void) {
  sink = early(1) + late(2) + in_header(3);
  for (;;) {
  }
}

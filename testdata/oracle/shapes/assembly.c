/* Calls everything in assembly/, with data that takes every way through it. */
#include "shapes.h"

enum { WORDS = 24, STACK = 1024, REGISTERS = 16 };

static uint32_t from[WORDS], to[WORDS];
static uint32_t other_stack[STACK] __attribute__((aligned(8)));
static uint32_t marked[REGISTERS];

int call_on_stack(int (*f)(int), uint32_t *top);
int call_with_old_below(int (*f)(int), uint32_t *top);
int push_into(int value, uint32_t *end);

#ifdef __thumb__
void *copy_narrow(void *, const void *, unsigned);
void *fill_swapped(void *, unsigned, int);
unsigned length_narrow(const char *);
unsigned divide_narrow(unsigned, unsigned), divmod_narrow(unsigned, unsigned), divmod_by_frame(unsigned, unsigned);
int crc_narrow(int), through_r12(int), room_below(int), goto_narrow(int), goto_bytes(int), two_entries(int);
int nested_subroutines(int), tail_by_pointer(int), tpcs_frame(int), through_veneers(int), several_epilogues(int);
int mark_narrow(uint32_t *) __attribute__((returns_twice));
void narrow_longjmp(uint32_t *, int) __attribute__((noreturn));

SHAPE static int narrow(int a) {
  copy_narrow(to, from, 53);
  copy_narrow((char *)to + 1, from, 5);
  fill_swapped(to, 9, a);
  fill_swapped(to, 0, a);
  int sum = length_narrow((const char *)from) + length_narrow((const char *)from + 1);
  sum += divide_narrow(a + 1000, 7) + divide_narrow(a, 0) + divide_narrow(1, 2);
  sum += divmod_narrow(a + 99, 5) + divmod_by_frame(a + 77, 3);
  for (int i = 0; i < 4; i++) {
    sum += goto_narrow(i) + goto_bytes(i) + several_epilogues(i);
  }
  sum += crc_narrow(a) + through_r12(a) + room_below(a) + two_entries(a) + nested_subroutines(a);
  return sum + tail_by_pointer(a) + tpcs_frame(a) + through_veneers(a);
}

SHAPE static int dig_narrow(int a) {
  if (a > 2) {
    narrow_longjmp(marked, a);
  }
  return dig_narrow(a + 1) + leaf(a);
}

SHAPE static int jump_narrow(int a) {
  int back = mark_narrow(marked);
  return back ? back + a : dig_narrow(0);
}
#endif

#if defined(__thumb__) && __ARM_ARCH_ISA_THUMB == 2
void *copy_wide(void *, const void *, unsigned);
unsigned divide_wide(unsigned, unsigned), results_on_stack(unsigned, unsigned);
int conditional_epilogues(int), conditional_load_of_pc(int), conditional_push(int), registers_one_by_one(int);
int frame_with_room(int), goto_wide(int), crc_wide(int), tail_behind_pop(int), pushes_inside(int), lr_by_hand(int);
int mark_wide(uint32_t *) __attribute__((returns_twice));
void wide_longjmp(uint32_t *, int) __attribute__((noreturn));

SHAPE static int dig_wide(int a) {
  if (a > 2) {
    wide_longjmp(marked, a);
  }
  return dig_wide(a + 1) + leaf(a);
}

SHAPE static int more(int a) {
  copy_wide(to, from, 21);
  copy_wide(to, from, 16);
  copy_wide(to, from, 3);
  int sum = divide_wide(a + 1000, 9) + divide_wide(a, 0) + divide_wide(1, 4) + results_on_stack(a + 50, 6);
  for (int i = 0; i < 8; i++) {
    sum += conditional_epilogues(i) + conditional_load_of_pc(i) + conditional_push(i) + goto_wide(i);
    sum += tail_behind_pop(i) + pushes_inside(i) + lr_by_hand(i);
  }
  int back = mark_wide(marked);
  return back ? back + sum + registers_one_by_one(a) + frame_with_room(a) + crc_wide(a) : dig_wide(0);
}
#elif !defined(__thumb__)
void *copy_arm(void *, const void *, unsigned), *fill_arm(void *, int, unsigned);
void blit_arm(void *, const void *), blit_arm_saved(void *, const void *);
unsigned length_arm(const char *), divide_arm(unsigned, unsigned), divmod_arm(unsigned, unsigned);
int crc_arm(int), through_ip(int), room_arm(int), goto_arm(int), dispatch_arm(int), epilogues_arm(int);
int apcs_frame(int), tails_arm(int), subroutines_arm(int);
int mark_arm(uint32_t *) __attribute__((returns_twice));
void arm_longjmp(uint32_t *, int) __attribute__((noreturn));

SHAPE static int dig_arm(int a) {
  if (a > 2) {
    arm_longjmp(marked, a);
  }
  return dig_arm(a + 1) + leaf(a);
}

SHAPE static int more(int a) {
  copy_arm(to, from, 75);
  copy_arm(to, from, 3);
  fill_arm(to, 1, 48);
  fill_arm(to, 1, 44);
  blit_arm(to, from);
  blit_arm_saved(to, from);
  int sum = length_arm((const char *)from) + length_arm((const char *)from + 1);
  sum += divide_arm(a + 1000, 7) + divide_arm(a, 0) + divide_arm(1, 2) + divide_arm(a + 64, 8) + divide_arm(a, 1);
  sum += divmod_arm(a + 99, 5) + divmod_arm(a, 0);
  for (int i = 0; i < 8; i++) {
    sum += goto_arm(i) + dispatch_arm(i) + epilogues_arm(i * 7) + tails_arm(i);
  }
  sum += crc_arm(a) + through_ip(a) + room_arm(a) + apcs_frame(a) + subroutines_arm(a);
  int back = mark_arm(marked);
  return back ? back + sum : dig_arm(0);
}
#else
#define more leaf
#endif

#if __ARM_ARCH_PROFILE != 'M' && defined(__thumb__)
int changes_state(int), through_interwork(int);

SHAPE static int interworking(int a) { return changes_state(a) + through_interwork(a) + through_interwork(a + 20); }
#else
#define interworking leaf
#endif

SHAPE static int elsewhere(int a) { return tail_call(a) + leaf_with_locals(a); }

int assembly(int seed) {
  for (int i = 0; i < WORDS; i++) {
    from[i] = 0x31323334;
  }
  from[WORDS / 2] = 0;
  int sum = more(seed) + interworking(seed);
#ifdef __thumb__
  sum += narrow(seed) + jump_narrow(seed);
#endif
  sum += call_on_stack(elsewhere, other_stack + STACK) + call_with_old_below(elsewhere, other_stack + STACK);
  return sum + push_into(seed, other_stack + STACK);
}

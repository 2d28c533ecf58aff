/* Switches: dense with 8 and 16 bit tables, sparse, with calls, in loops. */
#include "shapes.h"

SHAPE int dense(int k) {
  switch (k) {
  case 0: return leaf(7);
  case 1: return tail_call(6) + 1;
  case 2: return leaf_with_locals(5);
  case 3: return leaf(4) * leaf(3);
  case 4: sink = k; return 3;
  case 5: return shrink_wrapped(&k, 1);
  case 6: return leaf(sink) - 2;
  case 7: return tail_call(k);
  default: return k;
  }
}

SHAPE int sparse(int k) {
  switch (k) {
  case 3: return leaf(1);
  case 100: return leaf(2) + 5;
  case 2000: return tail_call(3) + 6;
  case 40000: return leaf_with_locals(4);
  default: return leaf(k);
  }
}

#define STEP(n) case n: sum += leaf(sum ^ n) * (n + 3) + leaf_with_locals(n) / (n + 1); sink = sum; break;

SHAPE int interpreter(const unsigned char *code) {
  int sum = 0;
  for (;; code++) {
    switch (*code) {
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9)
    STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15) STEP(16) STEP(17) STEP(18) STEP(19)
    case 20: return sum;
    default: sum--;
    }
  }
}

/* So large that v6-M needs far branches inside it. */
#define FAR4(n) FAR(n) FAR(n + 1) FAR(n + 2) FAR(n + 3)
#define FAR(n) if (mask & (1u << ((n) & 31))) { sum += leaf(sum + (n)); sink = sum * (n); sum ^= sink >> 3; }

SHAPE int far_branches(unsigned mask, int rounds) {
  int sum = 0;
  while (rounds-- > 0) {
    FAR4(1) FAR4(5) FAR4(9) FAR4(13) FAR4(17) FAR4(21) FAR4(25) FAR4(29)
    FAR4(33) FAR4(37) FAR4(41) FAR4(45) FAR4(49) FAR4(53) FAR4(57) FAR4(61)
    if (sum == 12345) {
      continue;
    }
    FAR4(65) FAR4(69) FAR4(73) FAR4(77) FAR4(81) FAR4(85) FAR4(89) FAR4(93)
  }
  return sum;
}

int tables(int seed) {
  static const unsigned char program[] = {3, 1, 4, 15, 9, 2, 6, 19, 77, 5, 11, 0, 17, 20};
  static const int keys[] = {3, 100, 2000, 40000, 5};
  int sum = interpreter(program) + far_branches(0x10101u << seed, 1);
  for (int k = 0; k < 9; k++) {
    sum += dense(k);
  }
  for (int k = 0; k < 5; k++) {
    sum += sparse(keys[k]);
  }
  return sum;
}

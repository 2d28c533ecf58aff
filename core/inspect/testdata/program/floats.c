/* A program whose variables live in FP registers across calls, so that the values
 * of callers are in the registers that younger functions saved. */
volatile float source = 1.25f;
volatile float result;

__attribute__((noinline)) void stop_here(void) { __asm volatile("" ::: "memory"); }

static __attribute__((noinline)) float leaf(float scale) {
  float square = scale * scale;
  stop_here();
  return square + source;
}

/* It keeps eight variables in S16 to S31 over the calls. */
static __attribute__((noinline)) float busy(float seed) {
  float a = seed + source, b = a * 1.5f, c = b - source, d = c * a, e = d + b, f = e - a, g = f * 0.5f, h = g + c;
  float part = leaf(a);
  part += leaf(h);
  return part + a + b + c + d + e + f + g + h;
}

/* It changes no FP register. */
static __attribute__((noinline)) int quiet(int n, float (*next)(float)) {
  result = next(source);
  return n + 1;
}

/* It changes S16 only. */
static __attribute__((noinline)) float narrow(int depth, float seed) {
  float kept = seed * 3.0f;
  float inner = depth > 0 ? narrow(depth - 1, kept) : (float)quiet(depth, busy);
  return inner + kept;
}

/* It keeps doubles over calls: in D8 to D15 where the FPU has them. */
static __attribute__((noinline)) double wide(int depth, double seed) {
  double a = seed + 0.5, b = a * 3.0, c = b - seed, d = c * a;
  double inner = depth > 0 ? wide(depth - 1, b) : busy((float)a);
  return inner + a + b + c + d;
}

int main(void) {
  float first = source + 0.125f, second = first * 7.0f;
  double precise = 2.5 * source;
  result = narrow(2, first);
  result = busy(second) + first + second;
  result = (float)(precise + wide(1, precise));
  stop_here();
  return 0;
}

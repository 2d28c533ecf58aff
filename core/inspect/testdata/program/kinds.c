/* Numbers and types of C beyond those of program.c. It is stopped in stop_here. Of
 * gcc there are members in the order of big-endian machines, of clang _BitInt. */
#include <stdint.h>
#include <wchar.h>
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;

float _Complex phase = 1.5f - 2.25if;
double _Complex impedance = -0.5 + 1e10i;
__fp16 half = 1.5f, tiny = -0x1p-20f;
long double extended = 2.718281828459045L;
wchar_t wide_text[] = L"w\u00e4";
char16_t text16[] = u"a\u20ac\U0001f600";
char32_t text32[] = U"b\U0001f600";
const char16_t *pointer16 = text16;

typedef int32_t vec4 __attribute__((vector_size(16)));
typedef float vecf __attribute__((vector_size(8)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));
vec4 ints = {1, -2, 3, -4};
vecf floats = {0.5f, -0.25f};
bytes16 bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

struct __attribute__((packed)) straddle {
  uint8_t lead : 3;
  uint32_t across : 30;
  int64_t far : 50;
  uint16_t tail : 13;
  double unaligned;
  void (*call)(void);
};
struct straddle straddle = {5, 0x2aaaaaaa, -0x1234567890aLL, 0x1555, 3.25, 0};

enum flags64 { F0 = 1, F20 = 1 << 20, F40 = 1LL << 40, F62 = 1LL << 62 };
enum flags64 mask = F20 | F40, top = F62, both = F0 | F62;
enum huge { HUGE = 0x7fffffffffffffffLL, LEAST = -0x7fffffffffffffffLL - 1 };
enum huge largest = HUGE, least = LEAST;

_Atomic int atomic = 7;
_Atomic(uint64_t) atomic64 = 1ULL << 40;
int *restrict only = (int *)&atomic;

#ifdef __clang__
_Float16 f16 = -2.5f16;
union {
  uint16_t bits;
  __bf16 number;
} brain = {0x4049};
_BitInt(100) enormous;
unsigned _BitInt(40) forty = 0xffffffffffuwb;
#else
_Complex int gaussian = 3 - 4i;
_Complex short small = -1 + 2i;
struct __attribute__((scalar_storage_order("big-endian"))) network {
  uint16_t port;
  int32_t seq;
  uint64_t stamp;
  float level;
  uint8_t proto : 4, version : 4;
  uint16_t frag : 13;
  enum flags64 mask;
  char name[4];
  uint16_t list[3];
};
struct network packet = {0x1234, -2, 0x0102030405060708ULL, 1.5f, 6, 4, 0x1555, F40, "abc", {1, 2, 0x300}};
#endif

short _Accum sa = -1.5hk;
_Accum a = 3.25k;
long _Accum la = -100.0625lk;
unsigned _Accum ua = 7.5uk;
unsigned long _Accum ula = 0.1ulk;
_Fract fr = -0.75r;
long _Fract lfr = 0.3lr;
unsigned _Fract ufr = 0.5ur;
short _Fract sfr = 0.25hr;
_Sat _Accum sat = 2.5k;

static int twice(int x) { return 2 * x; }
int (*call)(int) = twice;
int (*calls[2])(int) = {twice, 0};

volatile int sink;
__attribute__((noinline)) void stop_here(void) { __asm volatile("" ::: "memory"); }

int main(void) {
  float _Complex z = phase * phase;
#ifdef __clang__
  enormous = -5 * ((_BitInt(100))1 << 80);
#else
  __complex__ int local = gaussian;
  sink = __real__ local;
#endif
  sink = call(3) + (int)__real__ z;
  stop_here();
  return sink + (int)__imag__ z;
}

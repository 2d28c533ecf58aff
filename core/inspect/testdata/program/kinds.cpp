// Types of C++ that are rare in firmware. It is stopped in stop_here.
#include <cstddef>
#include <cstdint>

namespace kinds {

struct Root {
  virtual ~Root() = default;
  virtual int first(int x) const { return x; }
  virtual int second(int x) { return x + 1; }
  int plain(int x) { return x + base; }
  int base = 10;
};

struct Other {
  virtual int third() { return 3; }
  int other = 20;
};

struct Both : Root, Other {
  int second(int x) override { return x + 2; }
  int third() override { return 4; }
  int both = 30;
  short narrow = 5;
};

Both object;
int (Root::*normal)(int) = &Root::plain;
int (Root::*virtually)(int) = &Root::second;
int (Both::*adjusted)() = static_cast<int (Both::*)()>(&Other::third);
int (Root::*none)(int) = nullptr;
int Both::*member = &Both::both;
short Both::*narrow = &Both::narrow;
int Both::*inherited = &Both::other;
int Both::*no_member = nullptr;
int (Root::*const methods[2])(int) = {&Root::plain, &Root::second};

char8_t text8[] = u8"\u00fc\u20ac";
char16_t text16[] = u"a\u20ac\U0001f600";
char32_t text32[] = U"b\U0001f600";
const char8_t *pointer8 = text8;
wchar_t wide[] = L"w\u00e4";
char16_t letter16 = u'\u00e9';
char32_t letter32 = U'\U0001f600';
char8_t letter8 = u8'x';

enum class Wide : uint64_t { Low = 1, High = 1ull << 63, Middle = 1ull << 33 };
Wide wides[3] = {Wide::Low, Wide::High, static_cast<Wide>(static_cast<uint64_t>(Wide::Low) | static_cast<uint64_t>(Wide::Middle))};
enum class Tiny : bool { No, Yes };
Tiny tiny = Tiny::Yes;
enum class Signed : int8_t { Minus = -128, Plus = 127 };
Signed extremes[2] = {Signed::Minus, Signed::Plus};

std::nullptr_t null = nullptr;
struct Holder {
  std::nullptr_t nothing = nullptr;
  const int &reference;
  int &&moved;
};
int target = 77, other = 78;
Holder holder{nullptr, target, static_cast<int &&>(other)};

union Mixed {
  struct {
    uint32_t low : 12;
    int32_t middle : 9;
    uint32_t high : 11;
  };
  uint32_t all;
};
Mixed mixed{{0xabc, -100, 0x7ff}};

constexpr unsigned long long constant = 0xfedcba9876543210ull;
inline double real = -0.1;

}  // namespace kinds

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

static __attribute__((noinline)) int call(kinds::Both &object, int (kinds::Root::*method)(int), int kinds::Both::*field) {
  int value = (object.*method)(1) + object.*field;
  stop_here();
  return value + object.both;
}

volatile int sink;

int main() {
  using namespace kinds;
  sink = static_cast<int>(constant) + static_cast<int>(real) + static_cast<int>(*pointer8) + static_cast<int>(wides[2]) +
         call(object, normal, member) + (object.*adjusted)() + (object.*methods[1])(1);
  return sink;
}

// Declarations of every kind that C++ adds.
#include <stddef.h>
#include <stdint.h>

class Declared;
namespace outer {
inline namespace v1 {
struct Versioned { int number; };
}
namespace inner {
enum class Level : uint8_t { Low, High = 200 };
enum Plain { ZERO, ONE };
int counter = 3;
Versioned current;
}  // namespace inner
using namespace inner;

struct Base {
  virtual ~Base() {}
  virtual int area() const { return 0; }
  int id;
};
struct Left : virtual Base { int left; };
struct Right : virtual Base { int right; };
class Both : public Left, protected Right {
 public:
  explicit Both(int n) : n_(n) { ++instances; }
  int area() const override { return n_ * id; }
  static int instances;
  static constexpr int limit = 12;
  struct Nested { char tag; Both *owner; };
  Nested nested;
  mutable int cache;

 private:
  int n_;
  Plain plain : 3;
};
int Both::instances;

template <typename T, int N>
struct Buffer {
  T items[N];
  int used = 0;
  bool push(const T &item) {
    if (used == N) return false;
    items[used++] = item;
    return true;
  }
};
template <typename... Ts>
struct Pack { int size = sizeof...(Ts); };

Buffer<int, 4> ints;
Buffer<Buffer<char *, 2>, 3> nested_buffers;
Pack<int, char, Both> pack;
}  // namespace outer

namespace {
int hidden = 9;
struct Secret { long value; } secret;
}

int sink;
char16_t utf16 = u'x';
char32_t utf32 = U'y';
decltype(nullptr) none;
int outer::Base::*member = &outer::Base::id;
int (outer::Base::*method)() const = &outer::Base::area;
int &reference = outer::inner::counter;
outer::inner::Level level = outer::inner::Level::High;
Declared *declared;
const outer::Both *both_pointer;
void (*function)(outer::Both &, const int &, int &&);

__attribute__((noinline)) void consume(const void *p) { sink = *(const volatile char *)p; }

__attribute__((noinline)) int overload(int value) { return value + outer::counter; }
__attribute__((noinline)) int overload(const char *text, Declared *other = nullptr) {
  consume(other);
  return text[0];
}

__attribute__((noinline)) int lambda(int start) {
  int captured = start;
  auto add = [captured, &start](int more) { return captured + more + start; };
  consume(&add);
  for (auto &item : outer::ints.items) sink = item;
  return add(3);
}

__attribute__((noinline)) int move(int &&value, outer::Versioned &version) {
  using namespace outer;
  Both both(value);
  struct Local { int a; short b; } local{value, 2};
  consume(&local);
  consume(&both);
  return both.area() + version.number + local.a;
}

extern "C" int start() {
  outer::Versioned version{4};
  outer::ints.push(sink);
  outer::nested_buffers.push({});
  return lambda(2) + overload(3) + overload("x") + move(7, version) + hidden + (int)secret.value;
}

// Names that C does not have: namespaces, overloads, templates, methods.
#include <stdint.h>

namespace shapes_of {

template <typename T> __attribute__((noinline)) T twice(T x) {
  T y = static_cast<T>(x + x);
  return y;
}

__attribute__((noinline)) int area(int side) {
  int a = side * side;
  return a;
}

__attribute__((noinline)) int area(int width, int height) {
  int a = width * height;
  return a;
}

class Ring {
public:
  explicit Ring(int start) : at_(start) {}
  __attribute__((noinline)) int push(int x) {
    at_ = (at_ + x) & 7;
    return at_;
  }

private:
  int at_;
};

} // namespace shapes_of

extern "C" int shapes(int n) {
  int sum = shapes_of::twice<int>(n);
  sum += shapes_of::twice<int16_t>(static_cast<int16_t>(n));
  sum += shapes_of::area(n);
  sum += shapes_of::area(n, 2);
  shapes_of::Ring ring(n);
  sum += ring.push(3);
  return sum;
}

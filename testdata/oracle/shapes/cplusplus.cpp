// Exceptions, destructors, virtual calls, templates, lambdas, the standard library.
extern "C" {
#include "shapes.h"
}

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() { sink = sink + 1; }
  virtual int area(int k) const = 0;
};

struct Square : Shape {
  explicit Square(int side) : side(side) {}
  int area(int k) const override { return side * leaf(k); }
  int side;
};

struct Named {
  virtual ~Named() = default;
  virtual int name(int k) { return leaf(k); }
};

struct Circle : Shape, Named {
  int area(int k) const override { return 3 * leaf(k) + 1; }
  int name(int k) override { return leaf(k + 1) * 2; } // reached through a thunk
};

struct Guard {
  explicit Guard(int n) : n(n) {}
  ~Guard() { sink = leaf(n); }
  int n;
};

SHAPE int throwing(int depth) {
  Guard guard(depth);
  if (depth == 0) {
    throw std::runtime_error("deep");
  }
  return throwing(depth - 1) + leaf(depth);
}

SHAPE int rethrowing(int depth) {
  try {
    return throwing(depth);
  } catch (const std::runtime_error &) {
    sink = leaf(depth);
    throw;
  }
}

SHAPE int catching(int depth) {
  try {
    return rethrowing(depth);
  } catch (const std::exception &e) {
    return leaf(e.what()[0]);
  }
}

SHAPE int number_thrown(int n) {
  try {
    if (n & 1) {
      throw n;
    }
    return leaf(n);
  } catch (int k) {
    return tail_call(k);
  }
}

template <typename T> SHAPE T folded(const std::vector<T> &v, const std::function<T(T, T)> &f) {
  T sum{};
  for (const T &x : v) {
    sum = f(sum, x);
  }
  return sum;
}

SHAPE int containers(int n) {
  std::vector<int> v;
  for (int i = 0; i < 6; i++) {
    v.push_back((i * 37 + n) % 11);
  }
  std::sort(v.begin(), v.end(), [](int a, int b) { return leaf(a) < leaf(b); });
  std::string text = "value ";
  text += std::to_string(v[3]) + " of a text that is on the heap";
  return folded<int>(v, [n](int a, int b) { return a + leaf(b) + n; }) + static_cast<int>(text.size());
}

} // namespace

extern "C" int cplusplus(int seed) {
  std::vector<std::unique_ptr<Shape>> all;
  all.emplace_back(new Square(seed));
  all.emplace_back(new Circle);
  int sum = containers(seed) + catching(2 + seed) + number_thrown(seed);
  for (const auto &s : all) {
    sum += s->area(seed);
    if (Named *named = dynamic_cast<Named *>(s.get())) {
      sum += named->name(seed);
    }
  }
  return sum;
}

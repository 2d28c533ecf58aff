// One of the units of a program whose debug information is large: each has
// instances of its own of what the standard library has in templates.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "units.h"

#define JOIN(a, b) a##b
#define NAME(n) JOIN(unit, n)

namespace NAME(UNIT) {

template <int N>
struct Sample {
  int key, weight;
  std::string name;
  int sum(int x) const {
    int r = 0;
    for (int i = 0; i < x % 8; i++) r += key * i + weight;
    return r;
  }
};

template <int N>
__attribute__((noinline)) int weigh(const Sample<N> &s, int x) {
  int weight = s.sum(x) + N;
  if (x == wanted(UNIT, N)) stop_here(weight);
  return weight;
}

template <int N>
int total(std::vector<Sample<N>> &list, int x) {
  std::sort(list.begin(), list.end(), [](const Sample<N> &a, const Sample<N> &b) { return a.key < b.key; });
  std::map<int, int> seen;
  std::function<int(const Sample<N> &)> f = [x, &seen](const Sample<N> &s) { return weigh(s, x) + seen[s.key]++; };
  int sum = 0;
  for (const auto &s : list) sum += f(s);
  return sum + int(seen.size());
}

template <int N>
__attribute__((noinline)) int run(int x) {
  std::vector<Sample<N>> list;
  for (int i = 0; i < 3; i++) list.push_back({5 - i, x, i % 2 ? "a name that is too long for its place" : "short"});
  return total(list, x);
}

template <int... N>
int all(std::integer_sequence<int, N...>, int x) {
  return (run<N>(x) + ...);
}

__attribute__((noinline)) int enter(int x) { return all(std::make_integer_sequence<int, INSTANCES>(), x); }

}  // namespace NAME(UNIT)

// A ring buffer of fixed size.
#pragma once

namespace station {

template <typename T, unsigned N> class Ring {
public:
  void push(const T &value) {
    items_[next_ % N] = value;
    next_++;
  }

  // The value pushed age calls of push ago.
  __attribute__((noinline)) const T &at(unsigned age) const {
    if (age >= N) {
      __builtin_trap();
    }
    return items_[(next_ - 1 - age) % N];
  }

private:
  T items_[N] = {};
  unsigned next_ = 0;
};

} // namespace station

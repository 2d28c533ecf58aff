// The weather station in C++: readings, a history and reports over it.
#include "ring.hpp"

namespace station {

struct Reading {
  int value;
  unsigned channel;
};

class Report {
public:
  virtual int evaluate(const Ring<Reading, 4> &history) const = 0;
};

class Trend final : public Report {
public:
  explicit Trend(unsigned span) : span_(span) {}
  int evaluate(const Ring<Reading, 4> &history) const override;

private:
  unsigned span_;
};

__attribute__((noinline)) int Trend::evaluate(const Ring<Reading, 4> &history) const {
  int newest = history.at(0).value;
  return newest - history.at(span_).value;
}

namespace {

struct Evaluate {
  const Ring<Reading, 4> &history;

  int operator()(const Report &report) const { return report.evaluate(history) + 1; }
};

template <typename Visitor>
__attribute__((noinline)) int accumulate(const Report *const *reports, unsigned count, Visitor visit) {
  int sum = 0;
  for (unsigned i = 0; i < count; i++) {
    sum += visit(*reports[i]);
  }
  return sum;
}

class Station {
public:
  __attribute__((noinline)) void record(int value) { history_.push({value, 0}); }

  __attribute__((noinline)) int summary() const {
    const Trend shortTerm(1), longTerm(6);
    const Report *const reports[] = {&shortTerm, &longTerm};
    return accumulate(reports, 2, Evaluate{history_});
  }

private:
  Ring<Reading, 4> history_;
};

Station instance;
volatile int last_summary;

} // namespace

} // namespace station

// The personality routines that the EHABI tables name; nothing throws here.
extern "C" void __aeabi_unwind_cpp_pr0() {}
extern "C" void __aeabi_unwind_cpp_pr1() {}

extern "C" int main() {
  for (int i = 0; i < 5; i++) {
    station::instance.record(100 + 7 * i);
  }
  station::last_summary = station::instance.summary();
  return 0;
}

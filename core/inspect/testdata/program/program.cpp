// A program with a variable of every kind that C++ adds, and of the classes of
// the library that firmware uses. It is stopped in stop_here.
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

volatile int sink;

namespace shapes {

enum class Color : uint8_t { red, green = 5, blue };
enum Style { plain, dashed = 3 };

struct Base {
  virtual ~Base() = default;
  virtual int area() const { return tag; }
  int tag = 1;
  static int made;
};
int Base::made = 4;

struct Named {
  const char *name = "named";
  static constexpr int limit = 99;
};

struct Square : Base, Named {
  explicit Square(int s) : side(s) { made++; }
  int area() const override {
    int result = side * side;
    stop_here();
    return result + tag;
  }
  int side;
  Color color = Color::green;
};

struct Root {
  int root = 11;
};
struct Left : virtual Root {
  int left = 12;
};
struct Right : virtual Root {
  int right = 13;
};
struct Diamond : Left, Right {
  int bottom = 14;
};

template <typename T, unsigned N> struct Ring {
  T items[N] = {};
  unsigned head = 0;
  __attribute__((noinline)) void push(T value) {
    unsigned at = head++ % N;
    items[at] = value;
    stop_here();
  }
};

namespace {
Square hidden{3};
int counter = 17;
}  // namespace

Diamond diamond;
Ring<short, 4> ring;
int Base::*member = &Base::tag;
int (Base::*method)() const = &Base::area;

}  // namespace shapes

std::string short_text = "short";
std::string long_text = "a text that is too long for the small buffer";
std::string_view view_of_text = short_text;
std::vector<int> numbers;
std::vector<std::string> words;
std::vector<bool> bools;
std::array<uint16_t, 3> fixed = {1, 2, 3};
std::map<int, std::string> by_number;
std::set<char> letters;
std::list<int> chain;
std::deque<int> queue;
std::unordered_map<int, int> table;
std::optional<int> something = 5, nothing;
std::unique_ptr<shapes::Square> owned, empty;
std::shared_ptr<int> shared;
std::pair<int, float> couple = {1, 2.5f};
std::tuple<int, char, double> triple = {7, 't', 0.25};
std::variant<int, float> either = 1.5f;
char16_t wide = u'\u00e9';
char32_t wider = U'\U0001f600';
const char16_t *wide_text = u"wide";
decltype(nullptr) null = nullptr;

struct Machine {
  int state = 1;
  shapes::Square square{4};
  __attribute__((noinline)) int step(const shapes::Base &base, int &total, shapes::Color color) {
    int own = state * 2;
    auto bump = [&](int by) {
      total += by;
      stop_here();
      return total;
    };
    for (int i = 0; i < 2; i++) {
      own += bump(i);
      state++;
    }
    sink = own + static_cast<int>(color);
    return own + base.area();
  }
};

template <typename T> __attribute__((noinline)) T largest(const std::vector<T> &of) {
  T best{};
  for (const T &item : of) {
    if (item > best) best = item;
    stop_here();
  }
  return best;
}

extern "C" int main() {
  numbers = {3, 1, 2};
  words = {"one", "two and a text that is longer"};
  bools = {true, false, true};
  by_number = {{1, "first"}, {2, "second"}};
  letters = {'a', 'z'};
  chain = {4, 5};
  queue = {6, 7, 8};
  table = {{1, 10}, {2, 20}};
  owned = std::make_unique<shapes::Square>(6);
  shared = std::make_shared<int>(77);
  Machine machine;
  int total = 100;
  shapes::ring.push(9);
  machine.step(*owned, total, shapes::Color::blue);
  sink = largest(numbers) + shapes::hidden.area() + shapes::counter + (owned.get()->*shapes::method)() + shapes::diamond.root;
  sink = sink + fixed[0] + *something + couple.first + std::get<0>(triple) + wide + static_cast<int>(wider) + shapes::diamond.*(&shapes::Root::root);
  return 0;
}

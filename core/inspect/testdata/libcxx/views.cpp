// Types of the C++ library with what a debugger has to show of them, for any
// library: EXPECT(variable, "text").
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

// An expectation is in the program itself: the test reads them from there.
struct Expectation {
  const char *expression, *text;
};
#define EXPECT(expression, text) {#expression, text}

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

struct Point {
  int x, y;
};
struct Tracked {
  explicit Tracked(int n) : number(n) {}
  ~Tracked() { number = -1; }
  int number;
};
struct Nothing {};

std::string empty_text, short_text = "short", full_text = "ten bytes.", eleven_text = "eleven byte",
                        long_text = "a text that is too long for the small buffer";
std::string nul_text(std::string_view("a\0b", 3));
std::u16string wide_text = u"w\u00efde", wide_long = u"a wide text that is too long for it";
std::u32string wider_text = U"\U0001f600";
std::string_view view_of_text = short_text, no_view;

std::vector<int> numbers, none;
std::vector<std::string> words;
std::vector<bool> bools, many_bools;
std::vector<Point> points;
std::array<uint16_t, 3> fixed = {1, 2, 3};
std::array<std::string, 2> two_texts;

std::map<int, std::string> by_number;
std::map<int, int> big_map, no_map;
std::set<char> letters;
std::set<int64_t> wide_set;
std::multimap<int, int> many;
std::multiset<short> bag;
std::unordered_map<int, int> table;
std::unordered_map<std::string, int> by_name;
std::unordered_set<char> hashed;
std::unordered_multimap<int, int> pairs;

std::list<int> chain, no_chain;
std::list<std::string> texts;
std::deque<int> queue, no_queue;
std::deque<Point> long_queue;

std::optional<int> something = 5, nothing;
std::optional<std::string> some_text, no_text;
std::variant<int, float, std::string> first_kind = 3, second_kind = 1.5f, third_kind;
std::unique_ptr<Point> owned, empty;
std::unique_ptr<int[]> row;
std::unique_ptr<Tracked> tracked;
std::shared_ptr<int> shared, made, no_shared;
std::weak_ptr<int> weak, expired;

int backing[4] = {10, 20, 30, 40};
std::span<int> span_of = backing;
std::span<int, 3> fixed_span(backing, 3);
std::span<const int> no_span;
std::pair<int, float> couple = {1, 2.5f};
std::pair<std::string, Point> mixed;
std::tuple<int, char, double> triple = {7, 't', 0.25};
std::tuple<> no_tuple;
std::tuple<Nothing, int, std::string> with_empty;

extern const Expectation expectations[] = {
    EXPECT(empty_text, R"("")"),
    EXPECT(short_text, R"("short")"),
    EXPECT(full_text, R"("ten bytes.")"),
    EXPECT(eleven_text, R"("eleven byte")"),
    EXPECT(long_text, R"("a text that is too long for the small buffer")"),
    EXPECT(nul_text, R"("a\000b")"),
    EXPECT(wide_text, R"("wïde")"),
    EXPECT(wide_long, R"("a wide text that is too long for it")"),
    EXPECT(wider_text, R"("😀")"),
    EXPECT(view_of_text, R"("short")"),
    EXPECT(no_view, R"("")"),
    EXPECT(numbers, "[3] {3, 1, 2}"),
    EXPECT(numbers[1], "1 (0x1)"),
    EXPECT(none, "[0] {}"),
    EXPECT(words, R"([2] {"one", "two and a text that is longer"})"),
    EXPECT(words[1] == "two", "false"),
    EXPECT(bools, "[3] {true, false, true}"),
    EXPECT(many_bools[63], "false"),
    EXPECT(many_bools[64], "true"),
    EXPECT(points[1].y, "4 (0x4)"),
    EXPECT(fixed, "[3] {1, 2, 3}"),
    EXPECT(two_texts, R"([2] {"left", "right"})"),
    EXPECT(by_number, R"([2] {{first = 1, second = "first"}, {first = 2, second = "second"}})"),
    EXPECT(big_map[99].second, "9801 (0x2649)"),
    EXPECT(big_map[38].first, "38 (0x26)"),
    EXPECT(no_map, "[0] {}"),
    EXPECT(letters, "[3] {97 'a', 109 'm', 122 'z'}"),
    EXPECT(wide_set, "[2] {-5, 1099511627776}"),
    EXPECT(many, "[3] {{first = 1, second = 10}, {first = 1, second = 11}, {first = 2, second = 20}}"),
    EXPECT(bag, "[3] {4, 4, 5}"),
    EXPECT(table, "[1] {{first = 2, second = 20}}"),
    EXPECT(by_name, R"([1] {{first = "key", second = 6}})"),
    EXPECT(hashed, "[1] {104 'h'}"),
    EXPECT(pairs, "[2] {{first = 8, second = 80}, {first = 8, second = 80}}"),
    EXPECT(chain, "[2] {4, 5}"),
    EXPECT(no_chain, "[0] {}"),
    EXPECT(texts, R"([2] {"node", "another node with a longer text"})"),
    EXPECT(queue, "[3] {5, 6, 7}"),
    EXPECT(no_queue, "[0] {}"),
    EXPECT(long_queue[1999].x, "1999 (0x7cf)"),
    EXPECT(something, "5"),
    EXPECT(*something + 1, "6 (0x6)"),
    EXPECT(nothing, "nullopt"),
    EXPECT(some_text, R"("some")"),
    EXPECT(no_text, "nullopt"),
    EXPECT(first_kind, "3"),
    EXPECT(second_kind, "1.5"),
    EXPECT(third_kind, R"("third")"),
    EXPECT(*owned, "{x = 8, y = 9}"),
    EXPECT(owned->y, "9 (0x9)"),
    EXPECT(empty, "nullptr"),
    EXPECT(*row, "21 (0x15)"),
    EXPECT(tracked, "{number = 55}"),
    EXPECT(shared, "77"),
    EXPECT(made, "78"),
    EXPECT(no_shared, "nullptr"),
    EXPECT(weak, "77"),
    EXPECT(expired, "<expired>"),
    EXPECT(span_of, "[4] {10, 20, 30, 40}"),
    EXPECT(fixed_span, "[3] {10, 20, 30}"),
    EXPECT(no_span, "[0] {}"),
    EXPECT(couple, "{first = 1, second = 2.5}"),
    EXPECT(mixed, R"({first = "mixed", second = {x = 1, y = 2}})"),
    EXPECT(triple, "[3] {7, 116 't', 0.25}"),
    EXPECT(triple[1], "116 't'"),
    EXPECT(with_empty, R"([3] {{}, 3, "tuple"})"),
    {nullptr, nullptr},
};

extern "C" int main() {
  numbers = {3, 1, 2};
  words = {"one", "two and a text that is longer"};
  bools = {true, false, true};
  for (int i = 0; i < 70; i++) many_bools.push_back(i == 64);
  points = {{1, 2}, {3, 4}};
  two_texts = {"left", "right"};
  by_number = {{1, "first"}, {2, "second"}};
  for (int i = 0; i < 100; i++) big_map[i * 37 % 100] = (i * 37 % 100) * (i * 37 % 100);
  letters = {'a', 'z', 'm'};
  wide_set = {1099511627776, -5};
  many = {{1, 10}, {2, 20}, {1, 11}};
  bag = {5, 4, 4};
  table = {{2, 20}};
  by_name = {{"key", 6}};
  hashed = {'h'};
  pairs = {{8, 80}, {8, 80}};
  chain = {4, 5};
  texts = {"node", "another node with a longer text"};
  queue = {6, 7};
  queue.push_front(5);
  for (int i = 0; i < 2000; i++) long_queue.push_back({i, -i});
  some_text = "some";
  third_kind = std::string("third");
  owned.reset(new Point{8, 9});
  row.reset(new int[2]{21, 22});
  tracked = std::make_unique<Tracked>(55);
  shared.reset(new int(77));
  made = std::make_shared<int>(78);
  weak = shared;
  expired = std::make_shared<int>(79);
  mixed = {"mixed", {1, 2}};
  std::get<1>(with_empty) = 3;
  std::get<2>(with_empty) = "tuple";
  stop_here();
  return 0;
}

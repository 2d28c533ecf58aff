// Structures with the names and members of the Embedded Template Library
// (www.etlcpp.com), as etl/vector.h, basic_string.h, map.h and so on have them, and
// with what a debugger has to show of them.
#include <cstddef>
#include <cstdint>

namespace etl {
struct vector_base {
  const size_t CAPACITY;
};
template <typename T> struct ivector : vector_base {
  T *p_buffer, *p_end;
};
template <typename T> struct ivector<T *> : vector_base { // as pvoidvector
  void **p_buffer, **p_end;
};
template <typename T, size_t N> struct vector : ivector<T> {
  T buffer[N];
};
struct string_base {
  size_t current_size;
  const size_t CAPACITY;
};
template <typename T> struct ibasic_string : string_base {
  T *p_buffer;
};
template <size_t N> struct string : ibasic_string<char> {
  char buffer[N + 1];
};
template <typename T> struct basic_string_view {
  const T *mbegin, *mend;
};
template <typename T, size_t N> struct array {
  T _buffer[N];
};
template <typename T> struct optional {
  struct {
    union {
      char dummy;
      T value;
    } u;
    bool valid;
  } storage;
};
template <typename T, size_t Extent = static_cast<size_t>(-1)> struct span {
  T *pbegin;
};
template <typename T> struct span<T, static_cast<size_t>(-1)> {
  T *pbegin, *pend;
};
struct list_base {
  struct node_t {
    node_t *previous, *next;
  };
  void *p_node_pool;
  node_t terminal_node;
  size_t MAX_SIZE;
  bool pool_is_shared;
};
template <typename T> struct ilist : list_base {
  struct data_node_t : node_t {
    T value;
  };
};
template <typename T, size_t N> struct list : ilist<T> {};
template <typename T> struct less {};
template <typename K, typename V> struct pair {
  K first;
  V second;
};
struct map_base {
  struct Node {
    Node() : children{}, weight(2), dir(2) {}
    Node *children[2];
    uint_least8_t weight, dir;
  };
  size_t current_size;
  const size_t CAPACITY;
  Node *root_node;
};
template <typename K, typename V, typename C = less<K>> struct imap : map_base {
  struct Data_Node : Node {
    Data_Node(K k, V v) : value{k, v} {}
    pair<const K, V> value;
  };
};
template <typename K, typename V, size_t N> struct map : imap<K, V> {};
template <typename K, typename C = less<K>> struct iset : map_base {
  struct Data_Node : Node {
    Data_Node(K k) : value(k) {}
    K value;
  };
};
template <typename K, size_t N> struct set : iset<K> {};
template <typename K, typename V> struct iflat_map {
  using lookup_t = ivector<pair<const K, V> *>;
  lookup_t &lookup;
};
template <typename K, typename V, size_t N> struct flat_map : iflat_map<K, V> {};
template <typename T> struct ideque {
  struct iterator {
    ptrdiff_t index;
    ideque *p_deque;
    T *p_buffer;
  };
  size_t current_size;
  const size_t CAPACITY, Buffer_Size;
  iterator _begin, _end;
  T *p_buffer;
};
template <typename T, size_t N> struct deque : ideque<T> {};
template <typename T> struct iqueue {
  size_t in, out, current_size;
  const size_t CAPACITY;
  T *p_buffer;
};
template <typename T, size_t N> struct queue : iqueue<T> {};
template <typename T> struct icircular_buffer {
  size_t buffer_size, in, out;
  T *pbuffer;
};
template <typename T, size_t N> struct circular_buffer : icircular_buffer<T> {};
}  // namespace etl

struct Expectation {
  const char *expression, *text;
};
#define EXPECT(expression, text) {#expression, text}

int room[5] = {3, 1, 2, 8, 9};
int *pointers_room[2] = {room, room + 1};
char letters_room[11] = "ten bytes.";
etl::vector<int, 5> numbers = {{{5}, room, room + 3}, {}}, none = {{{5}, room, room}, {}};
etl::ivector<int> &any_vector = numbers;
etl::vector<int *, 2> pointers = {{{2}, reinterpret_cast<void **>(pointers_room), reinterpret_cast<void **>(pointers_room + 2)}, {}};
etl::string<10> text = {{{10, 10}, letters_room}, {}};
etl::ibasic_string<char> &any_text = text;
etl::basic_string_view<char> view_of = {letters_room, letters_room + 3};
etl::array<uint16_t, 3> fixed = {{1, 2, 3}};
etl::optional<int> something = {{{.value = 5}, true}}, nothing = {};
etl::span<int> span_of = {room, room + 2};
etl::span<int, 3> fixed_span = {room};
using IntList = etl::ilist<int>;
extern etl::list<int, 5> chain;
extern IntList::data_node_t first_node, second_node;
etl::list<int, 5> chain = {{{nullptr, {&second_node, &first_node}, 5, false}}};
IntList::data_node_t first_node = {{&chain.terminal_node, &second_node}, 4};
IntList::data_node_t second_node = {{&first_node, &chain.terminal_node}, 5};
etl::list<int, 5> no_chain = {{{nullptr, {&no_chain.terminal_node, &no_chain.terminal_node}, 5, false}}};
etl::imap<char, int>::Data_Node left('a', 1), middle('m', 2), right('z', 3);
etl::map<char, int, 4> by_letter = {{{3, 4, &middle}}};
etl::imap<char, int> &any_map = by_letter;
etl::iset<char>::Data_Node first_letter('a'), last_letter('z');
etl::set<char, 4> letters = {{{2, 4, &first_letter}}};
etl::pair<const int, int> four = {4, 40}, five = {5, 50};
etl::pair<const int, int> *flat_room[2] = {&four, &five};
etl::ivector<etl::pair<const int, int> *> flat_lookup = {{4}, reinterpret_cast<void **>(flat_room), reinterpret_cast<void **>(flat_room + 2)};
etl::flat_map<int, int, 4> flat = {{flat_lookup}};
etl::deque<int, 4> both = {{3, 4, 5, {3, nullptr, room}, {1, nullptr, room}, room}};
etl::queue<int, 5> line = {{1, 3, 3, 5, room}};
etl::circular_buffer<int, 4> ring = {{5, 2, 3, room}};

extern const Expectation expectations[] = {
    EXPECT(numbers, "[3] {3, 1, 2}"),
    EXPECT(numbers[1], "1 (0x1)"),
    EXPECT(none, "[0] {}"),
    EXPECT(any_vector, "[3] {3, 1, 2}"),
    EXPECT(*pointers[1], "1 (0x1)"),
    EXPECT(text, R"("ten bytes.")"),
    EXPECT(any_text, R"("ten bytes.")"),
    EXPECT(view_of, R"("ten")"),
    EXPECT(fixed, "[3] {1, 2, 3}"),
    EXPECT(something, "5"),
    EXPECT(nothing, "nullopt"),
    EXPECT(span_of, "[2] {3, 1}"),
    EXPECT(fixed_span, "[3] {3, 1, 2}"),
    EXPECT(chain, "[2] {4, 5}"),
    EXPECT(no_chain, "[0] {}"),
    EXPECT(by_letter, "[3] {97 'a': 1, 109 'm': 2, 122 'z': 3}"),
    EXPECT(any_map[2], "3 (0x3)"),
    EXPECT(letters, "[2] {97 'a', 122 'z'}"),
    EXPECT(flat, "[2] {{first = 4, second = 40}, {first = 5, second = 50}}"),
    EXPECT(both, "[3] {8, 9, 3}"),
    EXPECT(line, "[3] {8, 9, 3}"),
    EXPECT(ring, "[4] {8, 9, 3, 1}"),
    {nullptr, nullptr},
};

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

extern "C" int main() {
  middle.children[0] = &left;
  middle.children[1] = &right;
  first_letter.children[1] = &last_letter;
  stop_here();
  return 0;
}

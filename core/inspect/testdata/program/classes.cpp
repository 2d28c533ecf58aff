// Classes whose bases are virtual: where an object's parts are is up to the object.

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const { return sides; }
  int sides = 1;
};
struct Flat : virtual Shape {
  int area() const override { return flat; }
  int flat = 2;
};
struct Round : virtual Shape {
  int round = 3;
};
struct Coin : Flat, Round {
  int area() const override { return coin; }
  int coin = 4;
};
struct Plain {
  int plain = 5;
};
struct Bare : virtual Plain {
  int bare = 6;
};

Coin coin;
Flat sheet;
Bare bare;
Shape *shape = &coin;
Flat &flat = coin;
Shape &sheet_shape = sheet;

extern "C" __attribute__((noinline)) void stop_here() { asm volatile("" ::: "memory"); }

volatile int sink;

int main() {
  sink = shape->area() + flat.area() + sheet_shape.area() + bare.plain;
  stop_here();
  return sink;
}

// Names that only DWARF knows: namespaces, templates, constructors, lambdas.
volatile int sink;

namespace geo {
template <typename T> struct Box {
    T w, h;
    Box(T a, T b) : w(a), h(b) { sink = a; }
    __attribute__((noinline)) T area() const { return w * h; }
};

template <typename F> __attribute__((noinline)) int apply(F f, int x) { return f(x) + f(x + 1); }
} // namespace geo

extern "C" void Reset_Handler()
{
    geo::Box<int> box(sink, 3);
    sink = geo::apply([&](int x) { sink = x; return x + box.area(); }, sink);
    for (;;) {
        sink = 1;
    }
}

extern "C" __attribute__((section(".vectors"), used)) const unsigned vectors[2] = {0x20001000, 0x101};

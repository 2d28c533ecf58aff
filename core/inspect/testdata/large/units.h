// How large the program is: INSTANCES of the templates in each of 12 units.
#define INSTANCES 40

// wanted is the argument with which an instance of a unit stops.
constexpr int wanted(int unit, int instance) { return unit * 1000 + instance; }

extern "C" void stop_here(int weight);

#define _Bool_ bool
#include "layout.h"

namespace app {
class Base { public: uint32_t id; static int count; virtual void run() {} };
class Task : public Base {
public:
	struct Config { uint8_t depth; uint32_t budget; };
	Config config;
	char16_t wide; /* an encoding that debug/dwarf does not know */
	Task *next;
	int &ref;
	explicit Task(int &r) : ref(r) {}
	uint32_t sum(uint32_t a) { uint32_t x = a; return x + id; }
};
enum class Colour : uint8_t { red = 1, green = 7 };
int Base::count;
}

struct truth { uint32_t size, config, budget, wide, next, id; };
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
extern const truth truth_of_task;
__attribute__((used)) const truth truth_of_task = {
	sizeof(app::Task), offsetof(app::Task, config), offsetof(app::Task, config.budget),
	offsetof(app::Task, wide), offsetof(app::Task, next), offsetof(app::Task, id),
};
static int storage;
__attribute__((used)) app::Task task(storage);
__attribute__((used)) app::Colour colour = app::Colour::green;
__attribute__((used)) user user_object;
extern "C" void _start() {}

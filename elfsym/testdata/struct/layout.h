/* Structures of every shape that a layout has to tell, in the part of the
 * language that C and C++ share. The arrays named truth hold what the compiler
 * makes of them: the tests compare what is read from DWARF with it. */
#include <stddef.h>
#include <stdint.h>

struct node { struct node *next, *prev; };

typedef struct {
	uint32_t first;
	uint8_t small;
	uint16_t mid;
	struct node link;
	const char *name;
	volatile int8_t level;
} anonymous_tag_t;

typedef anonymous_tag_t renamed_t;

struct bits {
	uint32_t lead;
	unsigned a : 3, b : 7, c : 22;
	uint8_t d : 1, e : 7;
	uint16_t f : 9;
	unsigned g : 5;
};

#pragma pack(push, 1)
struct packed { uint8_t a; uint32_t b; unsigned c : 4, d : 12, e : 31; uint16_t f; };
#pragma pack(pop)

struct outer {
	uint8_t tag;
	union {
		uint32_t word;
		struct { uint16_t low, high; };
		struct node link;
	};
	struct { uint8_t x; uint32_t y; } inner;
	renamed_t list[3];
	uint16_t grid[2][5];
	struct node *const head;
	uint8_t tail[];
};

enum state { STATE_IDLE, STATE_READY = 5, STATE_NEGATIVE = -3 };

typedef enum { MODE_A = 1, MODE_B } mode_t_;

struct opaque;
struct user { struct opaque *handle; enum state state; mode_t_ mode; double d; _Bool_ flag; char text[8]; };

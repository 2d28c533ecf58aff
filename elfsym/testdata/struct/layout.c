#define _Bool_ _Bool
#include "layout.h"

#define TRUTH(s, m) { #s, #m, offsetof(s, m), sizeof(((s *)0)->m) }

__attribute__((used)) const struct truth { char type[24], member[24]; uint32_t offset, size; } truth[] = {
	{ "node", "", 0, sizeof(struct node) },
	{ "anonymous_tag_t", "", 0, sizeof(anonymous_tag_t) },
	{ "outer", "", 0, sizeof(struct outer) },
	{ "packed", "", 0, sizeof(struct packed) },
	TRUTH(struct node, next), TRUTH(struct node, prev),
	TRUTH(anonymous_tag_t, mid), TRUTH(anonymous_tag_t, link), TRUTH(anonymous_tag_t, link.prev),
	TRUTH(anonymous_tag_t, name), TRUTH(anonymous_tag_t, level), TRUTH(renamed_t, level),
	TRUTH(struct packed, b), TRUTH(struct packed, f),
	TRUTH(struct outer, word), TRUTH(struct outer, high), TRUTH(struct outer, link.prev),
	TRUTH(struct outer, inner), TRUTH(struct outer, inner.y), TRUTH(struct outer, list),
	TRUTH(struct outer, grid), TRUTH(struct outer, head),
	TRUTH(struct user, handle), TRUTH(struct user, state), TRUTH(struct user, mode), TRUTH(struct user, d),
	TRUTH(struct user, flag), TRUTH(struct user, text),
};

/* Bit fields have no offsetof: each object has one of them set. */
#define ONLY(s, m) __attribute__((used)) const struct s s##_##m = { .m = ~0 }
ONLY(bits, a); ONLY(bits, b); ONLY(bits, c); ONLY(bits, d); ONLY(bits, e); ONLY(bits, f); ONLY(bits, g);
ONLY(packed, c); ONLY(packed, d); ONLY(packed, e);

__attribute__((used)) struct outer outer_object;
__attribute__((used)) struct user user_object;
__attribute__((used)) renamed_t renamed_object;
__attribute__((used)) static int twice;
__attribute__((used)) int *function_static(void) { static int counter; counter++; return &counter; }
void _start(void) {}

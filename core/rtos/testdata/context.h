/* Stacks of threads that do not run, as initialised data. Words come in the
 * order of memory; each register holds a number that names it. */
#include <stddef.h>
#include <stdint.h>

#define STACK_WORDS 128
#define R0_R3 0xa00, 0xa01, 0xa02, 0xa03
#define R4_R7 0xa04, 0xa05, 0xa06, 0xa07
#define R8_R11 0xa08, 0xa09, 0xa0a, 0xa0b
#define R4_R11 R4_R7, R8_R11
#define S0_S15 0xf00, 0xf01, 0xf02, 0xf03, 0xf04, 0xf05, 0xf06, 0xf07, 0xf08, 0xf09, 0xf0a, 0xf0b, 0xf0c, 0xf0d, 0xf0e, 0xf0f
#define S16_S31 0xf10, 0xf11, 0xf12, 0xf13, 0xf14, 0xf15, 0xf16, 0xf17, 0xf18, 0xf19, 0xf1a, 0xf1b, 0xf1c, 0xf1d, 0xf1e, 0xf1f
#define FRAME(pc) R0_R3, 0xa0c, 0xa0e, (uintptr_t)(pc), 0x01000000
#define FP_FRAME(pc) FRAME(pc), S0_S15, 0x03000000, 0
#define RETURN 0xfffffffd
#define FP_RETURN 0xffffffed

#define WORDS(...) (sizeof((uint32_t[]){__VA_ARGS__}) / 4)
#define STACK(name, ...) \
	uint32_t name##_stack[STACK_WORDS] = {[0 ... STACK_WORDS - WORDS(__VA_ARGS__) - 1] = FILL, __VA_ARGS__}
#define SP(name, ...) (void *)&name##_stack[STACK_WORDS - WORDS(__VA_ARGS__)]

void main_task(void) {}
void tx_task(void) {}
void nap_task(void) {}
void rx_task(void) {}

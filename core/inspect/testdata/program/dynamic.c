/* Arrays as compilers of Fortran and Ada describe them, by hand: a descriptor with
 * data, one without, and a packed array. It is stopped in stop_here. */
#include <stdint.h>

static int32_t numbers[] = {10, -1, 20, -1, 30, -1};
struct descriptor {
  int32_t *data;
  int32_t last;
} descriptor = {numbers, 3}, nothing = {0, 0};
uint16_t threes = 1 | 2 << 3 | 3 << 6 | 4 << 9 | 5 << 12;

__asm(
    ".section .debug_abbrev\n"
    "own_abbrev:\n"
    ".byte 1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b, 0, 0\n"             /* unit: name, language */
    ".byte 2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0\n" /* base type: name, size, encoding */
    ".byte 3, 0x01, 1, 0x49, 0x13, 0x50, 0x18, 0x4e, 0x18, 0, 0\n" /* array: type, data location, allocated */
    ".byte 4, 0x21, 0, 0x22, 0x0b, 0x2f, 0x18, 0x51, 0x0b, 0, 0\n" /* subrange: bounds, byte stride */
    ".byte 5, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x3f, 0x19, 0x02, 0x18, 0, 0\n"
    ".byte 6, 0x01, 1, 0x49, 0x13, 0x2e, 0x0b, 0x0b, 0x0b, 0, 0\n" /* array: type, bit stride, size */
    ".byte 7, 0x21, 0, 0x22, 0x0b, 0x2f, 0x0b, 0, 0, 0\n"
    ".section .debug_info\n"
    "own_unit: .4byte own_end - own_version\n"
    "own_version: .2byte 4\n"
    ".4byte own_abbrev\n"
    ".byte 4\n"
    ".byte 1\n .asciz \"dynamic.f\"\n .byte 0x0c\n"
    "own_int: .byte 2\n .asciz \"int\"\n .byte 4, 5\n"
    "own_array: .byte 3\n .4byte own_int - own_unit\n"
    ".byte 2, 0x97, 0x06\n" /* DW_OP_push_object_address, DW_OP_deref */
    ".byte 2, 0x97, 0x06\n"
    ".byte 4, 1, 4, 0x97, 0x23, 4, 0x06, 8\n" /* DW_OP_plus_uconst 4, DW_OP_deref */
    ".byte 0\n"
    "own_small: .byte 2\n .asciz \"small\"\n .byte 1, 7\n"
    "own_packed: .byte 6\n .4byte own_small - own_unit\n .byte 3, 2\n"
    ".byte 7, 1, 5\n"
    ".byte 0\n"
    ".byte 5\n .asciz \"allocated\"\n .4byte own_array - own_unit\n .byte 5, 3\n .4byte descriptor\n"
    ".byte 5\n .asciz \"empty\"\n .4byte own_array - own_unit\n .byte 5, 3\n .4byte nothing\n"
    ".byte 5\n .asciz \"packed\"\n .4byte own_packed - own_unit\n .byte 5, 3\n .4byte threes\n"
    ".byte 0\n"
    "own_end:\n"
    ".text\n");

__attribute__((noinline)) void stop_here(void) { __asm volatile("" ::: "memory"); }

int main(void) {
  stop_here();
  return descriptor.last + nothing.last + threes;
}

/* T16, as on v4T to v6-M: what people and libraries write there. */
#ifdef __thumb__
#include "assembly.h"
.thumb

/* Copies words, then bytes. A leaf that pushes half-way. */
FUNCTION copy_narrow
  mov r12, r0
  movs r3, r0
  orrs r3, r1
  lsls r3, r3, #30
  bne .Lcopy_bytes
  cmp r2, #16
  blo .Lcopy_bytes
  push {r4, r5, r6}
.Lcopy_block:
  ldmia r1!, {r3, r4, r5, r6}
  stmia r0!, {r3, r4, r5, r6}
  subs r2, #16
  cmp r2, #16
  bhs .Lcopy_block
  pop {r4, r5, r6}
.Lcopy_bytes:
  subs r2, #1
  blo .Lcopy_end
  ldrb r3, [r1]
  adds r1, #1
  strb r3, [r0]
  adds r0, #1
  b .Lcopy_bytes
.Lcopy_end:
  mov r0, r12
  bx lr
END copy_narrow

/* Swaps its arguments and goes on, as __aeabi_memset does. */
FUNCTION fill_swapped
  movs r3, r1
  movs r1, r2
  movs r2, r3
  b fill_narrow
END fill_swapped

FUNCTION fill_narrow
  push {r0, lr}
  cmp r2, #0
  beq .Lfill_none
.Lfill_next:
  strb r1, [r0]
  adds r0, #1
  subs r2, #1
  bne .Lfill_next
  pop {r0, pc}
.Lfill_none:
  bl leaf
  pop {r0, pc}
END fill_narrow

/* The length of a text, a word at a time, with labels that end up as symbols. */
LABEL length_narrow
  movs r2, r0
  lsls r3, r0, #30
  bne length_bytes
  push {r4, r5}
  ldr r4, =0x01010101
  lsls r5, r4, #7
length_words:
  ldmia r2!, {r3}
  subs r1, r3, r4
  bics r1, r3
  tst r1, r5
  beq length_words
  pop {r4, r5}
  subs r2, #4
length_bytes:
  ldrb r3, [r2]
  adds r2, #1
  cmp r3, #0
  bne length_bytes
  subs r0, r2, r0
  subs r0, #1
  bx lr
  .ltorg

/* Shifts and subtracts; returns early, and calls out where it cannot divide. */
FUNCTION divide_narrow
  cmp r1, #0
  beq .Ldivide_zero
  cmp r0, r1
  bhs .Ldivide
  movs r0, #0
  bx lr
.Ldivide:
  push {r4}
  movs r2, #0
  movs r3, #1
.Ldivide_up:
  cmp r1, r0
  bhs .Ldivide_down
  lsls r1, r1, #1
  lsls r3, r3, #1
  b .Ldivide_up
.Ldivide_down:
  cmp r0, r1
  blo .Ldivide_skip
  subs r0, r0, r1
  orrs r2, r3
.Ldivide_skip:
  lsrs r1, r1, #1
  lsrs r3, r3, #1
  bne .Ldivide_down
  movs r0, r2
  pop {r4}
  bx lr
.Ldivide_zero:
  push {r7, lr}
  bl leaf
  pop {r7, pc}
END divide_narrow

/* The remainder behind a division, as __aeabi_uidivmod has it. */
FUNCTION divmod_narrow
  push {r0, r1, lr}
  bl divide_narrow
  pop {r1, r2, r3}
  muls r2, r0
  subs r1, r1, r2
  adds r0, r0, r1
  bx r3
END divmod_narrow

/* A division of doubles words: its frame keeps where it begins, as in bpabi.S. */
FUNCTION divmod_by_frame
  sub sp, #8
  mov r3, sp
  push {r3, lr}
  bl divide_narrow
  ldr r3, [sp, #4]
  mov lr, r3
  add sp, #8
  pop {r2, r3}
  bx lr
END divmod_by_frame

/* A CRC that is short of registers: LR lies in r12, r4 in LR. */
FUNCTION crc_narrow
  mov r12, lr
  mov lr, r4
  ldr r2, =0xedb88320
  movs r3, #8
.Lcrc_bit:
  lsrs r0, r0, #1
  bcc .Lcrc_even
  eors r0, r2
.Lcrc_even:
  subs r3, #1
  bne .Lcrc_bit
  movs r4, r0
  adds r0, r0, r4
  mov r4, lr
  bx r12
END crc_narrow

/* The caller in r12 over a call of what leaves it alone. */
FUNCTION through_r12
  mov r12, lr
  bl add_three
  bl add_three
  bx r12
END through_r12

FUNCTION add_three
  adds r0, #3
  bx lr
END add_three

FUNCTION room_below
  push {lr}
  sub sp, #20
  str r0, [sp, #4]
  bl leaf
  ldr r1, [sp, #4]
  adds r0, r0, r1
  add sp, #20
  pop {pc}
END room_below

/* A jump to one of a table of addresses. */
FUNCTION goto_narrow
  push {r4, lr}
  movs r4, r0
  movs r1, #3
  ands r1, r0
  lsls r1, r1, #2
  adr r2, .Lgoto_table
  ldr r2, [r2, r1]
  mov pc, r2
  .p2align 2
.Lgoto_table:
  .word .Lgoto_0, .Lgoto_1, .Lgoto_2, .Lgoto_3
.Lgoto_0:
  adds r0, #1
  b .Lgoto_end
.Lgoto_1:
  bl leaf
  b .Lgoto_end
.Lgoto_2:
  adds r0, r0, r4
  pop {r4, pc}
.Lgoto_3:
  push {r0, r1}
  bl leaf
  pop {r1, r2}
.Lgoto_end:
  adds r0, r0, r4
  pop {r4, pc}
END goto_narrow

/* A jump by a table of bytes, added to PC. */
FUNCTION goto_bytes
  push {r4, lr}
  movs r1, #3
  ands r1, r0
  adr r2, .Lbytes_table
  ldrb r2, [r2, r1]
  lsls r2, r2, #1
.Lbytes_jump:
  add pc, r2
  .p2align 2
.Lbytes_table:
  .byte (.Lbytes_0 - .Lbytes_jump - 4) / 2
  .byte (.Lbytes_1 - .Lbytes_jump - 4) / 2
  .byte (.Lbytes_2 - .Lbytes_jump - 4) / 2
  .byte (.Lbytes_1 - .Lbytes_jump - 4) / 2
.Lbytes_0:
  bl leaf
.Lbytes_1:
  adds r0, #5
  pop {r4, pc}
.Lbytes_2:
  movs r4, r0
  bl leaf
  adds r0, r0, r4
  pop {r4, pc}
END goto_bytes

/* A subroutine of its own, with two entries. */
FUNCTION two_entries
  push {r4, lr}
  movs r4, r0
  bl .Lentry_first
  bl .Lentry_second
  bl .Lentry_first
  adds r0, r0, r4
  pop {r4, pc}
.Lentry_first:
  adds r0, #1
.Lentry_second:
  adds r0, r0, r0
  bx lr
END two_entries

/* Subroutines that keep the caller in a register, one within the other. */
FUNCTION nested_subroutines
  push {r4, r5, r6, lr}
  bl .Lnested_outer
  bl .Lnested_outer
  pop {r4, r5, r6, pc}
.Lnested_outer:
  mov r5, lr
  bl .Lnested_inner
  bl .Lnested_inner
  bx r5
.Lnested_inner:
  mov r6, lr
  bl leaf
  bx r6
END nested_subroutines

/* Calls a function on another stack: call_on_stack(f, top). */
FUNCTION call_on_stack
  push {r4, lr}
  mov r4, sp
  mov sp, r1
  movs r3, r0
  movs r0, #7
#if __ARM_ARCH < 5
  bl call_r3
#else
  blx r3
#endif
  mov sp, r4
  pop {r4, pc}
END call_on_stack

FUNCTION call_r3
  bx r3
END call_r3

/* The same, with the old stack kept on the new one. */
FUNCTION call_with_old_below
  mov r3, lr
  mov r2, sp
  mov sp, r1
  push {r2, r3}
  movs r3, r0
  movs r0, #9
#if __ARM_ARCH < 5
  bl call_r3
#else
  blx r3
#endif
  pop {r2, r3}
  mov sp, r2
  bx r3
END call_with_old_below

/* Fills a buffer by pushing there: push_into(value, end). */
FUNCTION push_into
  mov r12, sp
  mov sp, r1
  movs r1, r0
  movs r2, r0
  push {r0, r1, r2}
  push {r0, r1, r2}
  mov sp, r12
  bx lr
END push_into

/* setjmp and longjmp, as newlib has them. */
FUNCTION mark_narrow
  mov r1, sp
  mov r2, lr
  stmia r0!, {r1, r2, r4, r5, r6, r7}
  mov r1, r8
  mov r2, r9
  mov r3, r10
  stmia r0!, {r1, r2, r3}
  movs r0, #0
  bx lr
END mark_narrow

FUNCTION narrow_longjmp
  movs r3, r1
  ldmia r0!, {r1, r2, r4, r5, r6, r7}
  mov sp, r1
  mov lr, r2
  ldmia r0!, {r1, r2}
  mov r8, r1
  mov r9, r2
  ldmia r0!, {r1}
  mov r10, r1
  movs r0, r3
  bx lr
END narrow_longjmp

/* A tail call of a pointer, behind the frame. */
FUNCTION tail_by_pointer
  push {r4, r5, lr}
  movs r4, r0
  bl leaf
  adds r0, r0, r4
  ldr r3, =leaf
  pop {r4, r5}
  pop {r2}
  mov lr, r2
  bx r3
END tail_by_pointer

/* The frame of -mtpcs-frame, by hand: gcc 12 puts locals on top of it. */
FUNCTION tpcs_frame
  sub sp, #16
  push {r4, lr}
  add r3, sp, #24
  str r3, [sp, #12]
  mov r3, pc
  str r3, [sp, #20]
  mov r3, r11
  str r3, [sp, #8]
  mov r3, lr
  str r3, [sp, #16]
  add r3, sp, #20
  mov r11, r3
  movs r4, r0
  bl leaf
  adds r0, r0, r4
  pop {r4}
  pop {r1, r2, r3}
  mov r11, r2
  mov sp, r3
  bx r1
END tpcs_frame

/* Veneers as ld and lld make them for v6-M, out of r0. */
FUNCTION through_veneers
  push {r4, lr}
  bl veneer_of_ld
  bl veneer_of_lld
  pop {r4, pc}
END through_veneers

FUNCTION veneer_of_ld
  push {r0}
  ldr r0, =leaf
  mov r12, r0
  pop {r0}
  bx r12
END veneer_of_ld

FUNCTION veneer_of_lld
  push {r0, r1}
  ldr r0, =leaf
  str r0, [sp, #4]
  pop {r0, pc}
END veneer_of_lld

/* Frames that are given up in several places. */
FUNCTION several_epilogues
  push {r4, lr}
  movs r4, #3
  ands r4, r0
  beq .Lepilogue_0
  cmp r4, #2
  beq .Lepilogue_2
  bhi .Lepilogue_3
  adds r0, #1
  pop {r4, pc}
.Lepilogue_0:
  sub sp, #8
  str r0, [sp]
  bl leaf
  add sp, #8
  pop {r4, pc}
.Lepilogue_2:
  pop {r4}
  pop {r1}
  adds r0, r0, r0
  bx r1
.Lepilogue_3:
  bl leaf
  pop {r4}
  pop {r1}
  mov lr, r1
  b add_three
END several_epilogues
#endif

/* T32 of v7: IT blocks, table branches, transfers that move SP. */
#if defined(__thumb__) && __ARM_ARCH_ISA_THUMB == 2
#include "assembly.h"
.thumb

/* Copies with a frame of its own making. */
FUNCTION copy_wide
  mov r12, r0
  subs r2, #8
  blo .Lcopy_rest
  strd r4, r5, [sp, #-8]!
.Lcopy_pairs:
  ldrd r4, r5, [r1], #8
  strd r4, r5, [r12], #8
  subs r2, #8
  bhs .Lcopy_pairs
  ldrd r4, r5, [sp], #8
.Lcopy_rest:
  adds r2, #8
  it eq
  bxeq lr
.Lcopy_byte:
  ldrb r3, [r1], #1
  strb r3, [r12], #1
  subs r2, #1
  bne .Lcopy_byte
  bx lr
END copy_wide

/* Returns by conditional instructions of all kinds. */
FUNCTION conditional_epilogues
  push {r4, lr}
  and r4, r0, #3
  cmp r4, #1
  it lo
  poplo {r4, pc}
  ittt eq
  addeq r0, r0, #1
  moveq r4, r0
  popeq {r4, pc}
  sub sp, #8
  str r0, [sp]
  cmp r4, #2
  itt eq
  addeq sp, #8
  popeq {r4, pc}
  bl leaf
  cmp r0, #100
  ite lo
  addlo r0, #1
  addhs r0, #2
  itete ne
  addne sp, #8
  addeq sp, #8
  ldmiane sp!, {r4, lr}
  ldmiaeq sp!, {r4, lr}
  bx lr
END conditional_epilogues

FUNCTION conditional_load_of_pc
  str lr, [sp, #-8]!
  tst r0, #1
  it ne
  ldrne pc, [sp], #8
  bl leaf
  ldr pc, [sp], #8
END conditional_load_of_pc

/* A push that may not happen. */
FUNCTION conditional_push
  cmp r0, #2
  it hi
  pushhi {r4, r5, r6, lr}
  bls .Lpush_none
  mov r4, r0
  bl leaf
  add r0, r4
  pop {r4, r5, r6, pc}
.Lpush_none:
  adds r0, #1
  bx lr
END conditional_push

FUNCTION registers_one_by_one
  str r4, [sp, #-4]!
  str r5, [sp, #-4]!
  str lr, [sp, #-4]!
  sub sp, #4
  mov r4, r0
  bl leaf
  add r0, r4
  add sp, #4
  ldr lr, [sp], #4
  ldr r5, [sp], #4
  ldr r4, [sp], #4
  bx lr
END registers_one_by_one

FUNCTION frame_with_room
  push {r4, r5, lr}
  sub sp, #20
  str r0, [sp, #16]
  bl leaf
  ldr r1, [sp, #16]
  add r0, r1
  add sp, #20
  pop {r4, r5}
  ldr pc, [sp], #4
END frame_with_room

/* Table branches, and a load of PC from a table. */
FUNCTION goto_wide
  push {r4, lr}
  and r1, r0, #3
  tbb [pc, r1]
.Lwide_bytes:
  .byte (.Lwide_0 - .Lwide_bytes) / 2
  .byte (.Lwide_1 - .Lwide_bytes) / 2
  .byte (.Lwide_2 - .Lwide_bytes) / 2
  .byte (.Lwide_3 - .Lwide_bytes) / 2
.Lwide_0:
  bl leaf
  pop {r4, pc}
.Lwide_1:
  adds r0, #1
  pop {r4, pc}
.Lwide_2:
  lsrs r1, r0, #2
  and r1, r1, #1
  tbh [pc, r1, lsl #1]
.Lwide_halves:
  .hword (.Lwide_6 - .Lwide_halves) / 2
  .hword (.Lwide_4 - .Lwide_halves) / 2
.Lwide_6:
  adds r0, #2
  pop {r4, pc}
.Lwide_3:
  lsrs r1, r0, #2
  and r1, r1, #1
  adr r2, .Lwide_words
  ldr pc, [r2, r1, lsl #2]
  .p2align 2
.Lwide_words:
  .word .Lwide_4 + 1, .Lwide_5 + 1
.Lwide_4:
  bl leaf
  pop {r4, pc}
.Lwide_5:
  mov r4, r0
  bl leaf
  add r0, r4
  pop {r4, pc}
END goto_wide

/* Goes into the middle of unrolled steps, as libgcc's division does. */
FUNCTION divide_wide
  cmp r1, #0
  beq .Lwide_zero
  cmp r0, r1
  itt lo
  movlo r0, #0
  bxlo lr
  clz r2, r0
  clz r3, r1
  subs r3, r3, r2
  rsb r3, r3, #31
  adr r2, .Lwide_steps
  add r3, r2, r3, lsl #4
  mov r2, #0
  mov pc, r3
  .p2align 4
.Lwide_steps:
.set shift, 32
.rept 32
.set shift, shift - 1
  cmp.w r0, r1, lsl #shift
  adc.w r2, r2, r2
  it cs
  subcs.w r0, r0, r1, lsl #shift
  .p2align 4
.endr
  mov r0, r2
  bx lr
.Lwide_zero:
  push {r1, lr}
  movs r0, #1
  bl leaf
  pop {r1, pc}
END divide_wide

/* The caller in IP, LR for data. */
FUNCTION crc_wide
  mov ip, lr
  ldr lr, =0xedb88320
  movs r3, #8
.Lcrc_wide:
  lsrs r0, r0, #1
  it cs
  eorcs r0, r0, lr
  subs r3, #1
  bne .Lcrc_wide
  bx ip
END crc_wide

FUNCTION mark_wide
  mov ip, sp
  stmia r0!, {r4-r11, ip, lr}
  movs r0, #0
  bx lr
END mark_wide

FUNCTION wide_longjmp
  ldmia r0!, {r4-r11, ip, lr}
  mov sp, ip
  movs r0, r1
  bx lr
END wide_longjmp

FUNCTION tail_behind_pop
  push {r4-r8, lr}
  mov r4, r0
  bl leaf
  add r0, r4
  tst r0, #1
  bne .Ltail_pointer
  pop {r4-r8, lr}
  b leaf
.Ltail_pointer:
  ldr r3, =leaf
  ldmia sp!, {r4-r8, lr}
  bx r3
END tail_behind_pop

/* __aeabi_ldivmod's frame: where the results go, SP of before, LR. */
FUNCTION results_on_stack
  sub sp, sp, #8
  mov ip, sp
  push {ip, lr}
  bl divide_wide
  ldr lr, [sp, #4]
  add sp, sp, #8
  pop {r2, r3}
  bx lr
END results_on_stack

/* Pushes in the middle of a leaf, of different size on two ways. */
FUNCTION pushes_inside
  tst r0, #1
  bne .Lpushes_more
  push {r4}
  lsl r4, r0, #2
  add r0, r4
  pop {r4}
  bx lr
.Lpushes_more:
  push {r4-r6}
  mov r4, r0
  lsl r5, r4, #1
  push {r7}
  add r7, r5, r4
  mov r0, r7
  pop {r7}
  pop {r4-r6}
  bx lr
END pushes_inside

/* A return address that the code makes itself: one way out of two calls. */
FUNCTION lr_by_hand
  push {r4, lr}
  ldr r3, =leaf
  adr lr, .Lby_hand + 1
  tst r0, #1
  it eq
  ldreq r3, =leaf_with_locals
  bx r3
  .p2align 2
.Lby_hand:
  adds r0, #1
  pop {r4, pc}
END lr_by_hand
#endif

/* A32, as on v4T. */
#ifndef __thumb__
#include "assembly.h"
.arm

/* Copies words by an unrolled row of loads that is entered half-way. */
FUNCTION copy_arm
  stmdb sp!, {r0, r4, lr}
  subs r2, r2, #4
  blt .Lcopy_bytes
  subs r2, r2, #28
  blt .Lcopy_words
  stmdb sp!, {r5-r8}
.Lcopy_lines:
  ldmia r1!, {r3, r4, r5, r6, r7, r8, r12, lr}
  subs r2, r2, #32
  stmia r0!, {r3, r4, r5, r6, r7, r8, r12, lr}
  bge .Lcopy_lines
  ldmia sp!, {r5-r8}
.Lcopy_words:
  ands r12, r2, #28
  rsb r12, r12, #32
  addne pc, pc, r12
  b .Lcopy_bytes
  nop
  .rept 7
  ldr r3, [r1], #4
  .endr
.Lcopy_bytes:
  ands r2, r2, #3
  beq .Lcopy_end
.Lcopy_byte:
  ldrb r3, [r1], #1
  subs r2, r2, #1
  strb r3, [r0], #1
  bne .Lcopy_byte
.Lcopy_end:
  ldmia sp!, {r0, r4, pc}
END copy_arm

FUNCTION fill_arm
  stmfd sp!, {r0, r4, lr}
  orr r1, r1, r1, lsl #8
  orr r1, r1, r1, lsl #16
  mov r3, r1
  mov r4, r1
  mov lr, r1
.Lfill_lines:
  subs r2, r2, #16
  stmiage r0!, {r1, r3, r4, lr}
  bgt .Lfill_lines
  ldmfdeq sp!, {r0, r4, pc}
  tst r2, #8
  stmiane r0!, {r1, lr}
  tst r2, #4
  strne r1, [r0], #4
  ldmfd sp!, {r0, r4, pc}
END fill_arm

/* No type, no size, labels that end up as symbols, conditional returns. */
LABEL length_arm
  mov r2, r0
length_arm_align:
  tst r2, #3
  beq length_arm_words
  ldrb r3, [r2], #1
  cmp r3, #0
  bne length_arm_align
  sub r0, r2, r0
  sub r0, r0, #1
  bx lr
length_arm_words:
  ldr r3, [r2], #4
  tst r3, #0xff
  tstne r3, #0xff00
  tstne r3, #0xff0000
  tstne r3, #0xff000000
  bne length_arm_words
  sub r0, r2, r0
  sub r0, r0, #4
  tst r3, #0xff
  bxeq lr
  add r0, r0, #1
  tst r3, #0xff00
  bxeq lr
  add r0, r0, #1
  tst r3, #0xff0000
  addne r0, r0, #1
  mov pc, lr

/* Goes into the middle of unrolled steps, as libgcc's division does. */
FUNCTION divide_arm
  subs r2, r1, #1
  bxeq lr
  blo .Ldivide_zero
  cmp r0, r1
  movls r0, #0
  moveq r0, #1
  bxls lr
  tst r1, r2
  beq .Ldivide_power
  mov r2, r1
  mov r3, #0
.Ldivide_width:
  cmp r2, r0, lsr #1
  movls r2, r2, lsl #1
  addls r3, r3, #1
  bls .Ldivide_width
  rsb r3, r3, #31
  add r3, r3, r3, lsl #1
  mov r2, #0
  add pc, pc, r3, lsl #2
  nop
.set shift, 32
.rept 32
.set shift, shift - 1
  cmp r0, r1, lsl #shift
  adc r2, r2, r2
  subcs r0, r0, r1, lsl #shift
.endr
  mov r0, r2
  bx lr
.Ldivide_power:
  mov r0, r0, lsr #1
  movs r1, r1, lsr #1
  tst r1, #1
  beq .Ldivide_power
  bx lr
.Ldivide_zero:
  stmfd sp!, {r1, lr}
  mov r0, #0
  bl leaf
  ldmfd sp!, {r1, pc}
END divide_arm

FUNCTION divmod_arm
  cmp r1, #0
  beq .Ldivide_zero_too
  stmfd sp!, {r0, r1, lr}
  bl divide_arm
  ldmfd sp!, {r1, r2, lr}
  mul r3, r2, r0
  sub r1, r1, r3
  add r0, r0, r1
  bx lr
.Ldivide_zero_too:
  b leaf
END divmod_arm

FUNCTION crc_arm
  mov ip, lr
  ldr lr, =0xedb88320
  mov r3, #8
.Lcrc_bit:
  movs r0, r0, lsr #1
  eorcs r0, r0, lr
  subs r3, r3, #1
  bne .Lcrc_bit
  mov pc, ip
END crc_arm

FUNCTION through_ip
  mov r12, lr
  bl add_five
  bl add_five
  bx r12
END through_ip

FUNCTION add_five
  add r0, r0, #5
  bx lr
END add_five

FUNCTION room_arm
  str lr, [sp, #-4]!
  sub sp, sp, #20
  str r0, [sp, #16]
  bl leaf
  ldr r1, [sp, #16]
  add r0, r0, r1
  add sp, sp, #20
  ldr pc, [sp], #4
END room_arm

/* Computed jumps: branches in a row, tables of addresses with and without a
   comparison, and a call of one of a table with one way back. */
FUNCTION goto_arm
  stmfd sp!, {r4, lr}
  and r4, r0, #3
  add pc, pc, r4, lsl #2
  nop
  b .Lgoto_0
  b .Lgoto_1
  b .Lgoto_2
  b .Lgoto_3
.Lgoto_0:
  bl leaf
  ldmfd sp!, {r4, pc}
.Lgoto_1:
  mov r1, r0, lsr #2
  and r1, r1, #1
  ldr pc, [pc, r1, lsl #2]
  nop
  .word .Lgoto_2, .Lgoto_4
.Lgoto_2:
  add r0, r0, #1
  ldmfd sp!, {r4, lr}
  b leaf
.Lgoto_3:
  mov r1, r0, lsr #2
  cmp r1, #1
  ldrls pc, [pc, r1, lsl #2]
  b .Lgoto_2
  .word .Lgoto_4, .Lgoto_5
.Lgoto_4:
  stmfd sp!, {r0, r1}
  bl leaf
  ldmfd sp!, {r1, r2}
  ldmfd sp!, {r4, pc}
.Lgoto_5:
  mov r4, r0
  bl leaf
  add r0, r0, r4
  ldmfd sp!, {r4, lr}
  bx lr
END goto_arm

FUNCTION dispatch_arm
  stmfd sp!, {r4, lr}
  and r4, r0, #1
  adr lr, .Ldispatched
  adr r3, .Ldispatch_table
  ldr pc, [r3, r4, lsl #2]
.Ldispatch_table:
  .word leaf, leaf_with_locals
.Ldispatched:
  add r0, r0, r4
  ldmfd sp!, {r4, pc}
END dispatch_arm

/* SP holds data, and the stack is in r12; then in memory. */
FUNCTION blit_arm
  stmfd sp!, {r4-r11, lr}
  mov r12, sp
  ldmia r1!, {r4-r11, sp, lr}
  stmia r0!, {r4-r11, sp, lr}
  ldmia r1!, {r4-r11, sp, lr}
  stmia r0!, {r4-r11, sp, lr}
  mov sp, r12
  ldmfd sp!, {r4-r11, pc}
END blit_arm

FUNCTION blit_arm_saved
  stmfd sp!, {r4-r11, lr}
  ldr r3, =stack_of_blit
  str sp, [r3]
  ldmia r1!, {r4-r11, sp, lr}
  stmia r0!, {r4-r11, sp, lr}
  ldr r3, =stack_of_blit
  ldr sp, [r3]
  ldmfd sp!, {r4-r11, pc}
END blit_arm_saved
  .comm stack_of_blit, 4, 4

FUNCTION mark_arm
  stmia r0, {r4-r11, sp, lr}
  mov r0, #0
  bx lr
END mark_arm

FUNCTION arm_longjmp
  ldmia r0, {r4-r11, sp, lr}
  mov r0, r1
  bx lr
END arm_longjmp

FUNCTION epilogues_arm
  stmfd sp!, {r4, lr}
  ands r4, r0, #3
  ldmfdeq sp!, {r4, pc}
  cmp r4, #2
  addeq r0, r0, #1
  ldmfdeq sp!, {r4, lr}
  bxeq lr
  sub sp, sp, #8
  strhi r0, [sp]
  bl leaf
  cmp r0, #40
  addls sp, sp, #8
  ldmfdls sp!, {r4, pc}
  addhi sp, sp, #8
  ldmfdhi sp!, {r4, lr}
  bx lr
END epilogues_arm

/* The frame of the old standard. */
FUNCTION apcs_frame
  mov ip, sp
  stmdb sp!, {r4, fp, ip, lr, pc}
  sub fp, ip, #4
  sub sp, sp, #12
  mov r4, r0
  bl leaf
  add r0, r0, r4
  ldmdb fp, {r4, fp, sp, pc}
END apcs_frame

FUNCTION tails_arm
  stmfd sp!, {r4, r5, lr}
  mov r4, r0
  bl leaf
  add r0, r0, r4
  tst r0, #1
  ldr r3, =leaf
  ldmfd sp!, {r4, r5, lr}
  bxne r3
  b leaf
END tails_arm

FUNCTION subroutines_arm
  stmfd sp!, {r4, r5, r6, lr}
  bl .Lsub_first
  bl .Lsub_second
  bl .Lsub_outer
  ldmfd sp!, {r4, r5, r6, pc}
.Lsub_first:
  add r0, r0, #1
.Lsub_second:
  add r0, r0, r0
  mov pc, lr
.Lsub_outer:
  mov r5, lr
  bl .Lsub_first
  bl leaf
  mov pc, r5
END subroutines_arm

FUNCTION call_on_stack
  stmfd sp!, {r4, lr}
  mov r4, sp
  mov sp, r1
  mov r3, r0
  mov r0, #7
  mov lr, pc
  bx r3
  mov sp, r4
  ldmfd sp!, {r4, pc}
END call_on_stack

FUNCTION call_with_old_below
  mov r2, sp
  mov sp, r1
  stmfd sp!, {r2, lr}
  mov r3, r0
  mov r0, #9
  mov lr, pc
  bx r3
  ldmfd sp!, {r2, lr}
  mov sp, r2
  bx lr
END call_with_old_below

FUNCTION push_into
  mov r12, sp
  mov sp, r1
  stmfd sp!, {r0, r1, r2, r3}
  stmfd sp!, {r0, r1, r2, r3}
  mov sp, r12
  bx lr
END push_into
#endif

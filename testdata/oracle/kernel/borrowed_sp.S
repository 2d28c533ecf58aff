/* A switch that has SP point into the thread's stack to push there: v6-M has
   no STMDB. */
  .syntax unified
  .section .rodata.switch, "a"
  .global kernel_pushed, kernel_return_word
  .align 2
kernel_pushed: .word 9
kernel_return_word: .word 0

  .section .text.PendSV_Handler, "ax"
  .global PendSV_Handler, kernel_first
  .type PendSV_Handler, %function
  .thumb_func
PendSV_Handler:
  cpsid i
  mrs r0, psp
  mov r12, sp
  mov sp, r0
  push {r4-r7}
  mov r4, r8
  mov r5, r9
  mov r6, r10
  mov r7, r11
  push {r4-r7}
  mov r4, lr
  push {r4}
  mov r1, sp
  mov sp, r12
  ldr r0, =kernel_current
  ldr r0, [r0]
  str r1, [r0]
  bl kernel_choose
  ldr r0, =kernel_next
  ldr r0, [r0]
  ldr r1, =kernel_current
  str r0, [r1]
  ldr r0, [r0]
  mov r12, sp
  mov sp, r0
  pop {r0}
  mov lr, r0
  pop {r4-r7}
  mov r8, r4
  mov r9, r5
  mov r10, r6
  mov r11, r7
  pop {r4-r7}
  mov r0, sp
  mov sp, r12
  msr psp, r0
  cpsie i
  bx lr
  .ltorg
  .size PendSV_Handler, . - PendSV_Handler

  .section .text.kernel_first, "ax"
  .type kernel_first, %function
  .thumb_func
kernel_first:
  ldr r2, =kernel_next
  ldr r1, [r2]
  ldr r2, =kernel_current
  str r1, [r2]
  ldr r0, [r1]
  ldr r1, [r0]
  adds r0, #36
  msr psp, r0
  bx r1
  .ltorg
  .size kernel_first, . - kernel_first

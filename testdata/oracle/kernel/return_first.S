/* A switch that loads EXC_RETURN before the other registers, saves nothing
   where no thread ran, and waits in the handler where none is ready. */
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
  ldr r0, =kernel_current
  ldr r2, =kernel_next
  mov r3, #0
  ldr r1, [r0]
  cbz r1, 1f
  mrs r12, psp
  stmdb r12!, {r4-r11}
#ifdef __ARM_FP
  tst lr, #0x10
  it eq
  vstmdbeq r12!, {s16-s31}
#endif
  ldr r4, =sink
  stmdb r12!, {lr}
  ldr r5, [r4]
  str r12, [r1]
  str r3, [r2]
  push {r0, r2}
  bl kernel_choose
  pop {r0, r2}
1:
  cpsid i
  ldr r1, [r2]
  cbnz r1, 3f
2:
  ldr r1, [r2]
  cmp r1, #0
  beq 2b
3:
  cpsie i
  str r1, [r0]
  ldr r7, [r1, #4]
  adds r7, #1
  str r7, [r1, #4]
  ldr r12, [r1]
  ldmia r12!, {lr}
#ifdef __ARM_FP
  tst lr, #0x10
  it eq
  vldmiaeq r12!, {s16-s31}
#endif
  ldmia r12!, {r4-r11}
  msr psp, r12
  bx lr
  .ltorg
  .size PendSV_Handler, . - PendSV_Handler

  .section .text.kernel_first, "ax"
  .type kernel_first, %function
  .thumb_func
kernel_first:
  b kernel_first
  .size kernel_first, . - kernel_first

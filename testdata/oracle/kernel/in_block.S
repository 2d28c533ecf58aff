/* A switch that saves registers, PSP and EXC_RETURN in the thread's control
   block. */
  .syntax unified
  .section .rodata.switch, "a"
  .global kernel_pushed, kernel_return_word
  .align 2
kernel_pushed: .word 0
kernel_return_word: .word -1

  .section .text.PendSV_Handler, "ax"
  .global PendSV_Handler, kernel_first
  .type PendSV_Handler, %function
  .thumb_func
PendSV_Handler:
#if __ARM_ARCH >= 7
  push {r0, lr}
  bl kernel_choose
  pop {r0, lr}
  ldr r1, =kernel_current
  ldr r2, [r1]
  add r0, r2, #4
  mrs r12, psp
  stmia r0!, {r4-r11, r12, lr}
  ldr r3, =kernel_next
  ldr r2, [r3]
  str r2, [r1]
  add r0, r2, #4
  ldmia r0!, {r4-r11, r12, lr}
  msr psp, r12
  isb
  bx lr
#else
  push {r0, lr}
  bl kernel_choose
  ldr r1, =kernel_current
  ldr r2, [r1]
  adds r0, r2, #4
  stmia r0!, {r4-r7}
  mov r4, r8
  mov r5, r9
  mov r6, r10
  mov r7, r11
  stmia r0!, {r4-r7}
  mrs r6, psp
  stmia r0!, {r6}
  ldr r3, =kernel_next
  ldr r2, [r3]
  str r2, [r1]
  adds r0, r2, #4
  adds r0, #16
  ldmia r0!, {r3-r7}
  mov r8, r3
  mov r9, r4
  mov r10, r5
  mov r11, r6
  msr psp, r7
  subs r0, #36
  ldmia r0!, {r4-r7}
  pop {r0, pc}
#endif
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
  ldr r0, [r1, #36]
  msr psp, r0
  movs r0, #2
  mvns r0, r0
  bx r0
  .ltorg
  .size kernel_first, . - kernel_first

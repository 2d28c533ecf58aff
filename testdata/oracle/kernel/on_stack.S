/* The switch that most kernels have: registers go below the hardware frame on
   the thread's stack. On v6-M EXC_RETURN waits on the main stack meanwhile. */
  .syntax unified
  .section .rodata.switch, "a"
  .global kernel_pushed, kernel_return_word
  .align 2
#if __ARM_ARCH >= 7
kernel_pushed: .word 9
kernel_return_word: .word 8
#else
kernel_pushed: .word 8
kernel_return_word: .word -1
#endif

  .section .text.PendSV_Handler, "ax"
  .global PendSV_Handler, kernel_first
  .type PendSV_Handler, %function
  .thumb_func
PendSV_Handler:
#if __ARM_ARCH >= 7
  mrs r0, psp
  isb
  ldr r3, =kernel_current
  ldr r2, [r3]
#ifdef __ARM_FP
  tst lr, #0x10
  it eq
  vstmdbeq r0!, {s16-s31}
#endif
  stmdb r0!, {r4-r11, lr}
  str r0, [r2]
  push {r0, r3}
  mov r0, #0x80
  msr basepri, r0
  dsb
  isb
  bl kernel_choose
  mov r0, #0
  msr basepri, r0
  pop {r0, r3}
  ldr r1, =kernel_next
  ldr r1, [r1]
  str r1, [r3]
  ldr r0, [r1]
  ldmia r0!, {r4-r11, lr}
#ifdef __ARM_FP
  tst lr, #0x10
  it eq
  vldmiaeq r0!, {s16-s31}
#endif
  msr psp, r0
  isb
  bx lr
#else
  mrs r0, psp
  ldr r3, =kernel_current
  ldr r2, [r3]
  subs r0, #32
  str r0, [r2]
  stmia r0!, {r4-r7}
  mov r4, r8
  mov r5, r9
  mov r6, r10
  mov r7, r11
  stmia r0!, {r4-r7}
  push {r3, lr}
  cpsid i
  bl kernel_choose
  cpsie i
  pop {r2, r3}
  ldr r1, =kernel_next
  ldr r1, [r1]
  str r1, [r2]
  ldr r0, [r1]
  adds r0, #16
  ldmia r0!, {r4-r7}
  mov r8, r4
  mov r9, r5
  mov r10, r6
  mov r11, r7
  msr psp, r0
  subs r0, #32
  ldmia r0!, {r4-r7}
  bx r3
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
  ldr r0, [r1]
#if __ARM_ARCH >= 7
  ldmia r0!, {r4-r11, lr}
  msr psp, r0
  isb
  bx lr
#else
  adds r0, #32
  msr psp, r0
  ldr r1, =0xfffffffd
  bx r1
#endif
  .ltorg
  .size kernel_first, . - kernel_first

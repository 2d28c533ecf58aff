/* Assembly that is built without source lines. */
  .syntax unified
  .text
#if __ARM_ARCH_PROFILE == 'M'
  .thumb
#else
  .arm
#endif

/* int no_lines(int n) */
  .global no_lines
  .type no_lines, %function
#if __ARM_ARCH_PROFILE == 'M'
  .thumb_func
#endif
no_lines:
  adds r0, r0, #3
  bx lr
  .size no_lines, . - no_lines

/* int no_lines_calls(int (*f)(int), int n): calls a function that has lines */
  .global no_lines_calls
  .type no_lines_calls, %function
#if __ARM_ARCH_PROFILE == 'M'
  .thumb_func
#endif
no_lines_calls:
  push {r4, lr}
  mov r2, r0
  mov r0, r1
  blx r2
  adds r0, r0, #4
  pop {r4, pc}
  .size no_lines_calls, . - no_lines_calls

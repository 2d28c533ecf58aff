/* Assembly with source lines. */
  .syntax unified
  .text

  .macro function name
  .global \name
  .type \name, %function
#if __ARM_ARCH_PROFILE == 'M'
  .thumb_func
#endif
\name:
  .endm

#if __ARM_ARCH_PROFILE == 'M'
  .thumb
#else
  .arm
#endif

/* int select_sign(int n): conditional instructions, in an IT block where T32 has them */
  function select_sign
  cmp r0, #0
#if __ARM_ARCH_6M__
  bge 1f
  rsbs r0, r0, #0
1:
#else
  ite lt
  rsblt r0, r0, #0
  addge r0, r0, #1
#endif
  bx lr
  .size select_sign, . - select_sign

/* int call_by_pop(int n): the function returns to its caller by a pop of pc */
  function call_by_pop
  push {r4, lr}
  movs r4, #1
  bl leaf
  adds r0, r0, r4
  pop {r4, pc}
  .size call_by_pop, . - call_by_pop

/* int supervise(int n): a system call */
  function supervise
  push {r4, lr}
  svc #1
  adds r0, r0, #2
  pop {r4, pc}
  .size supervise, . - supervise

/* int save_context(uint32_t context[10]) */
  function save_context
#if __ARM_ARCH_6M__
  stmia r0!, {r4-r7}
  mov r1, r8
  mov r2, r9
  mov r3, r10
  stmia r0!, {r1-r3}
  mov r1, r11
  mov r2, sp
  mov r3, lr
  stmia r0!, {r1-r3}
#else
  stmia r0!, {r4-r11}
  mov r1, sp
  stmia r0!, {r1, lr}
#endif
  movs r0, #0
  bx lr
  .size save_context, . - save_context

/* void restore_context(uint32_t context[10], int value) */
  function restore_context
#if __ARM_ARCH_6M__
  mov r12, r1
  adds r0, #16
  ldmia r0!, {r1-r3}
  mov r8, r1
  mov r9, r2
  mov r10, r3
  ldmia r0!, {r1-r3}
  mov r11, r1
  mov sp, r2
  mov lr, r3
  subs r0, #40
  ldmia r0!, {r4-r7}
  mov r0, r12
#else
  ldmia r0!, {r4-r11}
  ldmia r0!, {r2, lr}
  mov sp, r2
  mov r0, r1
#endif
  bx lr
  .size restore_context, . - restore_context

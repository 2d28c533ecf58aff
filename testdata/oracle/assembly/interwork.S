/* T32 and A32 beside each other. */
#if __ARM_ARCH_PROFILE != 'M' && defined(__thumb__)
#include "assembly.h"

/* A function whose head changes state, as old compilers made them. */
.thumb
FUNCTION changes_state
  bx pc
  nop
  .arm
  stmfd sp!, {r4, lr}
  mov r4, r0
  bl in_arm
  add r0, r0, r4
  ldr r3, =add_three
  mov lr, pc
  bx r3
  ldmfd sp!, {r4, lr}
  bx lr
END changes_state

.arm
FUNCTION in_arm
  stmfd sp!, {r4, r5, lr}
  add r0, r0, #2
  cmp r0, #9
  ldmfdlo sp!, {r4, r5, lr}
  bxlo lr
  mov r5, r0
  ldmfd sp!, {r4, r5, lr}
  bx lr
END in_arm

/* A veneer, and a call through a pointer into the other state. */
.thumb
FUNCTION through_interwork
  push {r4, lr}
  bl .Lto_arm
  ldr r3, =in_arm
  bl .Lcall_r3
#if __ARM_ARCH < 5
  ldr r3, =in_arm
  bl _interwork_call_via_r3
  ldr r3, =add_three
  bl _interwork_call_via_r3
  ldr r2, =add_three
  bl _call_via_r2
#endif
  pop {r4}
  pop {r1}
  bx r1
.Lcall_r3:
  bx r3
  .p2align 2
.Lto_arm:
  bx pc
  b .Lto_arm
  .arm
  b in_arm
  .thumb
END through_interwork
#endif

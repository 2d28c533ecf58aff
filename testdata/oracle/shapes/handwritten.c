/* Assembly as people write it: LR kept and saved in unusual ways. */
#include "shapes.h"

#define BY_HAND(name, text) __attribute__((naked)) SHAPE int name(int a) { __asm volatile(text); }

#pragma GCC diagnostic ignored "-Wreturn-type"
#pragma GCC diagnostic ignored "-Wunused-parameter"

BY_HAND(lr_through_r3, "mov r3, lr\n push {r3}\n bl leaf\n pop {r3}\n bx r3")
BY_HAND(lr_in_r4, "push {r4}\n mov r4, lr\n bl leaf_keeping_r4\n mov lr, r4\n pop {r4}\n bx lr")
BY_HAND(leaf_keeping_r4, "adds r0, r0, #1\n adds r0, r0, r0\n bx lr")
BY_HAND(frame_in_r7, "push {r7, lr}\n mov r7, sp\n sub sp, #24\n str r0, [sp]\n bl leaf\n mov sp, r7\n pop {r7, pc}")
BY_HAND(arguments_dropped, "push {r0-r3, lr}\n sub sp, #4\n bl leaf\n add sp, #20\n pop {r3}\n bx r3")
BY_HAND(tail_by_branch, "push {r4, lr}\n movs r4, r0\n bl leaf\n adds r0, r0, r4\n pop {r4}\n pop {r3}\n mov lr, r3\n b leaf_keeping_r4")
BY_HAND(high_registers, "push {r4-r7, lr}\n mov r7, r11\n mov r6, r10\n mov r5, r9\n mov r4, r8\n push {r4-r7}\n"
  " mov r8, r0\n bl leaf\n pop {r4-r7}\n mov r8, r4\n mov r9, r5\n mov r10, r6\n mov r11, r7\n pop {r4-r7}\n pop {r3}\n bx r3")
BY_HAND(spilled_inside, "push {r4, lr}\n push {r0, r1}\n bl leaf\n push {r0}\n bl leaf\n add sp, #4\n pop {r2, r3}\n pop {r4}\n pop {r3}\n bx r3")

#if __ARM_ARCH_PROFILE != 'M' && !defined(__thumb__) || __ARM_ARCH_ISA_THUMB == 2
BY_HAND(lr_stored, "str lr, [sp, #-8]!\n bl leaf\n ldr lr, [sp], #8\n bx lr")
BY_HAND(lr_to_pc, "str lr, [sp, #-4]!\n bl leaf\n ldr pc, [sp], #4")
BY_HAND(pushed_twice, "push {r4-r7}\n stmdb sp!, {r8-r11, lr}\n sub sp, #12\n bl leaf\n add sp, #12\n ldmia sp!, {r8-r11, lr}\n pop {r4-r7}\n bx lr")
BY_HAND(conditional_return, "cmp r0, #2\n it lt\n bxlt lr\n push {r4, lr}\n bl leaf\n cmp r0, #9\n it lt\n poplt {r4, pc}\n bl leaf\n pop {r4, pc}")
BY_HAND(conditional_call, "push {r4, lr}\n cmp r0, #1\n it gt\n blgt leaf\n cmp r0, #3\n ite le\n addle r0, #1\n subgt r0, #1\n pop {r4, pc}")
BY_HAND(own_subroutine, "push {r4, lr}\n bl 1f\n bl 1f\n pop {r4, pc}\n 1: adds r0, r0, #3\n adds r0, r0, r0\n bx lr")

static int more(int a) {
  return lr_stored(a) + lr_to_pc(a) + pushed_twice(a) + conditional_return(a) + conditional_return(a + 40) +
         conditional_call(a) + conditional_call(a + 5) + own_subroutine(a);
}
#else
static int more(int a) { return a; }
#endif

int handwritten(int seed) {
  int sum = lr_through_r3(seed) + frame_in_r7(seed) + arguments_dropped(seed) + tail_by_branch(seed);
  return sum + lr_in_r4(seed) + high_registers(seed) + spilled_inside(seed) + more(seed);
}

#include "board.h"

enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18, APPLICATION_EXIT = 0x20026, RUN_TIME_ERROR = 0x20023 };

static void call(int operation, uintptr_t parameter) {
  register int r0 __asm("r0") = operation;
  register uintptr_t r1 __asm("r1") = parameter;
#if __ARM_ARCH_PROFILE == 'M'
  __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
#elif defined(__thumb__)
  __asm volatile("svc 0xab" : "+r"(r0) : "r"(r1) : "memory", "lr");
#else
  __asm volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
#endif
}

void semihosting_write(const char *text) { call(SYS_WRITE0, (uintptr_t)text); }

void semihosting_exit(int status) { call(SYS_EXIT, status == 0 ? APPLICATION_EXIT : RUN_TIME_ERROR); }

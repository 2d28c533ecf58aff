/* Reset, vectors and what newlib asks of a board. The oracle ends a run at oracle_end. */
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

extern uint32_t __stack_top, __process_stack_top;
extern uint32_t __data_load, __data_start, __data_end, __bss_start, __bss_end;
extern char end, __heap_end;

int main(void);
void __libc_init_array(void);

__attribute__((noinline, noreturn, used)) void oracle_end(void) {
  for (;;) {
  }
}

__attribute__((noreturn)) void _exit(int status) {
  (void)status;
  oracle_end();
}

/* With PROCESS_STACK the program is a thread on PSP that nobody called. */
__attribute__((noreturn, used)) void oracle_thread(void) {
  main();
  oracle_end();
}

#if __ARM_ARCH_PROFILE == 'M' && defined(PROCESS_STACK)
__attribute__((naked, noinline, noreturn)) static void enter_thread(uint32_t *stack) {
  __asm volatile(
      "msr psp, r0\n"
      "movs r0, #2\n"
      "msr control, r0\n"
      "isb\n"
      "movs r0, #0\n"
      "mov lr, r0\n"
      "ldr r0, =oracle_thread\n"
      "bx r0\n"
      ".ltorg");
}
#endif

__attribute__((noreturn, used)) void start(void) {
  const uint32_t *from = &__data_load;
  for (uint32_t *to = &__data_start; to < &__data_end;) {
    *to++ = *from++;
  }
  for (uint32_t *to = &__bss_start; to < &__bss_end;) {
    *to++ = 0;
  }
#if __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FP)
  *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* CPACR */
  __asm volatile("dsb\n isb" ::: "memory");
#endif
  __libc_init_array();
#if __ARM_ARCH_PROFILE == 'M' && defined(PROCESS_STACK)
  enter_thread(&__process_stack_top);
#else
  main();
  oracle_end();
#endif
}

#ifdef MODES
/* Each mode has its stack; the program runs in System mode. */
__attribute__((naked, noreturn, used, target("arm"))) void Reset_Handler(void) {
  __asm volatile(
      "msr cpsr_c, #0xd2\n ldr sp, =__irq_stack_top\n"
      "msr cpsr_c, #0xd3\n ldr sp, =__supervisor_stack_top\n"
      "msr cpsr_c, #0xd7\n ldr sp, =__abort_stack_top\n"
      "msr cpsr_c, #0xdb\n ldr sp, =__abort_stack_top - 0x1000\n"
      "msr cpsr_c, #0xdf\n ldr sp, =__stack_top\n"
      "mov lr, #0\n"
      "bl start\n"
      "1: b 1b\n"
      ".ltorg");
}
#else
__attribute__((naked, noreturn, used)) void Reset_Handler(void) {
  __asm volatile(
      "ldr r0, =__stack_top\n"
      "mov sp, r0\n"
      "movs r0, #0\n"
      "mov lr, r0\n"
      "bl start\n"
      "1: b 1b\n"
      ".ltorg");
}
#endif

void Default_Handler(void) { oracle_end(); }
__attribute__((weak)) void SysTick_Handler(void) {}
__attribute__((weak)) void PendSV_Handler(void) {}
__attribute__((weak)) void SVC_Handler(void) {}
void *__dso_handle; /* of libstdc++, for a program that is never unloaded */

void _init(void) {}
void _fini(void) {}

#if __ARM_ARCH_PROFILE == 'M'
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &__stack_top,    Reset_Handler,   Default_Handler, Default_Handler, Default_Handler, Default_Handler,
    Default_Handler, Default_Handler, 0,               0,               0,               SVC_Handler,
    Default_Handler, 0,               PendSV_Handler,  SysTick_Handler,
};
#endif

void *_sbrk(int n) {
  static char *brk = &end;
  if (brk + n > &__heap_end) {
    errno = ENOMEM;
    return (void *)-1;
  }
  brk += n;
  return brk - n;
}

int _write(int fd, const char *text, int n) {
  static volatile char last;
  (void)fd;
  for (int i = 0; i < n; i++) {
    last = text[i];
  }
  return n;
}

int _read(int fd, char *buffer, int n) { (void)fd, (void)buffer, (void)n; return 0; }
int _close(int fd) { (void)fd; return -1; }
int _lseek(int fd, int offset, int whence) { (void)fd, (void)offset, (void)whence; return 0; }
int _isatty(int fd) { (void)fd; return 1; }
int _getpid(void) { return 1; }
int _fstat(int fd, struct stat *s) {
  (void)fd;
  s->st_mode = S_IFCHR;
  return 0;
}
int _kill(int pid, int signal) {
  (void)pid, (void)signal;
  oracle_end();
}

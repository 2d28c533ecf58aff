/* The secure image: entries for the non-secure one, calls of it, exceptions. */
#include <arm_cmse.h>

#include "trustzone.h"

#define ENTRY __attribute__((cmse_nonsecure_entry))
typedef __attribute__((cmse_nonsecure_call)) int nonsecure(int);

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define ICSR (*(volatile uint32_t *)0xe000ed04u)
#define SHPR3 (*(volatile uint32_t *)0xe000ed20u)

extern const void *const ns_vectors[16];
int ns_from_handler(int a);

static volatile int secure_sink, secure_ticks;
static volatile float secure_scale = 0.75f;
static uint32_t secure_random = 4242;

NOINLINE int hidden_leaf(int a) { return a * a + 7; }

NOINLINE int hidden_recursive(int n) {
  volatile int box[3] = {n};
  return n > 0 ? hidden_recursive(n - 1) + hidden_leaf(box[0]) : 1;
}

NOINLINE int call_out(nonsecure *f, int a) { return f(a) + hidden_leaf(a); }

NOINLINE int call_out_keeping(nonsecure *f, int a, int b, int c) {
  int kept = hidden_leaf(b) ^ c, more = hidden_leaf(c);
  int sum = f(a);
  return sum + kept * more + f(kept);
}

ENTRY int secure_leaf(int a) { return a + 5; }

ENTRY int secure_work(int a, int b) {
  int sum = hidden_recursive(a & 3);
  return sum + hidden_leaf(b);
}

ENTRY number secure_floats(number a, number b) {
  number c = a * secure_scale, d = b - c;
  secure_sink += hidden_leaf((int)a);
  return c * d + (number)hidden_leaf(2) * b;
}

ENTRY int secure_callback(callback *f, int a) {
  nonsecure *out = (nonsecure *)cmse_nsfptr_create(f);
  if (!cmse_is_nsfptr(out)) {
    return -1;
  }
  return a & 1 ? call_out(out, a) : call_out_keeping(out, a, 3, 4);
}

ENTRY int secure_once_more(int a) {
  __asm volatile("svc 1" ::: "memory");
  return hidden_recursive(2) + a;
}

int main(void) {
  SHPR3 = 0x40c00000u;
  SYST_RVR = 170000;
  SYST_CSR = 7;
  nonsecure *reset = (nonsecure *)cmse_nsfptr_create((callback *)ns_vectors[1]);
  return reset(1) + hidden_leaf(2);
}

void SysTick_Handler(void) {
  secure_random = secure_random * 1664525u + 1013904223u;
  SYST_RVR = 300000 + (secure_random >> 12);
  secure_ticks++;
  if ((secure_ticks & 3) == 0) {
    ICSR = 1u << 28; /* PENDSVSET */
  }
  if (secure_ticks & 1) {
    secure_sink += hidden_recursive(secure_ticks & 3);
  }
  if ((secure_ticks & 7) == 2) {
    secure_sink += call_out((nonsecure *)cmse_nsfptr_create((callback *)ns_from_handler), 3);
  }
  secure_scale += 0.5f;
}

void PendSV_Handler(void) { secure_sink += hidden_leaf(secure_ticks); }
void SVC_Handler(void) { secure_sink += hidden_recursive(1); }

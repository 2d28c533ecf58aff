/* What the two images of the TrustZone firmware know of each other. */
#ifndef TRUSTZONE_H
#define TRUSTZONE_H

#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))
#ifdef __clang__
#undef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

typedef int callback(int);

/* Without FPU a float would be arithmetic of libgcc, which is secure. */
#ifdef __ARM_FP
typedef float number;
#else
typedef int number;
#endif

/* Entries of the secure image. The non-secure one calls them through branches
   of its own, as they are too far away for BL. */
#ifdef NONSECURE
#define FROM_AFAR(name) __asm__("to_" #name)
#else
#define FROM_AFAR(name)
#endif

int secure_leaf(int a) FROM_AFAR(secure_leaf);
int secure_work(int a, int b) FROM_AFAR(secure_work);
number secure_floats(number a, number b) FROM_AFAR(secure_floats);
int secure_callback(callback *f, int a) FROM_AFAR(secure_callback);
int secure_once_more(int a) FROM_AFAR(secure_once_more);

#endif

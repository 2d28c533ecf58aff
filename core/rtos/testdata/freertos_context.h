/* Saved contexts of the ports, as words in the order of memory. Registers hold
 * recognisable values: rN is 0xa00 + N, sN is 0xf00 + N. */
#define R4_R7 0xa04, 0xa05, 0xa06, 0xa07
#define R4_R11 R4_R7, 0xa08, 0xa09, 0xa0a, 0xa0b
#define FRAME(pc) 0xa00, 0xa01, 0xa02, 0xa03, 0xa0c, 0xa0e, (uintptr_t)(pc), 0x01000000
#define S0_S15 0xf00, 0xf01, 0xf02, 0xf03, 0xf04, 0xf05, 0xf06, 0xf07, 0xf08, 0xf09, 0xf0a, 0xf0b, 0xf0c, 0xf0d, 0xf0e, 0xf0f
#define S16_S31 0xf10, 0xf11, 0xf12, 0xf13, 0xf14, 0xf15, 0xf16, 0xf17, 0xf18, 0xf19, 0xf1a, 0xf1b, 0xf1c, 0xf1d, 0xf1e, 0xf1f
#define FPSCR_RESERVED 0x03000000, 0
#define KEY 0xdead0001, 0xdead0002, 0xdead0003, 0xdead0004

#if defined(CM3)
#define SPECIAL
#define WORDS 0
#define AFTER
#elif defined(CM0_V11)
#define SPECIAL 0xfffffffd,
#define WORDS 1
#elif defined(CM4F)
#define RETURN_LAST
#elif defined(NTZ)
#define SPECIAL 0x20000000, EXC,
#define WORDS 2
#elif defined(NTZ_PAC)
#define SPECIAL KEY, 0x20000000, EXC,
#define WORDS 6
#elif defined(NTZ_MPU_V10)
#define SPECIAL 0x20000000, 3, EXC,
#define WORDS 3
#elif defined(TZ)
#define SPECIAL 1, 0x20000000, EXC,
#define WORDS 3
#elif defined(TZ_MPU_V10)
#define SPECIAL 1, 0x20000000, 3, EXC,
#define WORDS 4
#elif defined(CM3_MPU_V10)
#define SPECIAL 3,
#define WORDS 1
#elif defined(CM4_MPU_V10)
#define SPECIAL 3,
#define WORDS 1
#define RETURN_LAST
#endif
#ifndef SPECIAL
#define SPECIAL
#define WORDS 0
#endif

/* EXC_RETURN of a thread on the process stack; FP clears bit 4. */
#if defined(NTZ) || defined(NTZ_PAC) || defined(NTZ_MPU_V10) || defined(TZ) || defined(TZ_MPU_V10) || defined(V8_MPU)
#define EXC_BASIC 0xffffffbc
#define EXC_FP 0xffffffac
#else
#define EXC_BASIC 0xfffffffd
#define EXC_FP 0xffffffed
#endif

#define STACK_WORDS 128
#define STACK(name, fp) STACK_##fp(name)

#if defined(A_PROFILE)
#define R0_R12 0xa00, 0xa01, 0xa02, 0xa03, R4_R11, 0xa0c
#define A_CONTEXT(pc) 0, R0_R12, 0xa0e, (uintptr_t)(pc), 0x6000001f
#ifdef NO_FP
#define CONTEXT_WORDS 17
#define FP_CONTEXT_WORDS 17
#define STACK_0(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 18] = 0xa5a5a5a5, A_CONTEXT(name##_task) }
#define STACK_1(name) STACK_0(name)
#else
#define CONTEXT_WORDS 18
#define STACK_0(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 19] = 0xa5a5a5a5, 0, A_CONTEXT(name##_task) }
#ifdef CA9
#define FP_CONTEXT_WORDS (18 + 65)
#define STACK_1(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 84] = 0xa5a5a5a5, 1, S16_S31, S16_S31, S0_S15, S16_S31, 0x03000000, A_CONTEXT(name##_task) }
#elif defined(NO_GIC)
#define FP_CONTEXT_WORDS (18 + 33)
#define STACK_1(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 52] = 0xa5a5a5a5, 1, 0x03000000, S0_S15, S16_S31, A_CONTEXT(name##_task) }
#else
#define FP_CONTEXT_WORDS (18 + 33)
#define STACK_1(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 52] = 0xa5a5a5a5, 1, S0_S15, S16_S31, 0x03000000, A_CONTEXT(name##_task) }
#endif
#endif
#elif defined(IN_TCB)
/* The frame is in the control block; the stack has room for it. */
#define STACK_0(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 9] = 0xa5a5a5a5 }
#define STACK_1(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - 27] = 0xa5a5a5a5 }
#define PSP_0(name) (uintptr_t)&name##_stack[STACK_WORDS - 8]
#define PSP_1(name) (uintptr_t)&name##_stack[STACK_WORDS - 26]
#define TCB_CONTEXT(name, fp) TCB_CONTEXT_##fp(name)
#if defined(V8_MPU)
#ifdef PAC
#define TAIL , KEY
#define TAIL_WORDS 4
#else
#define TAIL
#define TAIL_WORDS 0
#endif
#ifdef SECURE
#define HANDLE 1,
#define HANDLE_WORDS 1
#else
#define HANDLE
#define HANDLE_WORDS 0
#endif
#define CONTEXT_WORDS (20 + TAIL_WORDS + HANDLE_WORDS)
#define FP_CONTEXT_WORDS (CONTEXT_BASIC_WORDS + 33)
#define CONTEXT_BASIC_WORDS (20 + TAIL_WORDS + HANDLE_WORDS)
#define TCB_CONTEXT_0(name) R4_R11, FRAME(name##_task), HANDLE PSP_0(name), 0x20000000, 3, EXC_BASIC TAIL
#define TCB_CONTEXT_1(name) S16_S31, S0_S15, 0x03000000, R4_R11, FRAME(name##_task), HANDLE PSP_1(name), 0x20000000, 3, EXC_FP TAIL
#elif defined(V7_MPU)
#define CONTEXT_WORDS 19
#define FP_CONTEXT_WORDS (19 + 33)
#define TCB_CONTEXT_0(name) 3, R4_R11, EXC_BASIC, PSP_0(name), FRAME(name##_task)
#define TCB_CONTEXT_1(name) S16_S31, S0_S15, 0x03000000, 3, R4_R11, EXC_FP, PSP_1(name), FRAME(name##_task)
#else /* V6_MPU */
#undef STACK_1
#define STACK_1(name) STACK_0(name)
#define CONTEXT_WORDS 19
#define FP_CONTEXT_WORDS 19
#define TCB_CONTEXT_0(name) R4_R11, FRAME(name##_task), PSP_0(name), 3, EXC_BASIC
#define TCB_CONTEXT_1(name) TCB_CONTEXT_0(name)
#endif
#else
#ifdef RETURN_LAST
#define LAST_WORDS 1
#define LAST , EXC
#else
#define LAST_WORDS 0
#define LAST
#endif
#define CONTEXT_WORDS (WORDS + 8 + LAST_WORDS + 8)
#define EXC EXC_BASIC
#define STACK_0(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - CONTEXT_BASIC - 1] = 0xa5a5a5a5, SPECIAL R4_R11 LAST, FRAME(name##_task) }
#define CONTEXT_BASIC (WORDS + 8 + LAST_WORDS + 8)
#if defined(FPU)
#define FP_CONTEXT_WORDS (CONTEXT_BASIC + 16 + 18)
#define STACK_1(name) uintptr_t name##_stack[STACK_WORDS] = { [0 ... STACK_WORDS - FP_CONTEXT_WORDS - 1] = 0xa5a5a5a5, FP_SPECIAL(name) }
#if defined(RETURN_LAST)
#define FP_SPECIAL(name) SPECIAL R4_R11, EXC_FP, S16_S31, FRAME(name##_task), S0_S15, FPSCR_RESERVED
#elif defined(NTZ)
#define FP_SPECIAL(name) 0x20000000, EXC_FP, R4_R11, S16_S31, FRAME(name##_task), S0_S15, FPSCR_RESERVED
#else
#define FP_SPECIAL(name) 1, 0x20000000, EXC_FP, R4_R11, S16_S31, FRAME(name##_task), S0_S15, FPSCR_RESERVED
#endif
#else
#define FP_CONTEXT_WORDS CONTEXT_BASIC
#define STACK_1(name) STACK_0(name)
#endif
#endif

#if defined(CA9) || defined(CR5)
const uint32_t ulICCIAR = 0x1f00010c; /* only ports with an interrupt controller have it */
#endif
#if defined(TZ) || defined(TZ_MPU_V10) || defined(SECURE)
volatile uint32_t xSecureContext = 1;
#endif

/* The threads of a stopped Zephyr as initialised data: structures with the names
 * and the layout of the kernel (kernel_structs.h, kernel/thread.h, arch/arm),
 * written for the tests from the description of these. Nothing here runs.
 *
 * main runs, rx waits for the semaphore rx_sem, nap sleeps, tx is queued, fresh
 * has not started. rx uses floating point where the kernel saves it. */
#include <stddef.h>
#include <stdint.h>

typedef struct { void *next, *prev; } sys_dnode_t;
typedef struct { sys_dnode_t waitq; } _wait_q_t;

struct _thread_base {
	sys_dnode_t qnode_dlist;
	_wait_q_t *pended_on;
	uint8_t user_options, thread_state;
	union { struct { int8_t prio; uint8_t sched_locked; }; uint16_t preempt; };
	void *swap_data;
};

struct _callee_saved {
	uint32_t v1, v2, v3, v4, v5, v6, v7, v8, psp;
#ifdef USE_SWITCH
	uintptr_t lr;
#endif
};

struct _thread_arch {
	uint32_t basepri, swap_return_value;
#ifdef FPU_SHARING
	struct { uint32_t s[16]; } preempt_float;
#endif
#ifdef MODE_FPCA
	uint32_t mode;
#endif
#ifdef EXC_RETURN
	union { uint32_t mode; struct { uint8_t mode_bits, mode_exc_return; uint16_t mode_reserved2; }; };
#endif
	uintptr_t iciit_pc;
};

struct k_thread {
	struct _thread_base base;
	struct _callee_saved callee_saved;
	void *init_data;
#ifdef MONITOR
	struct { void *pEntry; } entry;
	struct k_thread *next_thread;
#endif
	char name[32];
	struct { uintptr_t start; uint32_t size, delta; } stack_info;
#ifdef USE_SWITCH
	void *switch_handle;
#endif
	struct _thread_arch arch;
};

struct _cpu { uint32_t nested; char *irq_stack; struct k_thread *current, *idle_thread; uint8_t id; };
struct z_kernel {
	struct _cpu cpus[CPUS];
	void *cache;
#ifdef MONITOR
	struct k_thread *threads;
#endif
};
struct k_sem { _wait_q_t wait_q; uint32_t count, limit; };

#define STACK_WORDS 128
#define R4_R11 0xa04, 0xa05, 0xa06, 0xa07, 0xa08, 0xa09, 0xa0a, 0xa0b
#define R0_R3 0xa00, 0xa01, 0xa02, 0xa03
#define FRAME(pc) R0_R3, 0xa0c, 0xa0e, (uintptr_t)(pc), 0x01000000
#define S0_S15 0xf00, 0xf01, 0xf02, 0xf03, 0xf04, 0xf05, 0xf06, 0xf07, 0xf08, 0xf09, 0xf0a, 0xf0b, 0xf0c, 0xf0d, 0xf0e, 0xf0f
#define S16_S31 0xf10, 0xf11, 0xf12, 0xf13, 0xf14, 0xf15, 0xf16, 0xf17, 0xf18, 0xf19, 0xf1a, 0xf1b, 0xf1c, 0xf1d, 0xf1e, 0xf1f

#if defined(USE_SWITCH) && !defined(A_PROFILE)
#ifdef GUARD
#define LIMIT 0x20000000,
#define LIMIT_WORDS 1
#else
#define LIMIT
#define LIMIT_WORDS 0
#endif
#ifdef FPU_SWITCH
#define HAVE_0 0,
#define HAVE_1 4, S0_S15, S16_S31, 0x03000000,
#define HAVE_WORDS_0 1
#define HAVE_WORDS_1 34
#else
#define HAVE_0
#define HAVE_1
#define HAVE_WORDS_0 0
#define HAVE_WORDS_1 0
#endif
#define WORDS(fp) (HAVE_WORDS_##fp + LIMIT_WORDS + 16)
#define CONTEXT(pc, fp) HAVE_##fp LIMIT 0x01000000, R0_R3, R4_R11, 0xa0c, 0xa0e, (uintptr_t)(pc)
#define HANDLE(name, fp) .switch_handle = &name##_stack[STACK_WORDS - WORDS(fp)],
#elif defined(A_PROFILE)
#define WORDS(fp) 4
#define CONTEXT(pc, fp) 1, 2, 3, 4
#define HANDLE(name, fp) .switch_handle = name##_stack,
#elif defined(FPU_SHARING)
#define WORDS_0 8
#define WORDS_1 26
#define WORDS(fp) WORDS_##fp
#define FP_0
#define FP_1 , S0_S15, 0x03000000, 0
#define CONTEXT(pc, fp) FRAME(pc) FP_##fp
#define HANDLE(name, fp)
#else
#define WORDS(fp) 8
#define CONTEXT(pc, fp) FRAME(pc)
#define HANDLE(name, fp)
#endif

#ifdef MODE_FPCA
#define MODE_0 .mode = 1,
#define MODE_1 .mode = 5,
#elif defined(EXC_RETURN)
#define MODE_0 .mode_exc_return = 0xbc,
#ifdef FPU_SHARING
#define MODE_1 .mode_exc_return = 0xac,
#else
#define MODE_1 MODE_0
#endif
#else
#define MODE_0
#define MODE_1
#endif
#ifdef FPU_SHARING
#define FLOATS_0
#define FLOATS_1 .preempt_float = { { S16_S31 } },
#else
#define FLOATS_0
#define FLOATS_1
#endif
#ifdef MONITOR
#define NEXT(n) .next_thread = n,
#else
#define NEXT(n)
#endif
#ifdef A_PROFILE
#define SAVED(name, entry) { R4_R11, (uintptr_t)&name##_stack[STACK_WORDS], (uintptr_t)entry }
#else
#define SAVED(name, entry) { R4_R11, (uintptr_t)&name##_stack[STACK_WORDS - 8 - FPW] }
#endif

#define THREAD(id, var, state, priority, next, queue, entry, fp) \
	uintptr_t id##_stack[STACK_WORDS] = { 0xf0f0f0f0, [1 ... STACK_WORDS - WORDS(fp) - 1] = 0xaaaaaaaa, CONTEXT(entry, fp) }; \
	struct k_thread var = { .base = { .pended_on = queue, .thread_state = state, .prio = priority }, \
		.callee_saved = SAVED(id, entry), NEXT(next) .name = #id, \
		.stack_info = { (uintptr_t)id##_stack, sizeof id##_stack, 0 }, HANDLE(id, fp) \
		.arch = { MODE_##fp FLOATS_##fp } }

void main_task(void), rx_task(void), nap_task(void), tx_task(void), z_thread_entry(void);
extern struct k_thread z_main_thread, _k_thread_obj_rx, _k_thread_obj_nap, _k_thread_obj_tx, _k_thread_obj_fresh;
struct k_sem rx_sem;

#define FPW 0
THREAD(main, z_main_thread, 0, 0, &_k_thread_obj_tx, 0, main_task, 0);
THREAD(tx, _k_thread_obj_tx, 0x80, -2, &_k_thread_obj_nap, 0, tx_task, 0);
THREAD(nap, _k_thread_obj_nap, 4, 7, &_k_thread_obj_fresh, 0, nap_task, 0);
THREAD(fresh, _k_thread_obj_fresh, 4, 9, &_k_thread_obj_rx, 0, z_thread_entry, 0);
#undef FPW
#define FPW (WORDS(1) - 8)
#if defined(A_PROFILE) || defined(USE_SWITCH) || !defined(FPU_SHARING)
#undef FPW
#define FPW 0
#endif
THREAD(rx, _k_thread_obj_rx, 2, 5, 0, &rx_sem.wait_q, rx_task, 1);

struct z_kernel _kernel = { .cpus = { { .current = &z_main_thread } },
#ifdef MONITOR
	.threads = &z_main_thread
#endif
};
struct k_sem rx_sem = { { { &_k_thread_obj_rx, &_k_thread_obj_rx } }, 0, 1 };

#define NONE 0xffffffff
__attribute__((used)) const uint32_t _kernel_thread_info_offsets[] = {
	1, offsetof(struct _cpu, current),
#ifdef MONITOR
	offsetof(struct z_kernel, threads), offsetof(struct k_thread, entry), offsetof(struct k_thread, next_thread),
#else
	NONE, NONE, NONE,
#endif
	offsetof(struct _thread_base, thread_state), offsetof(struct _thread_base, user_options),
	offsetof(struct _thread_base, prio), offsetof(struct k_thread, callee_saved.psp), offsetof(struct k_thread, name),
	offsetof(struct k_thread, arch),
#ifdef FPU_SHARING
	offsetof(struct _thread_arch, preempt_float),
#else
	NONE,
#endif
	NONE,
#ifdef EXC_RETURN
	offsetof(struct _thread_arch, mode_exc_return),
#else
	NONE,
#endif
};

#define TASK(name) __attribute__((used)) void name(void) { for (;;) __asm__ volatile(""); }
TASK(main_task) TASK(rx_task) TASK(nap_task) TASK(tx_task) TASK(z_thread_entry)
void _start(void) {}

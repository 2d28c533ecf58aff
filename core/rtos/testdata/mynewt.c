/* The tasks of a stopped Mynewt as initialised data: structures with the names
 * and the layout of the kernel (os_task.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready, nap sleeps for 25 ticks, rx waits for the semaphore
 * rx_sem without a limit, off for the mutex bus that tx has, for a time. */
#define FILL 0xdeadbeef
#include "context.h"

void off_task(void) {}
#if defined(HARDFLOAT)
#define CONTEXT(pc) R4_R11, RETURN, FRAME(pc)
#define FP_CONTEXT(pc) R4_R11, FP_RETURN, S16_S31, FP_FRAME(pc)
#elif defined(M33)
#define CONTEXT(pc) 0x10, R4_R11, FRAME(pc)
#define FP_CONTEXT(pc) 0, R4_R11, S16_S31, FP_FRAME(pc)
#else
#define CONTEXT(pc) R4_R11, FRAME(pc)
#define FP_CONTEXT CONTEXT
#endif

struct os_task {
	void *t_stackptr;
#ifdef OLD
	uint32_t *t_stacktop;
#else
	uint32_t *t_stackbottom;
#endif
	uint16_t t_stacksize;
	uint8_t t_taskid, t_prio, t_state, t_flags, t_lockcnt, t_pad;
	const char *t_name;
	void (*t_func)(void), *t_arg, *t_obj;
	uint32_t t_sanity_check[5], t_next_wakeup, t_run_time, t_ctx_sw_cnt;
	struct os_task *t_os_task_list, *t_os_list[2], *t_obj_list;
};
extern struct os_task tx_tcb, nap_tcb, rx_tcb, off_tcb;
uint32_t rx_sem[2];
struct { struct os_task *mu_head; uint8_t _pad, mu_prio; uint16_t mu_level; struct os_task *mu_owner; } bus = {&off_tcb, 0, 4, 1, &tx_tcb};

STACK(main, 0);
STACK(tx, CONTEXT(tx_task));
STACK(nap, CONTEXT(nap_task));
STACK(rx, FP_CONTEXT(rx_task));
STACK(off, CONTEXT(off_task));
#ifdef OLD
#define BOUND(me) .t_stacktop = me##_stack + STACK_WORDS
#else
#define BOUND(me) .t_stackbottom = me##_stack
#endif
#define TASK(me, sp, prio, state, flags, object, wake, next) \
	struct os_task me##_tcb = {.t_stackptr = sp, BOUND(me), .t_stacksize = STACK_WORDS, .t_prio = prio, .t_state = state, \
		.t_flags = flags, .t_name = #me, .t_obj = object, .t_next_wakeup = wake, .t_os_task_list = next}
TASK(main, main_stack + 64, 3, 1, 0, 0, 0, &tx_tcb);
TASK(tx, SP(tx, CONTEXT(tx_task)), 4, 1, 0, 0, 0, &nap_tcb);
TASK(nap, SP(nap, CONTEXT(nap_task)), 5, 2, 0, 0, 1025, &rx_tcb);
TASK(rx, SP(rx, FP_CONTEXT(rx_task)), 6, 2, 0x03, rx_sem, 0, &off_tcb);
TASK(off, SP(off, CONTEXT(off_task)), 2, 2, 0x04, &bus, 1040, 0);
struct { struct os_task *first, **last; } g_os_task_list = {&main_tcb, &off_tcb.t_os_task_list};
struct os_task *g_current_task = &main_tcb;
int g_os_started = 1;
uint32_t g_os_time = 1000;

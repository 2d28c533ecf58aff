/* The threads of a stopped RIOT as initialised data: structures with the names
 * and the layout of the kernel (thread.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready, nap sleeps, rx waits for the mutex rx_mutex. */
#define FILL 0
#include "context.h"

#ifdef BASELINE
#define CONTEXT(pc) R8_R11, R4_R7, RETURN, FRAME(pc)
#define FP_CONTEXT CONTEXT
#else
#define CONTEXT(pc) R4_R11, RETURN, FRAME(pc)
#define FP_CONTEXT(pc) R4_R11, FP_RETURN, S16_S31, FP_FRAME(pc)
#endif

typedef enum {
	STATUS_STOPPED, STATUS_ZOMBIE, STATUS_SLEEPING, STATUS_MUTEX_BLOCKED, STATUS_RECEIVE_BLOCKED, STATUS_SEND_BLOCKED,
	STATUS_REPLY_BLOCKED, STATUS_FLAG_BLOCKED_ANY, STATUS_FLAG_BLOCKED_ALL, STATUS_MBOX_BLOCKED, STATUS_COND_BLOCKED,
	STATUS_RUNNING, STATUS_PENDING, STATUS_NUMOF
} thread_status_t;
typedef struct list_node { struct list_node *next; } clist_node_t;
typedef struct _thread {
	char *sp;
	thread_status_t status;
	uint8_t priority;
	int16_t pid;
	clist_node_t rq_entry;
	void *wait_data;
#ifdef DEVELHELP
	char *stack_start;
	const char *name;
	int stack_size;
#endif
} thread_t;

/* The control block is at the high end of the memory for the stack. */
#define THREAD(me, number, sp_, state, prio, ...) \
	struct { uint32_t words[STACK_WORDS]; thread_t tcb; } me##_stack = { \
		{[0 ... STACK_WORDS - WORDS(__VA_ARGS__) - 1] = FILL, __VA_ARGS__}, {(char *)(sp_), state, prio, number, NAMED(me)}}
#ifdef DEVELHELP
#define NAMED(me) .stack_start = (char *)&me##_stack, .name = #me, .stack_size = sizeof(me##_stack)
#else
#define NAMED(me)
#endif
#define TOP(me, ...) &me##_stack.words[STACK_WORDS - WORDS(__VA_ARGS__)]
THREAD(main, 1, 0, STATUS_RUNNING, 7, 0);
THREAD(tx, 2, TOP(tx, CONTEXT(tx_task)), STATUS_PENDING, 8, CONTEXT(tx_task));
THREAD(nap, 4, TOP(nap, CONTEXT(nap_task)), STATUS_SLEEPING, 3, CONTEXT(nap_task));
THREAD(rx, 5, TOP(rx, FP_CONTEXT(rx_task)), STATUS_MUTEX_BLOCKED, 6, FP_CONTEXT(rx_task));

clist_node_t rx_mutex = {&rx_stack.tcb.rq_entry};
volatile thread_t *sched_active_thread = &main_stack.tcb;
volatile thread_t *sched_threads[9] = {0, &main_stack.tcb, &tx_stack.tcb, 0, &nap_stack.tcb, &rx_stack.tcb};
volatile int sched_num_threads = 4;
const uint8_t max_threads = 9;
#ifdef DEVELHELP
const uint8_t _tcb_name_offset = offsetof(thread_t, name);
#endif

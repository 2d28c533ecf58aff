/* The threads of a stopped NuttX as initialised data: structures with the names
 * and the layout of the kernel (sched.h, arch/arm), written for the tests from
 * the description of these. Nothing here runs.
 *
 * main runs, tx is ready, nap waits for a signal, rx for the semaphore rx_sem. */
#define FILL 0xdeadbeef
#include "context.h"

#define TOP(me) (uintptr_t)(me##_stack + STACK_WORDS)
#ifdef LIMIT
#define STACK_LIMIT 0x20000000,
#else
#define STACK_LIMIT
#endif
#ifdef OLD
#define CONTROL_WORD
#else
#define CONTROL_WORD 2,
#endif
#if defined(A_PROFILE)
#define CONTEXT(me) S0_S15, S16_S31, 0x03000000, TOP(me), 0xa0e, R0_R3, R4_R11, 0xa0c, (uintptr_t)me##_task, 0x1f
#define FP_CONTEXT CONTEXT
#elif defined(FPU)
#define CONTEXT FP_CONTEXT
#define FP_CONTEXT(me) TOP(me), 0, R4_R11, CONTROL_WORD FP_RETURN, S16_S31, STACK_LIMIT FP_FRAME(me##_task)
#else
#define CONTEXT(me) TOP(me), 0, R4_R11, CONTROL_WORD RETURN, STACK_LIMIT FRAME(me##_task)
#define FP_CONTEXT CONTEXT
#endif

extern uint32_t main_stack[STACK_WORDS], tx_stack[STACK_WORDS], nap_stack[STACK_WORDS], rx_stack[STACK_WORDS];
enum tstate_e {
	TSTATE_TASK_INVALID, TSTATE_TASK_PENDING, TSTATE_TASK_READYTORUN, TSTATE_TASK_RUNNING, TSTATE_TASK_INACTIVE,
	TSTATE_WAIT_SEM, TSTATE_WAIT_SIG, NUM_TASK_STATES
};
struct xcptcontext {
	void *saved_regs;
#ifdef OLD
	uint32_t regs[WORDS(CONTEXT(tx))];
#else
	uint32_t *regs;
#endif
};
struct tcb_s {
	struct tcb_s *flink, *blink;
	void *group;
	int pid;
	uint8_t sched_priority, init_priority;
	void (*start)(void), (*entry)(void);
	uint8_t task_state;
	size_t adj_stack_size;
	void *stack_alloc_ptr;
#ifdef OLD
	void *adj_stack_ptr, *waitsem;
#else
	void *stack_base_ptr, *waitobj;
#endif
	struct xcptcontext xcp;
	char name[32];
};
enum tstate_e used;
uint32_t rx_sem[3];
#ifdef OLD
#define CONTEXT_STACK(me, ...) STACK(me, 0)
#define REGS(me, context) .xcp.regs = {context(me)}, .adj_stack_ptr = me##_stack + STACK_WORDS - 1
#define WAIT(object) .waitsem = object
#else
#define CONTEXT_STACK STACK
#define REGS(me, context) .xcp.regs = &me##_stack[STACK_WORDS - WORDS(context(me))], .stack_base_ptr = me##_stack
#define WAIT(object) .waitobj = object
#endif
STACK(main, 0);
CONTEXT_STACK(tx, CONTEXT(tx));
CONTEXT_STACK(nap, CONTEXT(nap));
CONTEXT_STACK(rx, FP_CONTEXT(rx));
#define TCB(me, number, prio, init, state, context, object) \
	struct tcb_s me##_tcb = {.pid = number, .sched_priority = prio, .init_priority = init, .task_state = state, \
		.adj_stack_size = 512, REGS(me, context), WAIT(object), .name = #me}
TCB(main, 1, 100, 100, TSTATE_TASK_RUNNING, CONTEXT, 0);
TCB(tx, 2, 100, 90, TSTATE_TASK_READYTORUN, CONTEXT, 0);
TCB(nap, 5, 50, 50, TSTATE_WAIT_SIG, CONTEXT, 0);
TCB(rx, 7, 200, 200, TSTATE_WAIT_SEM, FP_CONTEXT, rx_sem);
struct { struct tcb_s *head, *tail; } g_readytorun = {&main_tcb, &tx_tcb};
struct tcb_s *g_running_tasks[1] = {&main_tcb};
#ifdef OLD
struct pidhash_s { struct tcb_s *tcb; int pid; } g_pidhash[8] = {[1] = {&main_tcb, 1}, {&tx_tcb, 2}, [5] = {&nap_tcb, 5}, [7] = {&rx_tcb, 7}};
#else
struct tcb_s *table[8] = {[1] = &main_tcb, &tx_tcb, [5] = &nap_tcb, [7] = &rx_tcb}, **g_pidhash = table;
volatile int g_npidhash = 8;
struct tcbinfo_s { uint16_t offsets[8]; union { uint8_t u[8]; const uint16_t *p; } reg_off; } __attribute__((packed));
const struct tcbinfo_s g_tcbinfo = {{
	offsetof(struct tcb_s, pid), offsetof(struct tcb_s, task_state), offsetof(struct tcb_s, sched_priority),
	offsetof(struct tcb_s, name), offsetof(struct tcb_s, stack_base_ptr), offsetof(struct tcb_s, adj_stack_size),
	offsetof(struct tcb_s, xcp.regs), 17}};
#endif

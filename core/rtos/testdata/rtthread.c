/* The threads of a stopped RT-Thread as initialised data: structures with the
 * names and the layout of the kernel (rtdef.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready and inherited a priority, nap sleeps, rx waits for the
 * queue rx, off for a mutex that tx has, behind another thread. */
#define FILL 0x23232323
#include "context.h"

void off_task(void) {}
void tidle0_task(void) {}
#if defined(TZ)
#define CONTEXT(pc) 0, RETURN, 0x20000000, 2, R4_R11, FRAME(pc)
#define FP_CONTEXT(pc) 0, FP_RETURN, 0x20000000, 2, R4_R11, S16_S31, FP_FRAME(pc)
#elif defined(FPU)
#define CONTEXT(pc) 0, R4_R11, FRAME(pc)
#define FP_CONTEXT(pc) 1, R4_R11, S16_S31, FP_FRAME(pc)
#else
#define CONTEXT(pc) R4_R11, FRAME(pc)
#define FP_CONTEXT CONTEXT
#endif
#ifdef OLD_STATES
enum { READY = 1, SUSPENDED = 2 };
#else
enum { READY = 2, SUSPENDED = 4 };
#endif
#ifndef NAME_MAX
#define NAME_MAX 8
#endif

typedef struct rt_list_node { struct rt_list_node *next, *prev; } rt_list_t;
struct rt_object { char name[NAME_MAX]; uint8_t type, flag; rt_list_t list; };
struct rt_ipc_object { struct rt_object parent; rt_list_t suspend_thread; };
struct rt_mutex { struct rt_ipc_object parent; uint16_t value; uint8_t original_priority, hold; void *owner; };
#ifdef V51
struct rt_thread {
	struct rt_object parent;
	void *sp, *entry, *parameter, *stack_addr;
	uint32_t stack_size;
	long error;
	struct { uint32_t init_tick; uint8_t current_priority, init_priority; } sched_thread_priv;
	struct { rt_list_t thread_list_node; uint8_t stat; } sched_thread_ctx;
};
#define OBJECT .parent
#define TLIST .sched_thread_ctx.thread_list_node
#define STAT .sched_thread_ctx.stat
#define PRIO .sched_thread_priv.current_priority
#define INIT_PRIO .sched_thread_priv.init_priority
#define NODE(me) &me##_tcb.parent.list
#define WAIT_NODE(me) &me##_tcb.sched_thread_ctx.thread_list_node
#else
struct rt_thread {
	char name[NAME_MAX];
	uint8_t type, flags;
	rt_list_t list, tlist;
	void *sp, *entry, *parameter, *stack_addr;
	uint32_t stack_size;
	long error;
	uint8_t stat, current_priority, init_priority;
};
#define OBJECT
#define TLIST .tlist
#define STAT .stat
#define PRIO .current_priority
#define INIT_PRIO .init_priority
#define NODE(me) &me##_tcb.list
#define WAIT_NODE(me) &me##_tcb.tlist
#endif

extern struct rt_thread main_tcb, tx_tcb, nap_tcb, rx_tcb, off_tcb, tidle0_tcb;
struct rt_ipc_object rx_queue = {{"rx", 6 | 0x80}, {WAIT_NODE(rx), WAIT_NODE(rx)}};
struct rt_mutex bus_mutex = {{{"bus", 3}, {WAIT_NODE(off), WAIT_NODE(off)}}, 0, 0, 1, &tx_tcb};

STACK(main, 0);
STACK(tx, CONTEXT(tx_task));
STACK(nap, CONTEXT(nap_task));
STACK(rx, FP_CONTEXT(rx_task));
STACK(off, CONTEXT(off_task));
STACK(tidle0, CONTEXT(tidle0_task));

struct { int type; rt_list_t object_list; uint32_t object_size; } _object_container[1] = {
	{1, {NODE(main), NODE(tidle0)}, sizeof(struct rt_thread)}};
#define HEAD &_object_container[0].object_list
#define THREAD(me, previous, next_, sp_, state, prio, init, on, before) \
	struct rt_thread me##_tcb = {OBJECT.name = #me, OBJECT.type = 0x81, OBJECT.list = {next_, previous}, TLIST = {on, before}, \
		.sp = sp_, .stack_addr = me##_stack, .stack_size = 512, STAT = state, PRIO = prio, INIT_PRIO = init}
THREAD(main, HEAD, NODE(tx), main_stack + 64, 3, 3, 3, WAIT_NODE(main), WAIT_NODE(main));
THREAD(tx, NODE(main), NODE(nap), SP(tx, CONTEXT(tx_task)), READY, 2, 4, WAIT_NODE(tx), WAIT_NODE(tx));
THREAD(nap, NODE(tx), NODE(rx), SP(nap, CONTEXT(nap_task)), SUSPENDED, 5, 5, WAIT_NODE(nap), WAIT_NODE(nap));
THREAD(rx, NODE(nap), NODE(off), SP(rx, FP_CONTEXT(rx_task)), SUSPENDED, 6, 6, &rx_queue.suspend_thread, &rx_queue.suspend_thread);
THREAD(off, NODE(rx), NODE(tidle0), SP(off, CONTEXT(off_task)), SUSPENDED, 2, 2, &bus_mutex.parent.suspend_thread,
	&bus_mutex.parent.suspend_thread);
THREAD(tidle0, NODE(off), HEAD, SP(tidle0, CONTEXT(tidle0_task)), READY, 31, 31, WAIT_NODE(tidle0), WAIT_NODE(tidle0));
struct rt_thread *rt_current_thread = &main_tcb;
void *rt_interrupt_from_thread = &tx_tcb.sp, *rt_interrupt_to_thread = &main_tcb.sp;
uint32_t rt_thread_switch_interrupt_flag = 0;

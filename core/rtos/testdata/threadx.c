/* The threads of a stopped ThreadX as initialised data: structures with the
 * names and the layout of the kernel (tx_api.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready and inherited a priority, nap sleeps, rx waits for the
 * queue rx, which is full; off waits for a mutex that tx has; done is completed. */
#define FILL 0xefefefef
#include "context.h"

void off_task(void) {}

#if defined(A_PROFILE)
#define CONTEXT(pc) 0, 0x1f, R4_R11, (uintptr_t)(pc)
#define FP_CONTEXT(pc) 1, 0x1f, S0_S15, S16_S31, D16_D31, 0x03000000, R0_R3, R4_R11, 0xa0c, 0xa0e, (uintptr_t)(pc)
#define D16_D31 S0_S15, S16_S31
#elif defined(BASELINE)
#define CONTEXT(pc) RETURN, R8_R11, R4_R7, FRAME(pc)
#define FP_CONTEXT CONTEXT
#elif defined(OLD)
#define CONTEXT(pc) R4_R11, FRAME(pc)
#define FP_CONTEXT CONTEXT
#else
#define CONTEXT(pc) RETURN, R4_R11, FRAME(pc)
#define FP_CONTEXT(pc) FP_RETURN, S16_S31, R4_R11, FP_FRAME(pc)
#endif

typedef struct TX_THREAD_STRUCT TX_THREAD;
struct TX_TIMER_INTERNAL_STRUCT { uint32_t words[7]; };
struct TX_THREAD_STRUCT {
	uint32_t tx_thread_id, tx_thread_run_count;
	void *tx_thread_stack_ptr, *tx_thread_stack_start, *tx_thread_stack_end;
	uint32_t tx_thread_stack_size, tx_thread_time_slice, tx_thread_new_time_slice;
	TX_THREAD *tx_thread_ready_next, *tx_thread_ready_previous;
	char *tx_thread_name;
	unsigned tx_thread_priority, tx_thread_state, tx_thread_delayed_suspend, tx_thread_suspending, tx_thread_preempt_threshold;
	void (*tx_thread_schedule_hook)(TX_THREAD *, uint32_t), (*tx_thread_entry)(uint32_t);
	uint32_t tx_thread_entry_parameter;
	struct TX_TIMER_INTERNAL_STRUCT tx_thread_timer;
	void (*tx_thread_suspend_cleanup)(TX_THREAD *, uint32_t), *tx_thread_suspend_control_block;
	TX_THREAD *tx_thread_suspended_next, *tx_thread_suspended_previous;
	uint32_t tx_thread_suspend_info;
	void *tx_thread_additional_suspend_info;
	unsigned tx_thread_suspend_option, tx_thread_suspend_status;
#ifdef EXTENSION
	uint32_t tx_thread_extension[3];
#endif
	TX_THREAD *tx_thread_created_next, *tx_thread_created_previous;
#ifdef A_PROFILE
	uint32_t tx_thread_vfp_enable;
#endif
	unsigned tx_thread_user_priority;
};

struct { uint32_t id; char *name; uint32_t size, capacity, enqueued, available; } rx_queue = {0x51554555, "rx", 4, 1, 1, 0};
extern TX_THREAD tx_tcb;
struct { uint32_t id; char *name; uint32_t count; TX_THREAD *owner; } bus_mutex = {0x4d555445, "bus", 1, &tx_tcb};

STACK(main, 0);
STACK(tx, CONTEXT(tx_task));
STACK(nap, CONTEXT(nap_task));
STACK(rx, FP_CONTEXT(rx_task));
STACK(off, CONTEXT(off_task));
STACK(done, CONTEXT(off_task));

#ifdef A_PROFILE
#define VFP(on) .tx_thread_vfp_enable = on,
#else
#define VFP(on)
#endif
#define THREAD(me, previous, next, sp, priority, base, state, object, vfp) \
	TX_THREAD me##_tcb = {0x54485244, 7, sp, me##_stack, (char *)me##_stack + 511, 512, 0, 0, 0, 0, #me, priority, state, \
		.tx_thread_suspend_control_block = object, .tx_thread_created_next = &next##_tcb, \
		.tx_thread_created_previous = &previous##_tcb, VFP(vfp) .tx_thread_user_priority = base}
extern TX_THREAD main_tcb, nap_tcb, rx_tcb, off_tcb, done_tcb;
THREAD(main, done, tx, main_stack, 3, 3, 0, 0, 0);
THREAD(tx, main, nap, SP(tx, CONTEXT(tx_task)), 2, 4, 0, 0, 0);
THREAD(nap, tx, rx, SP(nap, CONTEXT(nap_task)), 5, 5, 4, 0, 0);
THREAD(rx, nap, off, SP(rx, FP_CONTEXT(rx_task)), 6, 6, 5, &rx_queue, 1);
THREAD(off, rx, done, SP(off, CONTEXT(off_task)), 2, 2, 13, &bus_mutex, 0);
THREAD(done, off, main, SP(done, CONTEXT(off_task)), 9, 9, 1, 0, 0);

TX_THREAD *_tx_thread_current_ptr = &main_tcb, *_tx_thread_created_ptr = &main_tcb;
uint32_t _tx_thread_created_count = 6;
volatile uint32_t _tx_thread_system_state = 0;

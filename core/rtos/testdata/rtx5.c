/* The threads of a stopped RTX5 as initialised data: structures with the names
 * and the layout of the kernel (rtx_os.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready, nap waits for 25 ticks, rx for the queue rx, off for a
 * mutex that tx has; idle has no name. */
#define FILL 0xcccccccc
#include "context.h"

void off_task(void) {}
void idle_task(void) {}
#define CONTEXT(pc) R4_R11, FRAME(pc)
#ifdef BASELINE
#define FP_CONTEXT CONTEXT
#define FP_BYTE 0xfd
#else
#define FP_CONTEXT(pc) S16_S31, R4_R11, FP_FRAME(pc)
#define FP_BYTE 0xed
#endif

typedef struct osRtxThread_s {
	uint8_t id, state, flags, attr;
	const char *name;
	struct osRtxThread_s *thread_next, *thread_prev, *delay_next, *delay_prev, *thread_join;
	uint32_t delay;
	int8_t priority, priority_base;
	uint8_t stack_frame, flags_options;
	uint32_t wait_flags, thread_flags;
	void *mutex_list, *stack_mem;
	uint32_t stack_size;
	void *sp, *thread_addr;
	uint32_t tz_memory;
} osRtxThread_t;
typedef struct { uint8_t id, state, flags, attr; const char *name; osRtxThread_t *thread_list; } osRtxObject_t;
typedef struct {
	const char *os_id;
	uint32_t version;
	struct { uint8_t state; volatile uint8_t blocked; uint8_t pendSV, protect; uint32_t tick; } kernel;
	int32_t tick_irqn;
	struct {
		struct { osRtxThread_t *curr, *next; } run;
		osRtxObject_t ready;
		osRtxThread_t *idle, *delay_list, *wait_list, *terminate_list, *wdog_list;
		struct { osRtxThread_t *thread; uint32_t timeout; } robin;
	} thread;
	struct { void *list; osRtxThread_t *thread; void *mq; void (*tick)(void); } timer;
} osRtxInfo_t;

extern osRtxThread_t tx_tcb, nap_tcb, rx_tcb, off_tcb, idle_tcb;
osRtxObject_t rx_queue = {0xfa, 0, 0, 0, "rx", &rx_tcb};
struct { osRtxObject_t head; osRtxThread_t *owner_thread; } bus_mutex = {{0xf5, 0, 0, 0, "bus", &off_tcb}, &tx_tcb};

STACK(main, 0);
STACK(tx, CONTEXT(tx_task));
STACK(nap, CONTEXT(nap_task));
STACK(rx, FP_CONTEXT(rx_task));
STACK(off, CONTEXT(off_task));
STACK(idle, CONTEXT(idle_task));

#define THREAD(me, title, sp_, state_, priority_, base, ...) \
	osRtxThread_t me##_tcb = {.id = 0xf1, .state = state_, .name = title, .priority = priority_, .priority_base = base, \
		.stack_frame = 0xfd, .stack_mem = me##_stack, .stack_size = 512, .sp = sp_, .thread_addr = me##_task, __VA_ARGS__}
THREAD(main, "main", main_stack, 0x02, 24, 24);
THREAD(tx, "tx", SP(tx, CONTEXT(tx_task)), 0x01, 32, 16, .thread_next = &idle_tcb);
THREAD(idle, 0, SP(idle, CONTEXT(idle_task)), 0x01, 1, 1);
THREAD(nap, "nap", SP(nap, CONTEXT(nap_task)), 0x13, 24, 24, .delay = 25);
THREAD(rx, "rx", SP(rx, FP_CONTEXT(rx_task)), 0x83, 40, 40, .stack_frame = FP_BYTE, .thread_prev = (void *)&rx_queue,
	.delay = -1, .delay_next = &off_tcb);
THREAD(off, "off", SP(off, CONTEXT(off_task)), 0x53, 32, 32, .thread_prev = (void *)&bus_mutex, .delay = -1);

osRtxInfo_t osRtxInfo = {"RTX V5.9.1", 50090001, {2}, 0,
	{{&main_tcb, &main_tcb}, {0, 0, 0, 0, 0, &tx_tcb}, &idle_tcb, &nap_tcb, &rx_tcb}};

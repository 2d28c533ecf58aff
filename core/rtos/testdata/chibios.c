/* The threads of a stopped ChibiOS/RT as initialised data: structures with the
 * names and the layout of the kernel (chobjects.h, chregistry.h), written for
 * the tests from the description of these. Nothing here runs.
 *
 * main runs, tx is ready and inherited a priority, nap sleeps, rx waits for the
 * semaphore rx_sem, off for the mutex bus that tx has. */
#define FILL 0x55555555
#include "context.h"

void off_task(void) {}
#ifdef LIMIT
#define STACK_LIMIT 0x20000000,
#else
#define STACK_LIMIT
#endif
#if defined(ALT)
#define CONTEXT(pc) FRAME(pc)
#elif defined(BASELINE)
#define CONTEXT(pc) R8_R11, R4_R7, (uintptr_t)(pc)
#elif defined(FPU)
#define CONTEXT(pc) STACK_LIMIT S16_S31, R4_R11, (uintptr_t)(pc)
#else
#define CONTEXT(pc) STACK_LIMIT R4_R11, (uintptr_t)(pc)
#endif

struct port_intctx {
#ifdef ALT
	uint32_t basepri, r4, r5, r6, r7, r8, r9, r10, r11, lr_exc;
#else
	uint32_t words[WORDS(CONTEXT(0)) - 1], lr;
#endif
};
struct port_context {
	struct port_intctx *sp;
#ifdef ALT
	struct port_intctx regs;
#endif
};
#ifdef ALT
#define REGS .regs = {0, R4_R11, RETURN}
#else
#define REGS
#endif
typedef struct ch_queue { struct ch_queue *next, *prev; } ch_queue_t;
typedef struct ch_thread thread_t;
#ifdef V6
struct ch_thread {
	ch_queue_t queue;
	uint32_t prio;
	struct port_context ctx;
	thread_t *newer, *older;
	const char *name;
	void *wabase;
	uint8_t state, flags;
	union { void *wtobjp; } u;
	uint32_t realprio;
};
struct { ch_queue_t r_queue; uint32_t r_prio; struct port_context r_ctx; thread_t *r_newer, *r_older, *r_current; } ch;
#define PRIO .prio
#define NEWER .newer
#define OLDER .older
#define LINK(me) &me##_stack.tcb
#define HEAD (thread_t *)&ch
#else
struct ch_thread {
	union { ch_queue_t queue; struct { ch_queue_t queue; uint32_t prio; } pqueue; } hdr;
	struct port_context ctx;
	void *owner, *wabase, *waend;
	uint8_t state, flags, refs;
	const char *name;
	ch_queue_t rqueue;
	union { void *wtobjp; } u;
	uint32_t realprio;
};
typedef struct { struct { ch_queue_t queue; uint32_t prio; thread_t *current; } rlist; uint32_t vtlist[4]; ch_queue_t reglist; uint8_t core_id; } os_instance_t;
extern os_instance_t ch0;
typedef struct ch_system { uint8_t state; os_instance_t *instances[1]; } ch_system_t;
ch_system_t ch_system = {2, {&ch0}};
#define PRIO .hdr.pqueue.prio
#define NEWER .rqueue.next
#define OLDER .rqueue.prev
#define LINK(me) &me##_stack.tcb.rqueue
#define HEAD &ch0.reglist
#endif

/* The control block is at the high end of the working area. */
struct area { uint32_t words[STACK_WORDS]; thread_t tcb; };
extern struct area main_stack, tx_stack, nap_stack, rx_stack, off_stack;
uint32_t rx_sem[3];
struct { ch_queue_t queue; thread_t *owner; } bus = {{0}, &tx_stack.tcb};
#define THREAD(me, older_, newer_, state_, prio, real, object, ...) \
	struct area me##_stack = {{[0 ... STACK_WORDS - WORDS(__VA_ARGS__) - 1] = FILL, __VA_ARGS__}, \
		{PRIO = prio, .ctx = {.sp = (void *)&me##_stack.words[STACK_WORDS - WORDS(__VA_ARGS__)], REGS}, NEWER = newer_, OLDER = older_, \
			.name = #me, .wabase = &me##_stack, .state = state_, .u.wtobjp = object, .realprio = real}}
THREAD(main, HEAD, LINK(tx), 1, 128, 128, 0, 0);
THREAD(tx, LINK(main), LINK(nap), 0, 140, 120, 0, CONTEXT(tx_task));
THREAD(nap, LINK(tx), LINK(rx), 8, 130, 130, 0, CONTEXT(nap_task));
THREAD(rx, LINK(nap), LINK(off), 5, 131, 131, rx_sem, CONTEXT(rx_task));
THREAD(off, LINK(rx), HEAD, 6, 140, 140, &bus, CONTEXT(off_task));

#define OFF(member) offsetof(thread_t, member)
#ifdef NO_TABLE
#define ch_debug removed
#endif
const struct {
	char identifier[4];
	uint8_t zero, size;
	uint16_t version;
	uint8_t offsets[37];
} __attribute__((packed)) ch_debug = {
#ifdef V6
	{'m', 'a', 'i', 'n'}, 0, 22, 6 << 11,
	{4, 4, sizeof(thread_t), OFF(prio), OFF(ctx), OFF(newer), OFF(older), OFF(name), OFF(wabase), OFF(state), OFF(flags)}};
/* The registry begins with the list of ready threads. */
__typeof__(ch) ch = {.r_newer = LINK(main), .r_older = LINK(off), .r_current = LINK(main)};
#else
	{'m', 'a', 'i', 'n'}, 0, 43, 21 << 11 | 11 << 6,
	{4, 4, sizeof(thread_t), OFF(hdr.pqueue.prio), OFF(ctx), OFF(rqueue.next), OFF(rqueue.prev), OFF(name), OFF(wabase), OFF(state),
		OFF(flags), [18] = sizeof(struct port_intctx), 4, 1, 0, offsetof(struct ch_system, instances),
		[29] = offsetof(os_instance_t, rlist.current), 0, 0, offsetof(os_instance_t, reglist)}};
os_instance_t ch0 = {.rlist.current = &main_stack.tcb, .reglist = {LINK(main), LINK(off)}};
#endif

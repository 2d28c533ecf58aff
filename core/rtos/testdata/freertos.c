/* The tasks of a stopped FreeRTOS as initialised data: structures with the names
 * and the layout of the kernel (V8 to V11, by macros), written for the tests from
 * the description of these versions. Nothing here runs.
 *
 * main runs. tx is ready with a priority that it inherited. rx waits for a queue
 * without a limit, lock for a mutex that tx holds, nap sleeps, off is suspended,
 * fp waits for an event group and uses floating point where the port saves it. */
#include <stddef.h>
#include <stdint.h>

#ifdef INTEGRITY
#define CHECK1 uint32_t check1;
#define CHECK2 uint32_t check2;
#define C1 0x5a5a5a5a,
#define C2 0x5a5a5a5a,
#else
#define CHECK1
#define CHECK2
#define C1
#define C2
#endif
#ifdef V8
#define xStateListItem xGenericListItem
#define pxContainer pvContainer
#endif

typedef struct xLIST_ITEM {
	CHECK1
	uint32_t xItemValue;
	struct xLIST_ITEM *pxNext, *pxPrevious;
	void *pvOwner, *pxContainer;
	CHECK2
} ListItem_t;

#ifdef NOMINI
typedef ListItem_t MiniListItem_t;
#else
typedef struct xMINI_LIST_ITEM {
	CHECK1
	uint32_t xItemValue;
	struct xLIST_ITEM *pxNext, *pxPrevious;
} MiniListItem_t;
#endif

typedef struct xLIST {
	CHECK1
	uint32_t uxNumberOfItems;
	ListItem_t *pxIndex;
	MiniListItem_t xListEnd;
	CHECK2
} List_t;

typedef struct tskTaskControlBlock {
	volatile uintptr_t *pxTopOfStack;
#ifdef IN_TCB
	struct { uint32_t regions[9]; uintptr_t ulContext[72]; uint32_t ulTaskFlags; } xMPUSettings;
#endif
	ListItem_t xStateListItem, xEventListItem;
	uint32_t uxPriority;
	uintptr_t *pxStack;
#ifdef SMP
	int32_t xTaskRunState;
	uint32_t uxTaskAttributes;
#endif
	char pcTaskName[12];
	uintptr_t *pxEndOfStack;
	uint32_t uxBasePriority, uxMutexesHeld;
#ifdef V8
	uint32_t ulNotifiedValue;
	enum { eNotWaiting, eWaiting } eNotifyState;
#else
	uint32_t ulNotifiedValue[1];
	uint8_t ucNotifyState[1];
#endif
} TCB_t;

typedef struct QueueDefinition {
	int8_t *pcHead;
#ifdef V8
	int8_t *pcTail;
#endif
	int8_t *pcWriteTo;
#ifdef V8
	union { int8_t *pcReadFrom; uint32_t uxRecursiveCallCount; } u;
#else
	union {
		struct { int8_t *pcTail, *pcReadFrom; } xQueue;
		struct { TCB_t *xMutexHolder; uint32_t uxRecursiveCallCount; } xSemaphore;
	} u;
#endif
	List_t xTasksWaitingToSend, xTasksWaitingToReceive;
	uint32_t uxMessagesWaiting, uxLength, uxItemSize;
	int8_t cRxLock, cTxLock;
} Queue_t;

typedef struct { uint32_t uxEventBits; List_t xTasksWaitingForBits; } EventGroup_t;

#define END(l) ((ListItem_t *)&(l).xListEnd)
#define LIST(l, n, first, last) { C1 n, END(l), { C1 0xffffffff, first, last }, C2 }
#define EMPTY(l) LIST(l, 0, END(l), END(l))

void main_task(void), tx_task(void), rx_task(void), lock_task(void), nap_task(void), off_task(void), fp_task(void);

#include "freertos_context.h"

extern TCB_t main_tcb, tx_tcb, rx_tcb, lock_tcb, nap_tcb, off_tcb, fp_tcb;
extern List_t ready[6] __asm__("pxReadyTasksLists"), delayed1 __asm__("xDelayedTaskList1"), delayed2 __asm__("xDelayedTaskList2");
extern List_t suspended __asm__("xSuspendedTaskList"), pending __asm__("xPendingReadyList"), dead __asm__("xTasksWaitingTermination");
extern Queue_t *rx_queue;
/* A queue without a name of its own, as on a heap. */
static struct { uint32_t header[2]; Queue_t queue; } heap;
#define hidden_queue heap.queue
static Queue_t bus_lock;
static EventGroup_t events;

#define ITEM(value, next, prev, owner, list) { C1 value, next, prev, owner, list, C2 }
#define FREE(owner) ITEM(0, 0, 0, owner, 0)
#ifdef SMP /* xTaskRunState: the core that runs the task, -1 for none */
#define RUN(name) (&name##_tcb == &main_tcb ? 0 : &name##_tcb == &tx_tcb ? 1 : -1), 0,
#else
#define RUN(name)
#endif
#ifdef IN_TCB
#define SAVED(name) &name##_tcb.xMPUSettings.ulContext[CONTEXT_WORDS]
#define SETTINGS(name, fp) { { 0 }, { TCB_CONTEXT(name, fp) }, 1 },
#else
#define SAVED(name) &name##_stack[STACK_WORDS - CONTEXT_WORDS]
#define SETTINGS(name, fp)
#endif
#define TCB(name, fp, top, state, event, prio, base) TCB_t name##_tcb = { \
	top, SETTINGS(name, fp) state, event, prio, name##_stack, RUN(name) #name, \
	&name##_stack[STACK_WORDS - 2], base, 0, { 0 }, { 0 } }

STACK(main, 0); STACK(tx, 0); STACK(rx, 0); STACK(lock, 0); STACK(nap, 0); STACK(off, 0); STACK(fp, 1);

TCB(main, 0, main_stack, ITEM(0, END(ready[3]), END(ready[3]), &main_tcb, &ready[3]), FREE(&main_tcb), 3, 3);
TCB(tx, 0, SAVED(tx), ITEM(0, END(ready[2]), END(ready[2]), &tx_tcb, &ready[2]), FREE(&tx_tcb), 2, 1);
TCB(rx, 0, SAVED(rx), ITEM(0, &off_tcb.xStateListItem, END(suspended), &rx_tcb, &suspended),
	ITEM(4, END(hidden_queue.xTasksWaitingToReceive), END(hidden_queue.xTasksWaitingToReceive), &rx_tcb, &hidden_queue.xTasksWaitingToReceive), 2, 2);
TCB(lock, 0, SAVED(lock), ITEM(1100, END(delayed1), &nap_tcb.xStateListItem, &lock_tcb, &delayed1),
	ITEM(4, END(bus_lock.xTasksWaitingToReceive), END(bus_lock.xTasksWaitingToReceive), &lock_tcb, &bus_lock.xTasksWaitingToReceive), 2, 2);
TCB(nap, 0, SAVED(nap), ITEM(1050, &lock_tcb.xStateListItem, END(delayed1), &nap_tcb, &delayed1), FREE(&nap_tcb), 1, 1);
TCB(off, 0, SAVED(off), ITEM(0, &fp_tcb.xStateListItem, &rx_tcb.xStateListItem, &off_tcb, &suspended), FREE(&off_tcb), 0, 0);
#undef CONTEXT_WORDS
#define CONTEXT_WORDS FP_CONTEXT_WORDS
TCB(fp, 1, SAVED(fp), ITEM(0, END(suspended), &off_tcb.xStateListItem, &fp_tcb, &suspended),
	ITEM(0x80000001, END(events.xTasksWaitingForBits), END(events.xTasksWaitingForBits), &fp_tcb, &events.xTasksWaitingForBits), 4, 4);

List_t ready[6] = { EMPTY(ready[0]), EMPTY(ready[1]), LIST(ready[2], 1, &tx_tcb.xStateListItem, &tx_tcb.xStateListItem),
	LIST(ready[3], 1, &main_tcb.xStateListItem, &main_tcb.xStateListItem), EMPTY(ready[4]), EMPTY(ready[5]) };
List_t delayed1 = LIST(delayed1, 2, &nap_tcb.xStateListItem, &lock_tcb.xStateListItem);
List_t delayed2 = EMPTY(delayed2);
List_t suspended = LIST(suspended, 3, &rx_tcb.xStateListItem, &fp_tcb.xStateListItem);
List_t pending = EMPTY(pending);
List_t dead = EMPTY(dead);

static int8_t storage[16];
#ifdef V8
#define QUEUE_HEAD storage, storage + 16, storage, { storage }
#define MUTEX_HEAD 0, (int8_t *)&tx_tcb, 0, { 0 }
#else
#define QUEUE_HEAD storage, storage, { { storage + 16, storage } }
#define MUTEX_HEAD 0, 0, { .xSemaphore = { &tx_tcb, 0 } }
#endif
static __typeof__(heap) heap = { { 0 }, { QUEUE_HEAD, EMPTY(hidden_queue.xTasksWaitingToSend),
	LIST(hidden_queue.xTasksWaitingToReceive, 1, &rx_tcb.xEventListItem, &rx_tcb.xEventListItem), 0, 4, 4, -1, -1 } };
static Queue_t bus_lock = { MUTEX_HEAD, EMPTY(bus_lock.xTasksWaitingToSend),
	LIST(bus_lock.xTasksWaitingToReceive, 1, &lock_tcb.xEventListItem, &lock_tcb.xEventListItem), 0, 1, 0, -1, -1 };
static EventGroup_t events = { 0, LIST(events.xTasksWaitingForBits, 1, &fp_tcb.xEventListItem, &fp_tcb.xEventListItem) };
Queue_t *rx_queue = &hidden_queue;

#ifdef SMP
TCB_t *volatile pxCurrentTCBs[2] = { &main_tcb, &tx_tcb };
#else
TCB_t *volatile pxCurrentTCB = &main_tcb;
#endif
static volatile uint32_t uxCurrentNumberOfTasks = 7, xTickCount = 1000;
static volatile int32_t xSchedulerRunning = 1;

#define TASK(name) void name##_task(void) { for (;;) __asm__ volatile(""); }
TASK(main) TASK(tx) TASK(rx) TASK(lock) TASK(nap) TASK(off) TASK(fp)
const void *volatile keep[] = { &rx_queue, &xSchedulerRunning, &uxCurrentNumberOfTasks, &xTickCount, &hidden_queue, &bus_lock, &events };
void _start(void) {}

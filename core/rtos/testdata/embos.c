/* The tasks of a stopped embOS as initialised data: structures with the names
 * and the layout of its header (RTOS.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready, nap waits for a time, rx for the mailbox rx_mailbox. */
#define FILL 0xcdcdcdcd
#include "context.h"

typedef struct OS_TASK_STRUCT OS_TASK;
typedef struct OS_WAIT_LIST_STRUCT { struct OS_WAIT_LIST_STRUCT *pNext, *pPrev; void *pWaitObj; OS_TASK *pTask; } OS_WAIT_LIST;
struct OS_TASK_STRUCT {
	OS_TASK *pNext;
	void *pStack;
	OS_WAIT_LIST *pWaitList;
	int Timeout;
	uint8_t Stat;
	uint32_t Priority;
	uint8_t Events, EventMask;
	const char *Name;
	unsigned StackSize;
	uint8_t *pStackBot;
};
struct OS_GLOBAL_STRUCT { uint32_t Counters, Pending; OS_TASK *pCurrentTask, *pTask, *pActiveTask; };

uint32_t rx_mailbox[4];
extern OS_TASK tx_tcb, nap_tcb, rx_tcb;
OS_WAIT_LIST rx_wait = {0, 0, rx_mailbox, &rx_tcb};
STACK(main, 0);
STACK(tx, R4_R11);
STACK(nap, R4_R11);
STACK(rx, R4_R11);
#define TASK(me, next, wait, stat, prio) \
	OS_TASK me##_tcb = {next, me##_stack + STACK_WORDS - 8, wait, 0, stat, prio, .Name = #me, .StackSize = 512, .pStackBot = (uint8_t *)me##_stack}
TASK(main, &tx_tcb, 0, 0, 100);
TASK(tx, &nap_tcb, 0, 0, 90);
TASK(nap, &rx_tcb, 0, 4, 80);
TASK(rx, 0, &rx_wait, 0x28, 70);
struct OS_GLOBAL_STRUCT OS_Global = {0, 0, &main_tcb, &main_tcb, &main_tcb};
uint8_t OS_Running = 1;

/* The tasks of a stopped uC/OS-III as initialised data: structures with the
 * names and the layout of the kernel (os.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready and inherited a priority, nap is delayed, rx waits for
 * the queue rx for a time, off for a mutex that tx has. */
#define FILL 0
#include "context.h"

void off_task(void) {}
#ifdef PLAIN
#define CONTEXT(pc) R4_R11, FRAME(pc)
#define FP_CONTEXT CONTEXT
#elif defined(NO_FPU)
#define CONTEXT(pc) R4_R11, RETURN, FRAME(pc)
#define FP_CONTEXT CONTEXT
#else
#define CONTEXT(pc) R4_R11, RETURN, FRAME(pc)
#define FP_CONTEXT(pc) R4_R11, FP_RETURN, S16_S31, FP_FRAME(pc)
#endif

typedef struct os_tcb OS_TCB;
typedef struct os_pend_obj { uint32_t Type; const char *NamePtr; OS_TCB *PendList[2], *Dbg[2]; const char *DbgNamePtr; } OS_PEND_OBJ;
typedef struct os_mutex { OS_PEND_OBJ head; void *MutexGrpNextPtr; OS_TCB *OwnerTCBPtr; uint8_t OwnerNestingCtr; } OS_MUTEX;
struct os_tcb {
	void *StkPtr, *ExtPtr, *StkLimitPtr;
#ifdef V304
	OS_TCB *NextPtr, *PrevPtr, *TickNextPtr, *TickPrevPtr;
	void *TickSpokePtr;
	const char *NamePtr;
	void *StkBasePtr, *TaskEntryAddr, *TaskEntryArg, *PendDataTblPtr;
	uint8_t PendOn, PendStatus, TaskState, Prio;
#else
	const char *NamePtr;
	OS_TCB *NextPtr, *PrevPtr, *TickNextPtr, *TickPrevPtr;
	void *StkBasePtr, *TaskEntryAddr, *TaskEntryArg;
	OS_TCB *PendNextPtr, *PendPrevPtr;
	void *PendObjPtr;
	uint8_t PendOn, PendStatus, TaskState, Prio, BasePrio;
	OS_MUTEX *MutexGrpHeadPtr;
#endif
	uint32_t StkSize;
	uint16_t Opt;
	uint32_t SemCtr, TickRemain, TickCtrPrev, more[6];
#ifndef NO_DBG
	OS_TCB *DbgPrevPtr, *DbgNextPtr;
	const char *DbgNamePtr;
#endif
};
typedef struct os_rdy_list { OS_TCB *HeadPtr, *TailPtr; } OS_RDY_LIST;

extern OS_TCB OSIdleTaskTCB, tx_tcb, nap_tcb, rx_tcb, off_tcb;
OS_PEND_OBJ rx_queue = {0, "rx"};
OS_MUTEX bus_mutex = {{0, "bus"}, 0, &tx_tcb, 1};

STACK(main, 0);
STACK(tx, CONTEXT(tx_task));
STACK(nap, CONTEXT(nap_task));
STACK(rx, FP_CONTEXT(rx_task));
STACK(off, CONTEXT(off_task));

#ifdef V304
#define PENDS(object)
#define BASE(base)
#else
#define PENDS(object) .PendObjPtr = object,
#define BASE(base) .BasePrio = base,
#endif
#ifdef NO_DBG
#define LINKS(previous, next)
#else
#define LINKS(previous, next) .DbgPrevPtr = previous, .DbgNextPtr = next, .DbgNamePtr = " "
#endif
/* The kernel's own idle task runs here under the name of main. */
#define TASK(variable, me, sp, state, prio, base, on, object, left, previous, next) \
	OS_TCB variable = {.StkPtr = sp, .StkLimitPtr = me##_stack + 12, .NamePtr = #me, .StkBasePtr = me##_stack, .StkSize = STACK_WORDS, \
		.TaskState = state, .Prio = prio, BASE(base) PENDS(object) .PendOn = on, .TickRemain = left, .Opt = 3, LINKS(previous, next)}
TASK(OSIdleTaskTCB, main, main_stack + 64, 0, 3, 3, 0, 0, 0, 0, &tx_tcb);
TASK(tx_tcb, tx, SP(tx, CONTEXT(tx_task)), 0, 2, 4, 0, 0, 0, &OSIdleTaskTCB, &nap_tcb);
TASK(nap_tcb, nap, SP(nap, CONTEXT(nap_task)), 1, 5, 5, 0, 0, 25, &tx_tcb, &rx_tcb);
TASK(rx_tcb, rx, SP(rx, FP_CONTEXT(rx_task)), 3, 6, 6, 5, &rx_queue, 40, &nap_tcb, &off_tcb);
TASK(off_tcb, off, SP(off, CONTEXT(off_task)), 2, 2, 2, 4, &bus_mutex, 0, &rx_tcb, 0);

OS_TCB *OSTCBCurPtr = &OSIdleTaskTCB, *OSTCBHighRdyPtr = &OSIdleTaskTCB;
OS_RDY_LIST OSRdyList[8] = {[2] = {&tx_tcb, &tx_tcb}, [3] = {&OSIdleTaskTCB, &OSIdleTaskTCB}};
#ifndef NO_DBG
OS_TCB *OSTaskDbgListPtr = &OSIdleTaskTCB;
#endif
uint8_t OSRunning = 1;
uint16_t OSTaskQty = 5;

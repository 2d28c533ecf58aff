/* The tasks of a stopped uC/OS-II as initialised data: structures with the names
 * and the layout of the kernel (ucos_ii.h), written for the tests from the
 * description of these. Nothing here runs.
 *
 * main runs, tx is ready, nap is delayed, rx waits for the queue rx for a time,
 * off is suspended. */
#define FILL 0
#include "context.h"

void off_task(void) {}
#if defined(PLAIN)
#define CONTEXT(pc) R4_R11, FRAME(pc)
#elif defined(HOOK)
#define CONTEXT(pc) S16_S31, R4_R11, FP_RETURN, FP_FRAME(pc)
#else
#define CONTEXT(pc) R4_R11, RETURN, FRAME(pc)
#endif

typedef struct os_event { uint8_t OSEventType; void *OSEventPtr; uint16_t OSEventCnt; uint8_t OSEventGrp, OSEventTbl[8]; const char *OSEventName; } OS_EVENT;
typedef struct os_tcb {
	void *OSTCBStkPtr;
#ifdef EXT
	void *OSTCBExtPtr, *OSTCBStkBottom;
	uint32_t OSTCBStkSize;
	uint16_t OSTCBOpt, OSTCBId;
#endif
	struct os_tcb *OSTCBNext, *OSTCBPrev;
	OS_EVENT *OSTCBEventPtr;
	void *OSTCBMsg;
	uint32_t OSTCBDly;
	uint8_t OSTCBStat, OSTCBStatPend, OSTCBPrio, OSTCBX, OSTCBY, OSTCBBitX, OSTCBBitY;
	const char *OSTCBTaskName;
} OS_TCB;

OS_EVENT rx_queue = {2, .OSEventName = "rx"};
STACK(main, 0);
STACK(tx, CONTEXT(tx_task));
STACK(nap, CONTEXT(nap_task));
STACK(rx, CONTEXT(rx_task));
STACK(off, CONTEXT(off_task));

#ifdef EXT
#define BOUNDS(me) .OSTCBStkBottom = me##_stack, .OSTCBStkSize = STACK_WORDS, .OSTCBOpt = 3,
#else
#define BOUNDS(me)
#endif
extern OS_TCB OSTCBTbl[5];
#define TASK(me, i, sp, stat, prio, event, left) \
	[i] = {.OSTCBStkPtr = sp, BOUNDS(me) .OSTCBNext = i < 4 ? &OSTCBTbl[i + 1] : 0, .OSTCBPrev = i > 0 ? &OSTCBTbl[i - 1] : 0, \
		.OSTCBEventPtr = event, .OSTCBDly = left, .OSTCBStat = stat, .OSTCBPrio = prio, .OSTCBTaskName = #me}
OS_TCB OSTCBTbl[5] = {
	TASK(main, 0, main_stack, 0, 3, 0, 0),
	TASK(tx, 1, SP(tx, CONTEXT(tx_task)), 0, 4, 0, 0),
	TASK(nap, 2, SP(nap, CONTEXT(nap_task)), 0, 5, 0, 25),
	TASK(rx, 3, SP(rx, CONTEXT(rx_task)), 4, 6, &rx_queue, 40),
	TASK(off, 4, SP(off, CONTEXT(off_task)), 8, 9, 0, 0),
};
OS_TCB *OSTCBCur = OSTCBTbl, *OSTCBList = OSTCBTbl;
/* Priority 1 is reserved by a mutex. */
OS_TCB *OSTCBPrioTbl[16] = {[1] = (void *)1, [3] = OSTCBTbl, OSTCBTbl + 1, OSTCBTbl + 2, OSTCBTbl + 3, [9] = OSTCBTbl + 4};
uint8_t OSRunning = 1;
#ifdef EXT
const uint16_t OSTCBSize = sizeof(OS_TCB);
#endif

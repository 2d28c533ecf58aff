/* A thread of its own for the application, on the process stack. */
#ifndef TASK_H
#define TASK_H

/* Runs entry on the process stack; never comes back. */
__attribute__((noreturn)) void task_start(void (*entry)(void));

#endif

#ifndef STEPS_H
#define STEPS_H

#include <stdint.h>

int tour(int n);
int count(int n);
int jump_back(int depth);
uint32_t read_word(uint32_t address);
void undefined(void);
void spin(void);
void wait(void);

int shapes(int n); /* C++ */

/* assembly, with source lines and without */
int select_sign(int n);
int call_by_pop(int n);
int no_lines(int n);
int no_lines_calls(int (*f)(int), int n);
int supervise(int n);
int save_context(uint32_t context[10]);
__attribute__((noreturn)) void restore_context(uint32_t context[10], int value);

#endif

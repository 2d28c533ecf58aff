/* Run-time checks that stop the station. */
#ifndef CHECK_H
#define CHECK_H

#define check(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__))

__attribute__((noreturn)) void check_failed(const char *file, int line);

#endif

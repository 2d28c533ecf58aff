/* What shapes.c calls, and where the program starts. */
#include <stdarg.h>

int sink(int a, ...) { return a; }
int use(void *p) { return p != 0; }
int eight(int a, int b, int c, int d, int e, int f, int g, int h) { return a + b + c + d + e + f + g + h; }
float fuse(float *p) { return p[0]; }
_Noreturn void stop(int a) { for (volatile int n = a;; n++) {} }
int (*volatile hook)(int);

typedef struct { int word[6]; } block;
block make(int a) { return (block){{a, a, a, a, a, a}}; }

void *memset(void *p, int c, unsigned n) { for (char *q = p; n--;) *q++ = c; return p; }
void *memcpy(void *p, const void *s, unsigned n) { char *q = p; const char *r = s; while (n--) *q++ = *r++; return p; }
void start(void) { stop(use(0)); }

/* A process of Linux whose second thread waits and whose first thread writes
 * through a null pointer below a function that the C library called. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int *nowhere;

static __attribute__((noinline)) int store(int depth, int v)
{
	nowhere[depth] = v;
	return v + 1;
}

static __attribute__((noinline)) int dig(int depth)
{
	return depth == 0 ? store(4, 42) + 1 : dig(depth - 1) + 1;
}

static int order(const void *a, const void *b)
{
	(void)b;
	return dig(*(const int *)a & 1) + 1;
}

static void *wait_forever(void *p)
{
	pause();
	return p;
}

int main(void)
{
	int v[] = {3, 5};
	pthread_t t;
	pthread_create(&t, NULL, wait_forever, NULL);
	usleep(50000);
	qsort(v, 2, sizeof *v, order);
	return v[0];
}

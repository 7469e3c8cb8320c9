/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * How many cycles a core gives a process in a second of its processor time, in GHz: by additions
 * that wait for each other, one a cycle. On a machine that others use, too, that is not what the
 * time stamp counter says.
 */

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define ADDITIONS 50000000u

static double
processor_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int
main(void)
{
	double begin = processor_ns();
	uint64_t sum = 1;

	for (uint32_t i = 0; i < ADDITIONS; i++) {
		sum++;
		__asm__ volatile("" : "+r"(sum)); /* none of them is left out or put together */
	}
	printf("%.3f\n", ADDITIONS / (processor_ns() - begin));
	return 0;
}

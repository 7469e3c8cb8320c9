/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <malloc.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>

#include "fcn_virtual_eal.h"

#define MMAP_BYTES (128 * 1024) /* what glibc begins with */

static int
first_cpu(const cpu_set_t *cpus)
{
	int cpu = 0;

	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, cpus))
		cpu++;
	return cpu;
}

int
fcn_virtual_eal_init(const char *program, unsigned int memory_mb)
{
	char lcore[32], memory[32], name[] = "fastcn";
	char *argv[] = {name, "--no-pci", "--no-huge", "--no-shconf", "--no-telemetry", "-m",
			memory, "--log-level=*:error", "--lcores", lcore, NULL};
	cpu_set_t cpus;
	bool known = sched_getaffinity(0, sizeof(cpus), &cpus) == 0;

	/* Much of what a switch has for its ports is never used. malloc is to take it from the
	 * kernel also after some was freed: pages that are not written take no memory then. */
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	snprintf(lcore, sizeof(lcore), "0@%d", known ? first_cpu(&cpus) : 0);
	snprintf(memory, sizeof(memory), "%u", memory_mb);
	if (rte_eal_init(RTE_DIM(argv) - 1, argv) < 0) {
		fprintf(stderr, "%s: DPDK: %s\n", program, rte_strerror(rte_errno));
		return -1;
	}
	/* The EAL has bound this thread to one CPU, the same in each of the programs that run. */
	if (known)
		sched_setaffinity(0, sizeof(cpus), &cpus);
	return 0;
}

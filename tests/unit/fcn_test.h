/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions that most unit tests share: an EAL without devices and
 * hugepages, reproducible random numbers, and how long to go on with them.
 */

#ifndef FCN_TEST_H
#define FCN_TEST_H

#include <sched.h>

#include <rte_common.h>
#include <rte_eal.h>

#include "test_case.h"

/**
 * Group setup: start the EAL without hugepages and devices.
 *
 * The EAL binds the thread that calls it to the CPU of its lcore. All tests would wait for one CPU
 * then, however many run side by side: the thread may use all CPUs that it might use before.
 *
 * @param lcores as for the option -l
 */
static inline int
fcn_test_eal(const char *lcores)
{
	char list[16];
	char *argv[] = {"test", "--no-pci", "--no-huge", "--no-shconf", "-m", "512",
			"--no-telemetry", "--log-level=error", "-l", list, NULL};
	cpu_set_t cpus;

	snprintf(list, sizeof(list), "%s", lcores);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0 ||
			rte_eal_init(RTE_DIM(argv) - 1, argv) < 0)
		return -1;
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

static inline int
fcn_test_eal_init(void **state)
{
	RTE_SET_USED(state);
	return fcn_test_eal("0");
}

static inline int
fcn_test_eal_cleanup(void **state)
{
	RTE_SET_USED(state);
	return rte_eal_cleanup();
}

/** For TEST_FIXTURE(): the tests of this file run on an EAL of one lcore. */
#define FCN_TEST_EAL .begin = fcn_test_eal_init, .end = fcn_test_eal_cleanup

/** Get the next of a sequence of reproducible random numbers (splitmix64). */
static inline uint64_t
fcn_test_random(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/** Get a random number from 0 to n - 1. */
static inline uint64_t
fcn_test_below(uint64_t *seed, uint64_t n)
{
	return fcn_test_random(seed) % n;
}

/**
 * Get how often a test does something with random input, n times or the share of that which the
 * variable FCN_TEST_EFFORT names, in percent. With sanitizers each time takes several times as
 * long.
 */
static inline unsigned int
fcn_test_effort(unsigned int n)
{
	const char *percent = getenv("FCN_TEST_EFFORT");

	return percent == NULL ? n : RTE_MAX(1u, n * (unsigned int)atoi(percent) / 100);
}

#endif /* FCN_TEST_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * How long traffic has been halted in total, for the watchdogs of halts by Adaptive Routing
 * Notifications. The time of successive halts is added up, so that nobody who ends halts and begins
 * them again escapes. Time without a halt is deducted: after a tenth of the time `restore` without
 * one nothing is left, whatever it was. So traffic that is halted again and again because it is
 * some times faster than its line goes on. Times are in nanoseconds.
 */

#ifndef HALT_TIME_H
#define HALT_TIME_H

#include <stdint.h>

/** Nanoseconds that one without a halt deducts, if `restore` is as long as `detect`. */
#define FCN_HALT_DEDUCTED 10

/** A product of two times. */
__extension__ typedef unsigned __int128 fcn_halt_product;

/**
 * Get since when traffic would have been halted without interruption, when a halt begins now.
 *
 * @param since      result for the halt before; 0 at the first one
 * @param until      time at which the halt before ended, not after `now`; 0 at the first one
 * @param detect_ns  time from which on the watchdog ends a halt; 0: there is none
 * @param restore_ns FCN_HALT_DEDUCTED times the time in which this is deducted
 */
static inline uint64_t
fcn_halt_since(uint64_t since, uint64_t until, uint64_t detect_ns, uint64_t restore_ns,
		uint64_t now)
{
	const uint64_t total = until - since, gap = now - until;
	uint64_t deducted;

	if (detect_ns == 0 || gap >= restore_ns)
		return now;
	deducted = (uint64_t)((fcn_halt_product)gap * FCN_HALT_DEDUCTED * detect_ns / restore_ns);
	return total > deducted ? now - (total - deducted) : now;
}

#endif /* HALT_TIME_H */

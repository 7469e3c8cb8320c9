/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Rates of ports and class queues: what a worker's counters grew by between
 * two looks at them. Who looks once a second has the rates of the last second.
 *
 * One thread owns the rates.
 */

#ifndef FCN_RATES_H
#define FCN_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_worker.h"

struct fcn_rates;

/** Of a port, by second. Bits of frames without FCS. */
struct fcn_port_rates {
	uint64_t rx_packets, rx_bits;
	uint64_t tx_packets, tx_bits;
	uint64_t drops;   /**< of packets that came in here */
	uint64_t notices; /**< made for congestion of this port */
};

/** Of a class queue, by second. */
struct fcn_queue_rates {
	uint64_t packets, bits; /**< that left */
	uint64_t drops;
	uint64_t marks;
	uint64_t notices;
};

/** @return NULL on lack of memory */
struct fcn_rates *fcn_rates_create(void);
void fcn_rates_free(struct fcn_rates *rates);

/**
 * Look at the counters of a switch's workers. From the control thread; they may run.
 *
 * Counters that went back (cleared, or of another port) have no rate until the next look.
 *
 * @param now nanoseconds of any clock that never goes back; a look at the same time as the last
 *            one is ignored
 */
void fcn_rates_look(struct fcn_rates *rates, struct fcn_worker *const *workers, unsigned int n,
		uint64_t now);

/** Time between the last two looks, nanoseconds; 0: there were none, so there are no rates. */
uint64_t fcn_rates_over(const struct fcn_rates *rates);

/**
 * Rates between the last two looks, rounded down.
 *
 * @param queue FCN_CLASSES of them
 * @return whether there are any
 */
bool fcn_rates_get(const struct fcn_rates *rates, unsigned int port, struct fcn_port_rates *out,
		struct fcn_queue_rates *queue);

#endif /* FCN_RATES_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Rates of ports and class queues are computed from two readings of the workers' counters. If these
 * are read once a second, the rates are those of the last second.
 *
 * One thread owns the rates and makes all calls.
 */

#ifndef FCN_RATES_H
#define FCN_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_worker.h"

struct fcn_rates;

/* In `show rates`: X(member, name in JSON, text). */
#define FCN_PORT_RATES(X)                                                                      \
	X(rx_packets, "rx_packets", "Packets received")                                        \
	X(rx_bits, "rx_bps", "Bits received, without FCS")                                     \
	X(tx_packets, "tx_packets", "Packets passed to the port's device for transmission")    \
	X(tx_bits, "tx_bps", "Bits passed to the port's device for transmission, without FCS") \
	X(drops, "drops", "Packets dropped that the port had received")                        \
	X(notices, "notices", "Notices generated for congestion of the port")

/* In `show rates`: X(member, name in JSON, text). */
#define FCN_QUEUE_RATES(X)                                                       \
	X(packets, "packets", "Packets that left the queue")                     \
	X(bits, "rate_bps", "Bits that left the queue, without FCS")             \
	X(drops, "drops", "Packets that the queue dropped, on arrival or later") \
	X(marks, "ce_marked", "Packets that this switch marked with CE")         \
	X(notices, "notices", "Notices generated for congestion of the queue")

/** Rates of a port, per second. Every member is a uint64_t. */
struct fcn_port_rates {
	FCN_PORT_RATES(FCN_COUNTER_MEMBER)
};

/** Rates of a class queue, per second. Every member is a uint64_t. */
struct fcn_queue_rates {
	FCN_QUEUE_RATES(FCN_COUNTER_MEMBER)
};

/** Create the state of rates, without any reading of counters. @return NULL on lack of memory */
struct fcn_rates *fcn_rates_create(void);

/** Free rates. NULL is allowed. */
void fcn_rates_free(struct fcn_rates *rates);

/**
 * Read the counters of all n workers of a switch. This is called by the control thread, also while
 * the workers run.
 *
 * If a counter is lower than at the previous reading, because it was cleared or the number belongs
 * to another port now, the port has no rates until the next reading.
 *
 * @param now nanoseconds of any clock that never goes back; a second call with the same time is
 *            ignored
 */
void fcn_rates_read(struct fcn_rates *rates, struct fcn_worker *const *workers, unsigned int n,
		uint64_t now);

/**
 * Get the time between the last two readings in nanoseconds; 0 if there were fewer than two
 * readings, and therefore no rates.
 */
uint64_t fcn_rates_over(const struct fcn_rates *rates);

/**
 * Get the rates of a port and of its class queues between the last two readings, rounded down.
 *
 * @param out   result
 * @param queue result, FCN_CLASSES elements
 * @return false if the port has no rates; out and queue are then not valid
 */
bool fcn_rates_get(const struct fcn_rates *rates, unsigned int port, struct fcn_port_rates *out,
		struct fcn_queue_rates *queue);

#endif /* FCN_RATES_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a worker knows about the messages of precise flow control that it received: their limits,
 * and counters by source. Only the worker writes it; others use fcn_worker_call(). Times are in
 * nanoseconds.
 */

#ifndef FCN_ARN_RECEIVED_H
#define FCN_ARN_RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn.h"
#include "fcn_counter.h"
#include "fcn_hash_key.h"
#include "fcn_port_limit.h"
#include "fcn_source_limit.h"

#define FCN_ARN_RECEIVED_SETS 16 /**< sets of sources with counters; a power of two */
#define FCN_ARN_RECEIVED_WAYS 8  /**< sources of a set */

/* In `show arn received`; the form of the list is described in fcn_counter.h. */
#define FCN_ARN_RECEIVED_COUNTERS(X)                                                            \
	X(halts, "halts", COUNTER, "arn_received_halts",                                        \
			"Messages of downstream switches that ask to halt traffic")             \
	X(resumes, "resumes", COUNTER, "arn_received_resumes",                                  \
			"Messages of downstream switches that let traffic resume")              \
	X(services, "services", COUNTER, "arn_received_services",                               \
			"Messages of both types about everything between the ends of a tunnel") \
	X(flows, "flows", COUNTER, "arn_received_flows", "Messages of both types about a flow") \
	X(priorities, "priorities", COUNTER, "arn_received_priorities",                         \
			"Messages of both types about the class of a port")                     \
	X(refused, "refused", COUNTER, "arn_received_refused",                                  \
			"Messages to the switch that were refused")

/* In `show arn received`, too. */
#define FCN_ARN_RECEIVED_FORGOTTEN(X)                                                \
	X(forgotten, "sources_forgotten", COUNTER, "arn_received_forgotten_sources", \
			"Sources whose counters made room for those of another source")

/** Counters of messages. */
struct fcn_arn_received_counters {
	FCN_ARN_RECEIVED_COUNTERS(FCN_COUNTER_MEMBER)
};

/** A source of messages. */
struct fcn_arn_received_source {
	uint8_t addr[16]; /**< network byte order */
	bool used;
	uint64_t last_ns; /**< time of its last message, refused or not */
	struct fcn_arn_received_counters counters;
};

/** Messages received. */
struct fcn_arn_received {
	struct fcn_arn_received_counters counters; /**< of all sources */
	FCN_ARN_RECEIVED_FORGOTTEN(FCN_COUNTER_MEMBER)
	struct fcn_arn_received_source source[FCN_ARN_RECEIVED_SETS][FCN_ARN_RECEIVED_WAYS];
	struct fcn_source_limit limit;
	/** Times of the last events about messages that halt and that resume, by port; 0: never. */
	uint64_t event_ns[2][FCN_MAX_PORTS];
};

/**
 * Initialise the state.
 *
 * @param socket NUMA node of the memory
 * @return 0 or -ENOMEM
 */
int fcn_arn_received_init(struct fcn_arn_received *r, int socket);

/** Free what the state has allocated; also after a failed init. */
void fcn_arn_received_fini(struct fcn_arn_received *r);

/** Set the counters to zero, and forget the sources. */
void fcn_arn_received_clear(struct fcn_arn_received *r);

/**
 * Find the counters of a source. If it has none, it gets some, perhaps those of the source whose
 * last message is longest ago.
 *
 * @param addr 16 bytes
 */
struct fcn_arn_received_counters *fcn_arn_received_source(struct fcn_arn_received *r,
		const struct fcn_hash_key *key, const uint8_t addr[16], uint64_t now);

/** Count a message that is obeyed. */
void fcn_arn_received_count(struct fcn_arn_received_counters *c, const struct fcn_arn *arn,
		enum fcn_arn_mode mode);

#endif /* FCN_ARN_RECEIVED_H */

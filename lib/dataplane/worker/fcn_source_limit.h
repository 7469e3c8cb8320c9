/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Limits of messages that other nodes send to the switch: a token bucket for each source address,
 * and one for all of them, for each port by which they arrive or for all ports together. The memory
 * does not depend on the number of sources: if there are more than the table holds, the one that is
 * closest to a full bucket is forgotten.
 *
 * One worker owns the state and makes all calls. Times are in nanoseconds.
 */

#ifndef FCN_SOURCE_LIMIT_H
#define FCN_SOURCE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fcn_hash_key.h"
#include "fcn_limit_cache.h"
#include "fcn_port_limit.h"

#define FCN_SOURCE_SETS 128 /**< sets of eight sources each */

/** A token bucket. cost_ns * (burst + 1) is below 2^31. */
struct fcn_source_bucket {
	uint32_t cost_ns; /**< nanoseconds for each token; 0: there is no limit */
	uint32_t burst;   /**< maximum number of tokens that it holds, at least 1 */
};

/** The buckets of one kind of message. */
struct fcn_source_buckets {
	bool by_port; /**< each port has its own bucket; otherwise the one of port 0 is for all */
	/** By port. An empty bucket of any port takes about as long to fill as that of another. */
	struct fcn_source_bucket port[FCN_MAX_PORTS];
};

/** Limits of one kind of message, of one worker. */
struct fcn_source_limits {
	struct fcn_source_buckets each; /**< of each source */
	struct fcn_source_buckets all;  /**< of all sources together */
};

/** The state of the buckets. */
struct fcn_source_limit {
	struct fcn_limit_cache sources; /**< bucket of each source */
	/** By port: time at which the bucket of all sources is full. */
	uint64_t total_tat[FCN_MAX_PORTS];
};

/** Whether there was a token for a message. */
enum fcn_source_verdict {
	FCN_SOURCE_TAKEN,      /**< There was, and it was taken. */
	FCN_SOURCE_OVER_RATE,  /**< The bucket of the source is empty. */
	FCN_SOURCE_OVER_TOTAL, /**< The bucket of all sources together is empty. */
};

/**
 * Create the state.
 *
 * @param socket NUMA node of the memory
 * @return 0 or -ENOMEM
 */
int fcn_source_limit_init(struct fcn_source_limit *limit, int socket);

/** Free the memory; also after a failed init. */
void fcn_source_limit_fini(struct fcn_source_limit *limit);

/**
 * Adapt the state to a new configuration. The time at which a bucket of all sources is full was
 * computed with the old rate; it is limited to the time that an empty bucket takes to fill at the
 * new rate, so that after a lower rate was in force messages are not refused for longer than that.
 */
void fcn_source_limit_reconfigure(
		struct fcn_source_limit *limit, const struct fcn_source_limits *conf, uint64_t now);

/**
 * Take a token for a message: first from the bucket of its source, then from the bucket of all
 * sources. A message that is refused by the second one has used up a token of the first.
 *
 * @param source 16 bytes
 * @param port   the port by which the message has arrived, below FCN_MAX_PORTS
 */
enum fcn_source_verdict fcn_source_limit_take(struct fcn_source_limit *limit,
		const struct fcn_hash_key *key, const uint8_t source[16],
		const struct fcn_source_limits *conf, uint16_t port, uint64_t now);

/** Compute the hash of a source address, 16 bytes, for the functions below. */
static inline uint64_t
fcn_source_limit_hash(const struct fcn_hash_key *key, const uint8_t source[16])
{
	uint64_t words[2];

	memcpy(words, source, sizeof(words));
	return fcn_hash_pair(key, words[0], words[1]);
}

/**
 * Check whether fcn_source_limit_take() would take a token for each of n messages of a source, at
 * this time.
 *
 * @param hash fcn_source_limit_hash() of the source
 * @param port as for fcn_source_limit_take()
 */
bool fcn_source_limit_has(struct fcn_source_limit *limit, uint64_t hash,
		const struct fcn_source_limits *conf, uint16_t port, uint64_t now, uint32_t n);

/**
 * Take tokens for n messages of a source, for which fcn_source_limit_has() has found them at this
 * time: as n calls of fcn_source_limit_take().
 *
 * @param n at least 1
 */
void fcn_source_limit_take_some(struct fcn_source_limit *limit, uint64_t hash,
		const struct fcn_source_limits *conf, uint16_t port, uint64_t now, uint32_t n);

#endif /* FCN_SOURCE_LIMIT_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Held flows: the upstream side of precise flow control (draft-hu-rtgwg-rocev2-fcn section 4.1). A
 * congested switch asks for a flow, or a service between the ends of a tunnel, to be halted for
 * some time. Its packets then wait in a FIFO of their own, in front of the class queues, so that no
 * other packet waits for them.
 *
 * A flow is held until a time, which the newest message sets, and its packets leave in order after
 * that: while some of them wait, packets that arrive are put behind them. No message holds a flow
 * for longer than a maximum. A watchdog protects against a storm of messages: after a flow has been
 * held for `detect_ns` in total (halt_time.h), messages about it are ignored until none has
 * arrived for `restore_ns`. For that the table remembers flows that are not held any more, as long
 * as it has room for them.
 *
 * The table knows packets by slots only: a slot is the index of an array of the caller, which holds
 * the packet. One worker owns the table and makes all calls. The memory is allocated when the table
 * is created. Times are in nanoseconds.
 */

#ifndef FCN_HELD_FLOWS_H
#define FCN_HELD_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn.h"
#include "fcn_hash_key.h"

#define FCN_HELD_FLOWS_NONE UINT32_MAX  /**< index of a flow or a slot: none */
#define FCN_HELD_FLOWS_NEVER UINT64_MAX /**< time: never */

/** Limits. They are part of the configuration, and workers only read them. */
struct fcn_held_flows_conf {
	uint32_t flows;        /**< flows held at once */
	uint32_t packets;      /**< packets that wait, of all flows */
	uint64_t bytes;        /**< bytes that wait, of all flows */
	uint32_t flow_packets; /**< packets of a flow that wait */
	uint64_t flow_bytes;   /**< bytes of a flow that wait */
	uint64_t max_ns;       /**< longest time for which one message holds a flow */
	uint64_t detect_ns;    /**< time held in total that is a storm; 0: no watchdog */
	uint64_t restore_ns;   /**< time without messages after which a storm ends */
};

/** What is held. The level in `flow` does not count. */
struct fcn_held_key {
	enum fcn_arn_mode mode; /**< by which header: SERVICE or FLOW, see fcn_arn_flow_of() */
	struct fcn_flow_descriptor flow;
};

/** What a message has caused. */
enum fcn_held_result {
	FCN_HELD_BEGAN,   /**< the flow is held from now on */
	FCN_HELD_RENEWED, /**< the flow was held, and the time at which that ends is another one */
	FCN_HELD_ENDED,   /**< the flow was held, and its packets leave from now on */
	FCN_HELD_NOT,     /**< the flow was to be released, and was not held */
	FCN_HELD_STORM,   /**< the message is ignored, because of the watchdog */
	FCN_HELD_FULL,    /**< the message is ignored: there are as many flows as permitted */
};

/** Whether a packet waits, and otherwise which limit does not permit it. */
enum fcn_held_verdict {
	FCN_HELD_WAITS,
	FCN_HELD_FLOW_LIMIT,  /**< limit of the flow, in bytes or packets */
	FCN_HELD_TOTAL_LIMIT, /**< limit of all flows, in bytes or packets */
};

/** A flow with a message that is still valid, with packets that wait, or in a storm. */
struct fcn_held_flow {
	struct fcn_held_key key;
	uint64_t until;     /**< time up to which it is held */
	uint64_t since;     /**< beginning of the hold, and before it of holds in total */
	uint64_t last_rx;   /**< time of the newest message that asks to hold it */
	uint64_t bytes;     /**< bytes that wait */
	uint64_t bytes_max; /**< highest value of `bytes` */
	uint32_t packets;   /**< packets that wait */
	uint32_t first;     /**< slot of the first packet that waits, or FCN_HELD_FLOWS_NONE */
	uint32_t last;      /**< slot of the last one */
	uint32_t chain;     /**< next flow of the bucket, or next free one */
	uint32_t bucket;
	/** Ring of the flows with packets that may leave. */
	uint32_t next_leaving, previous_leaving;
	bool used;  /**< it is one; otherwise it is only remembered, or the element is free */
	bool held;  /**< packets do not leave */
	bool storm; /**< messages are ignored */
};

/** A packet that waits. */
struct fcn_held_slot {
	uint32_t next; /**< slot of the packet behind it, or of the next free slot */
	uint32_t len;
};

/** The table. */
struct fcn_held_flows {
	struct fcn_hash_key hash;
	struct fcn_held_flow *flow;
	struct fcn_held_slot *slot;
	uint32_t *bucket;
	uint32_t mask;      /**< number of buckets, a power of two, minus 1 */
	uint32_t max_flows; /**< elements of `flow` */
	uint32_t n_flows;   /**< flows in use; with 0 no packet is affected */
	uint32_t free_flow; /**< first element of `flow` that never was used */
	uint32_t hand;      /**< where the next element is looked for that is not used any more */
	uint32_t free_slot;
	uint32_t packets;  /**< packets that wait */
	uint32_t leaving;  /**< flows that are not held and have packets, which may leave now */
	uint32_t turn;     /**< the one of these whose turn it is to let a packet leave */
	uint32_t skipped;  /**< number of those skipped since a packet has left */
	uint64_t bytes;    /**< bytes that wait */
	uint64_t check_at; /**< time at which a hold or a storm may end, or one may begin */
};

/**
 * Create a table.
 *
 * @param flows   flows that it can hold
 * @param packets slots
 * @param hash    key of the hash function
 * @param socket  NUMA node of the memory
 * @return 0 or -ENOMEM
 */
int fcn_held_flows_init(struct fcn_held_flows *h, uint32_t flows, uint32_t packets,
		const struct fcn_hash_key *hash, int socket);

/** Free the memory. The caller frees the packets before. */
void fcn_held_flows_fini(struct fcn_held_flows *h);

/**
 * Obey a message that asks to hold a flow.
 *
 * @param time_ns from now on; 0: release it; UINT64_MAX: until a message releases it. Not more than
 *                conf->max_ns is obeyed.
 */
enum fcn_held_result fcn_held_flows_message(struct fcn_held_flows *h,
		const struct fcn_held_flows_conf *conf, const struct fcn_held_key *key,
		uint64_t time_ns, uint64_t now);

/**
 * Find the flow behind which a packet has to wait: one that is held, or that has packets which
 * wait.
 *
 * @return index of the flow, or FCN_HELD_FLOWS_NONE: the packet does not wait
 */
uint32_t fcn_held_flows_find(const struct fcn_held_flows *h, const struct fcn_held_key *key);

/** Whether a flow is held now: its packets do not leave. */
bool fcn_held_flows_is_held(const struct fcn_held_flows *h, const struct fcn_held_key *key);

/**
 * Let a packet wait behind those of its flow.
 *
 * @param flow result of fcn_held_flows_find()
 * @param len  bytes of the packet
 * @param slot written when it waits: index of the caller's array for the packet
 */
enum fcn_held_verdict fcn_held_flows_push(struct fcn_held_flows *h,
		const struct fcn_held_flows_conf *conf, uint32_t flow, uint32_t len,
		uint32_t *slot);

/**
 * Update the table to the time `now`: holds end, storms begin and end. A table without flows has
 * nothing to update.
 */
void fcn_held_flows_update(
		struct fcn_held_flows *h, const struct fcn_held_flows_conf *conf, uint64_t now);

/**
 * Get the flow whose first packet leaves next: flows that are not held any more take turns, packet
 * by packet.
 *
 * @return index of the flow, or FCN_HELD_FLOWS_NONE: no packet may leave, or all such flows were
 *         skipped
 */
static inline uint32_t
fcn_held_flows_leaving(const struct fcn_held_flows *h)
{
	return h->skipped < h->leaving ? h->turn : FCN_HELD_FLOWS_NONE;
}

/**
 * Skip the flow of fcn_held_flows_leaving(), whose packets cannot leave now. When all have been
 * skipped, none is looked at again before a packet has left, a further flow may let packets leave,
 * or fcn_held_flows_retry() is called.
 */
void fcn_held_flows_skip(struct fcn_held_flows *h);

/** Look at the flows that were skipped again: what kept their packets may have changed. */
static inline void
fcn_held_flows_retry(struct fcn_held_flows *h)
{
	h->skipped = 0;
}

/**
 * Remove the first packet of a flow, which has one. A flow that is not held and has no packets is
 * forgotten.
 *
 * @return its slot, which is free from now on
 */
uint32_t fcn_held_flows_pop(struct fcn_held_flows *h, uint32_t flow);

/**
 * Remove packets, wherever they wait.
 *
 * @param is_gone tells for a slot whether its packet is to be removed; the caller then has it back
 */
void fcn_held_flows_remove(
		struct fcn_held_flows *h, bool (*is_gone)(void *arg, uint32_t slot), void *arg);

/** Release all flows, for example because the feature was switched off. Packets leave from now on.
 */
void fcn_held_flows_release_all(struct fcn_held_flows *h);

/**
 * Get the earliest time at which fcn_held_flows_update() finds something or a packet may leave; now
 * when one may leave already, and FCN_HELD_FLOWS_NEVER when there is nothing. Flows that were
 * skipped do not count.
 */
static inline uint64_t
fcn_held_flows_next(const struct fcn_held_flows *h, uint64_t now)
{
	if (h->n_flows == 0)
		return FCN_HELD_FLOWS_NEVER;
	return h->skipped < h->leaving || h->check_at < now ? now : h->check_at;
}

#endif /* FCN_HELD_FLOWS_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Precise flow control, the congested switch: which upstream neighbours are asked to halt which
 * traffic, and when they are asked again or told that congestion has ended
 * (draft-hu-rtgwg-rocev2-fcn section 4.1.2).
 *
 * A halt is an entry for a service, a flow or a priority that met congestion in a class queue. Each
 * neighbour gets a message when the halt begins, and again after half of its time, whether further
 * packets arrive or not: they may be held upstream. When the queue is not congested any more, each
 * neighbour that was asked gets a message that the congestion has ended. A neighbour that does not
 * get it resumes when the time is over.
 *
 * Messages do not name a queue. When several queues ask for the same, a neighbour gets the messages
 * of one of them, and the one that it has ended when the last of them ends.
 *
 * Numbers are in host byte order, addresses in network byte order, times in nanoseconds of the
 * worker's clock. Each worker has a state of its own, for the queues of its ports; nothing here
 * takes a lock, and each call does a bounded amount of work.
 */

#ifndef FCN_ARN_SENDER_H
#define FCN_ARN_SENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn.h"
#include "fcn_counter.h"
#include "fcn_hash_key.h"
#include "fcn_port_limit.h"

#define FCN_ARN_HALTS 1024      /**< maximum number of halts of a worker */
#define FCN_ARN_QUEUE_HALTS 256 /**< maximum number of halts of a class queue */
#define FCN_ARN_CLASSES 8
#define FCN_ARN_NEVER UINT64_MAX

/* In `show arn sent`; the form of the list is described in fcn_counter.h. */
#define FCN_ARN_SENDER_COUNTERS(X)                                                               \
	X(halts, "begun", COUNTER, "arn_begun",                                                  \
			"Halts that the switch began to ask for, by flow, service or priority")  \
	X(sent, "sent", COUNTER, "arn_sent", "Messages that asked for a halt the first time")    \
	X(refreshed, "refreshed", COUNTER, "arn_refreshed",                                      \
			"Messages that asked for a halt again, after half of its time")          \
	X(ended, "ended", COUNTER, "arn_ended", "Messages that congestion has ended")            \
	X(expired, "expired", COUNTER, "arn_expired",                                            \
			"Halts that ended without a message, when their time was over or "       \
			"the configuration has no such neighbour any more")                      \
	X(no_flow, "suppressed_no_flow", COUNTER, "arn_suppressed_no_flow",                      \
			"Congested packets whose flow cannot be told from their headers")        \
	X(no_neighbour, "suppressed_no_neighbour", COUNTER, "arn_suppressed_no_neighbour",       \
			"Congested packets of ports without an upstream neighbour")              \
	X(table_full, "suppressed_table_full", COUNTER, "arn_suppressed_table_full",             \
			"Congested packets without a halt, because the worker has no room "      \
			"for more halts")                                                        \
	X(queue_full, "suppressed_queue_full", COUNTER, "arn_suppressed_queue_full",             \
			"Congested packets without a halt, because their class queue has "       \
			"as many as it may have")                                                \
	X(known, "suppressed_known", COUNTER, "arn_suppressed_known",                            \
			"Messages not sent, because their neighbour was told the same for "      \
			"another class queue")                                                   \
	X(unreachable, "suppressed_unreachable", COUNTER, "arn_suppressed_unreachable",          \
			"Messages not sent, because there is no route to the neighbour")         \
	X(bucket_link, "delayed_bucket_link", COUNTER, "arn_delayed_bucket_link",                \
			"Messages delayed by the share of the link that notices may use")        \
	X(bucket_queue, "delayed_bucket_queue", COUNTER, "arn_delayed_bucket_queue",             \
			"Messages delayed by the token bucket of the congested queue")           \
	X(bucket_global, "delayed_bucket_global", COUNTER, "arn_delayed_bucket_global",          \
			"Messages delayed by the token bucket of all messages")                  \
	X(bucket_neighbour, "delayed_bucket_neighbour", COUNTER, "arn_delayed_bucket_neighbour", \
			"Messages delayed by the token bucket of their neighbour")               \
	X(no_mbuf, "delayed_no_mbuf", COUNTER, "arn_delayed_no_mbuf",                            \
			"Messages delayed because there was no buffer")

/** Limit of messages: a token bucket. */
struct fcn_arn_bucket {
	uint64_t cost_ns; /**< nanoseconds per token; 0: no limit */
	uint32_t burst;   /**< tokens that it can hold */
};

/** Configuration of the sender. It is part of the snapshot, and workers only read it. */
struct fcn_arn_sender_conf {
	struct fcn_arn_bucket queue;     /**< of each congested queue */
	struct fcn_arn_bucket neighbour; /**< of each neighbour */
	struct fcn_arn_bucket global;    /**< of all messages */
	uint32_t n_neighbours;
	uint8_t neighbour_addr[FCN_ARN_NEIGHBOURS][16];
	uint8_t neighbour_table[FCN_ARN_NEIGHBOURS]; /**< route table of each address */
};

/** X(symbol, bit, name): why traffic is to be halted. */
#define FCN_ARN_REASONS(X)                                                     \
	X(CONGESTED, 1, "congested") /**< a class queue is congested */        \
	X(PAUSED, 2, "paused")       /**< the link partner pauses the class */ \
	X(HELD, 4, "held")           /**< a downstream switch has asked to halt it */

/** Why traffic is to be halted: a bit each. */
enum fcn_arn_reason {
#define FCN_ARN_ENUM(sym, bit, name) FCN_ARN_REASON_##sym = bit,
	FCN_ARN_REASONS(FCN_ARN_ENUM)
#undef FCN_ARN_ENUM
};

/** What is halted. All bytes count, so it is to be cleared before it is filled in. */
struct fcn_arn_key {
	/** FCN_ARN_MODE_SERVICE, FCN_ARN_MODE_FLOW; all zero in other modes */
	struct fcn_flow_descriptor flow;
	uint16_t port;    /**< egress port of the class queue */
	uint8_t class;    /**< class of the queue, the priority of FCN_ARN_MODE_PRIORITY */
	uint8_t mode;     /**< enum fcn_arn_mode */
	uint32_t padding; /**< 0 */
};

/** A packet that is to be halted upstream. */
struct fcn_arn_cause {
	struct fcn_arn_key key;
	uint32_t neighbours; /**< bit set of the neighbours that send such packets, not empty */
	uint32_t time_us;    /**< time of the halt, at least 2 */
	uint32_t path_id;    /**< path identifier, if there is one */
	bool has_path;       /**< there is a path identifier */
	uint8_t level;       /**< congestion level, 0 to 7 */
	uint8_t reason;      /**< enum fcn_arn_reason */
};

/** A halt. */
struct fcn_arn_halt {
	struct fcn_arn_cause cause; /**< neighbours: all that are asked; reason: set of reasons */
	bool ending;                /**< it is not needed any more */
	uint32_t told;              /**< bit set of the neighbours that were asked */
	uint32_t pending;           /**< bit set of the neighbours that get a message next */
	/** bit set of the neighbours that were asked for the same because of another queue last */
	uint32_t covered;
	uint64_t begun_ns; /**< when it was made */
	uint64_t round_ns; /**< when neighbours were last asked, all of them */
	uint64_t due_ns;   /**< when the next message is due */
	uint64_t messages; /**< messages sent */
	uint16_t heap;     /**< place in fcn_arn_sender.heap */
	uint16_t next;     /**< next halt of the same bucket of the hash table, or free */
	uint16_t next_of_queue, previous_of_queue;
};

/** State of the sender. */
struct fcn_arn_sender {
	struct fcn_hash_key key; /**< of the hash table; all zero: the fixed key */
	/** When the first message is due, or FCN_ARN_NEVER. */
	uint64_t due_ns;
	uint64_t retry_ns;             /**< not before this time, because there was no buffer */
	uint16_t n;                    /**< halts in the heap */
	uint16_t free;                 /**< first free halt */
	uint16_t heap[FCN_ARN_HALTS];  /**< halts, ordered by due_ns */
	uint16_t chain[FCN_ARN_HALTS]; /**< hash table: first halt of each bucket */
	struct fcn_arn_halt halt[FCN_ARN_HALTS];
	uint16_t queue[FCN_MAX_PORTS][FCN_ARN_CLASSES];   /**< first halt of each class queue */
	uint16_t n_queue[FCN_MAX_PORTS][FCN_ARN_CLASSES]; /**< halts of each class queue */
	/* Token buckets: the time at which each is full. */
	uint64_t queue_tat[FCN_MAX_PORTS][FCN_ARN_CLASSES];
	uint64_t neighbour_tat[FCN_ARN_NEIGHBOURS];
	uint64_t global_tat;
	/* The neighbours that bits stand for. */
	uint32_t n_neighbours;
	uint8_t neighbour_addr[FCN_ARN_NEIGHBOURS][16];
	uint8_t neighbour_table[FCN_ARN_NEIGHBOURS];
	FCN_ARN_SENDER_COUNTERS(FCN_COUNTER_MEMBER)
};

/** A message that is to be sent. */
struct fcn_arn_message {
	struct fcn_arn arn;
	unsigned int neighbour; /**< index of its receiver */
	uint16_t port;          /**< egress port of the congested queue */
	uint8_t class;          /**< class of the congested queue */
	uint8_t reasons;        /**< set of enum fcn_arn_reason; 0 when the halt ends */
};

/** Initialise the state: no halts, and all counters 0. */
void fcn_arn_sender_init(struct fcn_arn_sender *s);

/** Tell whether there are no halts. */
static inline bool
fcn_arn_sender_is_idle(const struct fcn_arn_sender *s)
{
	return s->n == 0;
}

/**
 * Halt the traffic of a packet that met congestion: begin a halt, or add what is new to it.
 *
 * @param now nanoseconds; never less than in an earlier call
 * @return whether there is a halt now; if not, the reason was counted
 */
bool fcn_arn_sender_halt(struct fcn_arn_sender *s, const struct fcn_arn_cause *cause, uint64_t now);

/** End the halts of a class queue that have no reason but this one. */
void fcn_arn_sender_end(struct fcn_arn_sender *s, uint16_t port, uint8_t class,
		enum fcn_arn_reason reason, uint64_t now);

/** End a halt, if it has no reason but this one. Nothing happens if there is no such halt. */
void fcn_arn_sender_end_one(struct fcn_arn_sender *s, const struct fcn_arn_key *key,
		enum fcn_arn_reason reason, uint64_t now);

/**
 * End all halts of a class queue, except those of a mode; FCN_ARN_MODE_COUNT: all of them. Halts
 * with FCN_ARN_REASON_HELD keep this reason, as it is not the queue's.
 */
void fcn_arn_sender_end_modes(struct fcn_arn_sender *s, uint16_t port, uint8_t class,
		enum fcn_arn_mode but, uint64_t now);

/**
 * Adapt the state to a new list of neighbours. Halts forget neighbours that are not in it any more,
 * and these resume when their time is over.
 */
void fcn_arn_sender_reconfigure(
		struct fcn_arn_sender *s, const struct fcn_arn_sender_conf *conf, uint64_t now);

/** Forget all halts, as no more messages can be sent. They count as expired. */
void fcn_arn_sender_forget(struct fcn_arn_sender *s);

/**
 * Take the next message that is due, and count it.
 *
 * @param reach   tells how long a message to a neighbour has to wait for the link by which it
 *                leaves: 0 for not at all, FCN_ARN_NEVER if the neighbour cannot be reached
 * @param arg     first argument of reach()
 * @param budget  number of steps that may be taken, which is decreased; a message takes at least
 *                one
 * @param message written if the result is true
 * @return false: none is due, or the budget is used up
 */
bool fcn_arn_sender_next(struct fcn_arn_sender *s, const struct fcn_arn_sender_conf *conf,
		uint64_t (*reach)(void *arg, unsigned int neighbour), void *arg, uint64_t now,
		unsigned int *budget, struct fcn_arn_message *message);

/** Send nothing for some time, because there is no buffer for messages. */
void fcn_arn_sender_postpone(struct fcn_arn_sender *s, uint64_t now);

/** Set the counters to zero. Halts go on. */
void fcn_arn_sender_clear_counters(struct fcn_arn_sender *s);

#endif /* FCN_ARN_SENDER_H */

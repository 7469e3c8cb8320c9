/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Traffic that downstream switches have asked to halt (draft-hu-rtgwg-rocev2-fcn section 4.1): the
 * packets of held flows wait at the worker that owns their egress port, in front of the class
 * queues. Each worker has a table of its own, and all workers obey the same messages.
 */

#ifndef FCN_ARN_HELD_H
#define FCN_ARN_HELD_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_burst.h"
#include "fcn_counter.h"
#include "fcn_held_flows.h"
#include "fcn_port_limit.h"
#include "fcn_queue.h"

/*
 * In `show arn held`: what messages have caused. The form of the list is described in
 * fcn_counter.h. A message about a service or a flow counts at the worker that received it, and one
 * about a priority at the worker that owns the port.
 */
#define FCN_ARN_OBEYED_COUNTERS(X)                                                              \
	X(began, "begun", COUNTER, "arn_held_begun",                                            \
			"Messages that caused a flow or a service to be held")                  \
	X(renewed, "renewed", COUNTER, "arn_held_renewed",                                      \
			"Messages that changed the time for which a flow or a service is held") \
	X(ended, "ended", COUNTER, "arn_held_ended",                                            \
			"Messages that let the packets of a held flow or service leave")        \
	X(not_held, "not_held", COUNTER, "arn_held_not_held",                                   \
			"Messages that were to release a flow or a service that was not held")  \
	X(storm, "storm", COUNTER, "arn_held_storm",                                            \
			"Messages ignored, because their flow, service or class was held "      \
			"for too long without interruption")                                    \
	X(full, "full", COUNTER, "arn_held_full",                                               \
			"Messages ignored by a worker, because it holds as many flows and "     \
			"services as permitted")                                                \
	X(halted, "priority_halted", COUNTER, "arn_held_priority_halted",                       \
			"Messages that halted a class of a port, or changed the time")          \
	X(resumed, "priority_resumed", COUNTER, "arn_held_priority_resumed",                    \
			"Messages that ended the halt of a class of a port")                    \
	X(exempt, "priority_exempt", COUNTER, "arn_held_priority_exempt",                       \
			"Messages ignored, because they name the class of notices, which is "   \
			"never halted")                                                         \
	X(not_distributed, "not_distributed", COUNTER, "arn_held_not_distributed",              \
			"Messages that another worker does not obey, because the ring to it "   \
			"was full")

/*
 * In `show arn held`: packets that have waited. A packet that waits for its service and then for
 * its flow counts twice.
 */
#define FCN_ARN_HELD_COUNTERS(X)                                                              \
	X(held_packets, "held_packets", COUNTER, "arn_held_packets",                          \
			"Packets that had to wait for their flow or service")                 \
	X(left_packets, "left_packets", COUNTER, "arn_held_left_packets",                     \
			"Packets that have waited and were then queued, or dropped by their " \
			"queue")

/** A packet that waits. */
struct fcn_arn_waiting {
	struct rte_mbuf *mbuf;
	bool by_service; /**< it waits for its service, otherwise for its flow */
};

/** Held flows of a worker, and their packets. */
struct fcn_arn_held {
	struct fcn_held_flows flows;     /**< with n_flows 0, no packet is affected */
	struct fcn_packet *packet;       /**< metadata of the packets that wait, by slot */
	struct fcn_arn_waiting *waiting; /**< packets that wait, by slot */
	/** By port and class: bytes that the queue has sent (struct fcn_queue_stats.deq_bytes) less
	 * those for which packets that waited may still be put into it. */
	uint64_t shared[FCN_MAX_PORTS][FCN_CLASSES];
	FCN_ARN_OBEYED_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_ARN_HELD_COUNTERS(FCN_COUNTER_MEMBER)
	/* Highest values since the watermarks were last cleared. */
	uint64_t flows_max;
	uint64_t packets_max;
	uint64_t bytes_max;
};

struct fcn_worker;

/** Allocate the memory of a worker. @return 0 or -ENOMEM */
int fcn_arn_held_init(struct fcn_worker *w);

/** Free it. No packet may wait any more. */
void fcn_arn_held_fini(struct fcn_worker *w);

/**
 * Update the held flows to the present time, and let packets leave into their class queues. A
 * packet for which its queue has no room goes on waiting, and so do those of its flow. The work is
 * bounded.
 *
 * @param b written: the packets that have left, as after the stage `enqueue`
 */
void fcn_arn_held_leave(struct fcn_worker *w, struct fcn_burst *b);

/** Adapt to a new snapshot. With the reception of messages off, everything may leave. */
void fcn_arn_held_reconfigure(struct fcn_worker *w);

/** Drop the packets that wait for a port of this worker that is being removed. */
void fcn_arn_held_port_gone(struct fcn_worker *w, uint16_t port);

/** Set the counters to zero. */
void fcn_arn_held_clear_counters(struct fcn_worker *w);

/** Reset the highest values to the present ones. */
void fcn_arn_held_clear_watermarks(struct fcn_worker *w);

#endif /* FCN_ARN_HELD_H */

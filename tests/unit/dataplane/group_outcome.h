/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What comes of the packets that a group of workers is given, in a form that two groups can be
 * compared by.
 *
 * A frame that a test sends has a mark near its end: the number of its flow, its class, and its
 * number within the flow. Frames that the switch makes have none.
 */

#ifndef GROUP_OUTCOME_H
#define GROUP_OUTCOME_H

#include "testbed.h"

#define OUTCOME_PORTS 8
#define OUTCOME_QUEUES (2 * OUTCOME_PORTS) /**< receive queues */
#define OUTCOME_NO_FLOW UINT32_MAX         /**< a frame without a mark */

/** The octets of a mark at the end of a frame, of which the last four may be an ICRC. */
#define OUTCOME_MARK_LEN 16

/** Write the mark of a frame that is otherwise complete. */
void outcome_mark(struct frame *f, uint32_t flow, uint8_t class, uint32_t number);

/** A frame that left. */
struct outcome_frame {
	uint32_t flow;   /**< or OUTCOME_NO_FLOW */
	uint32_t number; /**< within the flow */
	uint64_t sum;    /**< of its octets */
	uint32_t len;
	uint16_t port;
	uint8_t class;
	uint8_t head[96];
};

/** An event or a packet for the host functions. */
struct outcome_record {
	uint64_t sum;
	uint8_t what[4]; /**< of an event: type, class, verdict, port; of a punt: reason, port */
};

struct outcome_queue {
	struct fcn_queue_stats stats;
	uint64_t enters, leaves, packets, bytes;
};

struct outcome_sums {
	struct fcn_port_counters port[FCN_MAX_PORTS];
	struct outcome_queue queue[OUTCOME_PORTS][FCN_CLASSES];
	struct fcn_ingress ingress[OUTCOME_PORTS][FCN_CLASSES];
	struct fcn_notify_stats notify[FCN_NOTICE_KIND_MAX][OUTCOME_PORTS][FCN_CLASSES];
	struct fcn_srv6_sid_counters sid[4];
	uint64_t ecn[FCN_TUNNEL_ECN_COMBINATION_COUNT];
	uint64_t endcon_taken, events_made, events_lost, learn_lost;
};

struct outcome {
	struct outcome_frame *frame;
	unsigned int n_frames, max_frames;
	struct outcome_record *event, *punt;
	unsigned int n_events, max_events, n_punts, max_punts;
	/** Sums over the workers. */
	struct outcome_sums sums;
	struct fcn_notice_accounting notices[FCN_NOTICE_KIND_MAX];
	struct fcn_conservation conservation;
};

/** Free what an outcome has allocated, and make it an empty one. */
void outcome_reset(struct outcome *o);

/** Take the frames that have left by the ports of the bench. */
void outcome_take_frames(struct outcome *o);
/** Take the events of a worker, and what it has passed to the host functions. */
void outcome_take_records(struct outcome *o, struct fcn_worker *w);
/** Add the counters of workers. */
void outcome_add_counters(struct outcome *o, struct fcn_worker *const *workers, unsigned int n);

/**
 * Check that no flow was reordered: that the numbers of its frames rise at each egress port, and
 * that none is there twice.
 */
void outcome_check_order(const struct outcome *o);

/**
 * Check that two outcomes are the same: frames of each egress port and class, in order as far as
 * they came in by one receive queue; counters; events; packets for the host functions.
 *
 * @param queue receive queue of each flow, below OUTCOME_QUEUES
 */
void outcome_check_same(const struct outcome *one, struct outcome *many, const uint8_t *queue);

#endif /* GROUP_OUTCOME_H */

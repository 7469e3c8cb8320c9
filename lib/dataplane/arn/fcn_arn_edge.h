/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Halts that are passed on: a downstream switch has asked to halt a flow, a service or a priority,
 * and so many bytes wait for it here that those who send them are to stop, too
 * (draft-hu-rtgwg-rocev2-fcn section 4.1). The port that received a packet decides how: by
 * messages to upstream neighbours, by PFC, or by Fast CNPs (enum fcn_arn_edge).
 *
 * A halt is passed on until fewer than half of these bytes wait, or until it ends.
 */

#ifndef FCN_ARN_EDGE_H
#define FCN_ARN_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn_conf.h"
#include "fcn_burst.h"
#include "fcn_counter.h"
#include "fcn_port_set.h"
#include "fcn_queue.h"

/** Maximum number of halts that a worker passes on at the same time. */
#define FCN_ARN_PASSED_ON 256

/* In `show arn passed-on`; the form of the list is described in fcn_counter.h. */
#define FCN_ARN_EDGE_COUNTERS(X)                                                                 \
	X(begun, "begun", COUNTER, "arn_passed_on_begun",                                        \
			"Halts of flows, services and priorities that the switch began to pass " \
			"on to upstream neighbours or by PFC")                                   \
	X(ended, "ended", COUNTER, "arn_passed_on_ended",                                        \
			"Halts that the switch does not pass on any more")                       \
	X(pfc, "pfc", COUNTER, "arn_passed_on_pfc",                                              \
			"Times that a halt had a class of a link partner paused by PFC")         \
	X(notified, "notices", COUNTER, "arn_passed_on_notices",                                 \
			"Waiting packets for which a notice to their sender was decided upon")   \
	X(not_lossless, "suppressed_not_lossless", COUNTER, "arn_passed_on_not_lossless",        \
			"Waiting packets of classes for which their port does not send PFC")     \
	X(table_full, "suppressed_table_full", COUNTER, "arn_passed_on_table_full",              \
			"Waiting packets whose halt is not passed on, because the worker has "   \
			"no room for more")

/** A halt that is passed on. */
struct fcn_arn_passed_on {
	/** Held flow, with its number; FCN_HELD_FLOWS_NONE: a class of a port. */
	uint32_t flow;
	struct fcn_held_key held; /**< of a held flow, as it is there */
	uint16_t port;            /**< of a class: the port that is halted */
	uint8_t class;            /**< of a class: its number */
	bool active;              /**< it was passed on at least once */
	uint64_t begun_ns;
	/** By class: the egress ports whose traffic upstream neighbours were asked to
	 * halt. */
	struct fcn_port_set asked[FCN_CLASSES];
	/** By class: the ingress ports whose link partners are to pause it. */
	struct fcn_port_set paused[FCN_CLASSES];
};

struct fcn_arn_edge_state;

/** Set the counters to zero. Halts go on. */
void fcn_arn_edge_clear_counters(struct fcn_arn_edge_state *s);

/** Halts that a worker passes on. */
struct fcn_arn_edge_state {
	uint32_t n;
	struct fcn_arn_passed_on passed[FCN_ARN_PASSED_ON];
	uint16_t of_flow[FCN_ARN_HELD_FLOWS];          /**< 1 + its index in `passed`; 0: none */
	uint16_t of_class[FCN_MAX_PORTS][FCN_CLASSES]; /**< the same, of a class of a port */
	uint16_t n_paused[FCN_MAX_PORTS][FCN_CLASSES]; /**< halts that have it paused */
	uint64_t event_ns[FCN_MAX_PORTS]; /**< time of the last event, by port; 0: none yet */
	FCN_ARN_EDGE_COUNTERS(FCN_COUNTER_MEMBER)
};

#endif /* FCN_ARN_EDGE_H */

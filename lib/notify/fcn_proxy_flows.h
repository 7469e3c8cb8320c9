/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Flows of which congested nodes have told a proxy network node, and when their senders were
 * notified (draft-xiao-rtgwg-proxy-congestion-notification section 3). A sender gets one
 * notification for a flow and interval, whatever number of nodes report the flow, and the highest
 * level that they report counts.
 *
 * The memory does not depend on the number of flows: if there are more than the table holds, the
 * one whose last report is longest ago makes room. One worker owns a table and makes all calls.
 * Times are in nanoseconds.
 */

#ifndef FCN_PROXY_FLOWS_H
#define FCN_PROXY_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_flow_descriptor.h"
#include "fcn_hash_key.h"

/** Sets of flows, a power of two. A quarter of all places can be in use before, by chance, more
 * flows fall into a set than it has places. */
#define FCN_PROXY_FLOW_SETS 1024
#define FCN_PROXY_FLOW_WAYS 8 /**< flows of a set */
#define FCN_PROXY_FLOWS (FCN_PROXY_FLOW_SETS * FCN_PROXY_FLOW_WAYS)

#define FCN_PROXY_LEVEL_MAX 7 /**< highest congestion level */

/** A flow. */
struct fcn_proxy_flow {
	struct fcn_flow_descriptor flow; /**< its level is 0 */
	bool used;
	bool notified;    /**< the sender was notified, last at notified_ns */
	uint8_t level;    /**< the one that the sender was last told, or that was raised since */
	int8_t highest;   /**< highest level reported since the last notification; -1: none */
	uint8_t how;      /**< for the caller; a new flow has 0 */
	uint16_t port;    /**< for the caller, as well */
	uint64_t last_ns; /**< time of the last report */
	uint64_t notified_ns;
	uint64_t reports;       /**< of congested nodes */
	uint64_t notifications; /**< of the sender */
};

/** The table. */
struct fcn_proxy_flows {
	struct fcn_proxy_flow *flow; /**< FCN_PROXY_FLOWS of them, by sets */
	uint64_t forgotten;          /**< flows that made room for others */
};

/** Times between two notifications of a sender. */
struct fcn_proxy_interval {
	uint32_t longest_ns;  /**< at level 0 */
	uint32_t shortest_ns; /**< at level 7, at most longest_ns */
};

/** What a report asks for. */
enum fcn_proxy_report {
	FCN_PROXY_DUE,    /**< the sender is to be notified, with the level `highest` */
	FCN_PROXY_RAISED, /**< it was notified a moment ago, and of a lower level: `level` is new */
	FCN_PROXY_PACED,  /**< it was notified a moment ago */
};

/**
 * Allocate an empty table.
 *
 * @param socket NUMA node of the memory
 * @return 0 or -ENOMEM
 */
int fcn_proxy_flows_init(struct fcn_proxy_flows *flows, int socket);

/** Free the memory; also after a failed init. */
void fcn_proxy_flows_fini(struct fcn_proxy_flows *flows);

/** Forget all flows. */
void fcn_proxy_flows_clear(struct fcn_proxy_flows *flows);

/** Compute the hash of a flow. Its level does not count, but its padding has to be 0. */
uint64_t fcn_proxy_flow_hash(
		const struct fcn_hash_key *key, const struct fcn_flow_descriptor *flow);

/** Check whether two flows are the same. Their levels do not count. */
bool fcn_proxy_flow_is_same(
		const struct fcn_flow_descriptor *a, const struct fcn_flow_descriptor *b);

/** Get the time between two notifications of a level, 0 to 7: it falls evenly with the level. */
uint32_t fcn_proxy_interval_at(const struct fcn_proxy_interval *interval, unsigned int level);

/**
 * Note that a congested node has reported a flow, and decide what follows.
 *
 * @param flow  with the level that it reports
 * @param hash  fcn_proxy_flow_hash()
 * @param found written: the flow in the table, valid until the next call
 * @return FCN_PROXY_DUE remains so with further reports, until fcn_proxy_flow_notified() is called
 */
enum fcn_proxy_report fcn_proxy_flows_report(struct fcn_proxy_flows *flows,
		const struct fcn_flow_descriptor *flow, uint64_t hash,
		const struct fcn_proxy_interval *interval, uint64_t now,
		struct fcn_proxy_flow **found);

/** Note that the sender is notified. @return the level */
uint8_t fcn_proxy_flow_notified(struct fcn_proxy_flow *flow, uint64_t now);

#endif /* FCN_PROXY_FLOWS_H */

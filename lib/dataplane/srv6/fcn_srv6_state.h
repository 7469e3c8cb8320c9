/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of SRv6 at one worker. Only the worker writes it; others use fcn_worker_call().
 */

#ifndef FCN_SRV6_STATE_H
#define FCN_SRV6_STATE_H

#include <stdint.h>

#include "fcn_endcon_nodes.h"
#include "fcn_compat.h"
#include "fcn_counter.h"
#include "fcn_srv6_conf.h"
#include "fcn_tunnel_ecn.h"

/* In `show srv6 sid`; the form of the list is described in fcn_counter.h. */
#define FCN_SRV6_SID_COUNTERS(X)                                                                 \
	X(packets, "packets", COUNTER, "local_sid_packets",                                      \
			"Packets that the local SID has sent on, or passed to the host "         \
			"functions")                                                             \
	X(bytes, "bytes", BYTES, "local_sid", "Bytes of these packets as received, without FCS") \
	X(refused, "refused", COUNTER, "local_sid_refused_packets",                              \
			"Packets that the local SID has refused, see show drops for the "        \
			"reasons")

/** Counters of a local SID at one worker. */
struct fcn_srv6_sid_counters {
	FCN_SRV6_SID_COUNTERS(FCN_COUNTER_MEMBER)
};

/* In `show srv6 policy`; the form of the list is described in fcn_counter.h. */
#define FCN_SEGMENT_LIST_COUNTERS(X)                                                   \
	X(packets, "packets", COUNTER, "segment_list_packets",                         \
			"Packets that entered the SRv6 domain by the segment list")    \
	X(bytes, "bytes", BYTES, "segment_list",                                       \
			"Bytes of the IP packets that entered the SRv6 domain by the " \
			"segment list, without the headers of the tunnel")

/** Counters of a segment list of a policy at one worker. */
struct fcn_segment_list_counters {
	FCN_SEGMENT_LIST_COUNTERS(FCN_COUNTER_MEMBER)
};

/* In `show srv6 steering`; the form of the list is described in fcn_counter.h. */
#define FCN_STEERING_COUNTERS(X)                                                          \
	X(packets, "packets", COUNTER, "steered_packets",                                 \
			"Packets that met the conditions of the steering rule, and took " \
			"its policy")                                                     \
	X(bytes, "bytes", BYTES, "steered", "Bytes of these IP packets")                  \
	X(passed_over, "passed_over", COUNTER, "steering_passed_over_packets",            \
			"Packets that met the conditions of the steering rule, while no " \
			"packet could leave by its policy")

/** Counters of a steering rule at one worker. */
struct fcn_steering_counters {
	FCN_STEERING_COUNTERS(FCN_COUNTER_MEMBER)
};

/* In `show srv6 endcon`; the form of the list is described in fcn_counter.h. */
#define FCN_ENDCON_COUNTERS(X)                                                   \
	X(taken, "taken", COUNTER, "endcon_notices",                             \
			"Fast CNPs that END.CON has taken out of their tunnel, " \
			"and sent on")

/** Counters of END.CON at one worker. */
struct fcn_endcon_counters {
	FCN_ENDCON_COUNTERS(FCN_COUNTER_MEMBER)
};

/** State of SRv6. */
struct fcn_srv6_state {
	struct fcn_srv6_sid_counters sid[FCN_SRV6_SID_SLOTS]; /**< by fcn_srv6_sid.slot */
	uint64_t serial[FCN_SRV6_SID_SLOTS]; /**< SID that the counters of a slot belong to */
	struct fcn_segment_list_counters segments[FCN_SRV6_LIST_SLOTS]; /**< by fcn_encaps.slot */
	uint64_t segments_serial[FCN_SRV6_LIST_SLOTS]; /**< list that the counters belong to */
	struct fcn_steering_counters steering[FCN_SRV6_STEERING]; /**< by fcn_steering.slot */
	uint64_t steering_serial[FCN_SRV6_STEERING]; /**< rule that the counters belong to */
	/** Packets that left a tunnel with these ECN fields, dropped or not. */
	uint64_t ecn[FCN_TUNNEL_ECN_COMBINATION_COUNT];
	uint64_t ecn_event_ns;         /**< time of the last event about them; 0: never */
	struct fcn_source_limit nodes; /**< END.CON: buckets of P nodes */
	struct fcn_source_limit told;  /**< END.CON: messages to nodes that it refuses */
	struct fcn_endcon_nodes known; /**< END.CON: P nodes of the fast path */
	struct fcn_endcon_counters endcon;
	struct fcn_crc32 crc;
};

/**
 * Initialise the state.
 *
 * @param socket NUMA node of the memory
 * @return 0, or a negative errno
 */
int fcn_srv6_state_init(struct fcn_srv6_state *state, int socket);

/** Free what the state has allocated; also after a failed init. */
void fcn_srv6_state_fini(struct fcn_srv6_state *state);

/** Set the counters to zero. */
void fcn_srv6_state_clear(struct fcn_srv6_state *state);

/** Adapt the state to a new configuration: SIDs, segment lists and steering rules that were
 * added begin with counters of zero. */
void fcn_srv6_state_reconfigure(
		struct fcn_srv6_state *state, const struct fcn_srv6_conf *conf, uint64_t now);

#endif /* FCN_SRV6_STATE_H */

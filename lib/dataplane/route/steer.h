/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Steering: rules of a prefix select the packets that take SRv6 policies. All others take the
 * normal route. Used by the stages only.
 */

#ifndef STEER_H
#define STEER_H

#include "fcn_stages.h"

/** What the conditions of steering rules are about. */
struct fcn_steer_key {
	uint16_t port; /**< ingress port or sub-interface; FCN_PORT_NONE: the switch made the packet
			*/
	uint8_t dscp;
	bool is_roce;
	uint8_t version;    /**< 4 or 6 */
	const uint8_t *dst; /**< destination address, network byte order */
};

/**
 * Choose the next hop of a packet to a steered prefix: that of the policy of the first rule whose
 * conditions it meets and by whose policy packets can leave; else that of its normal route. The
 * neighbour of a policy that lacks it is requested, at a limited rate.
 *
 * @param nh    the next hop of the type FCN_NEXT_HOP_SELECT
 * @param table number of the table of the packet
 * @param asker port for whose packets the neighbour is requested
 * @param len   bytes of the IP packet; 0: it does not exist yet, and is not counted
 * @param rule  written: the rule; NULL: none
 * @return index of a next hop that is not of this type
 */
uint32_t fcn_steer(struct fcn_worker *w, const struct fcn_next_hop *nh, unsigned int table,
		uint16_t asker, const struct fcn_steer_key *key, uint16_t len,
		const struct fcn_steering **rule);

/**
 * Find the rule that fcn_steer() would choose, without counting the packet.
 *
 * @return NULL: there is none, or one has to be passed over before it is found
 */
const struct fcn_steering *fcn_steer_find(const struct fcn_snapshot *s,
		const struct fcn_next_hop *nh, const struct fcn_steer_key *key);

#endif /* STEER_H */

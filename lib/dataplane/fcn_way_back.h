/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Whether a notice can reach the sender of a packet, known before the notice is
 * made; for the stages alone.
 *
 * The notice of a bridged packet goes back by the port the packet came in by.
 * That of a routed packet takes the route to the sender. The next hop that is
 * found goes into the notice, so that the route is looked up once.
 */

#ifndef FCN_WAY_BACK_H
#define FCN_WAY_BACK_H

#include "fcn_stages.h"

/** The question, and the next hop that was found. */
struct fcn_notify_way {
	struct fcn_worker *w;
	const struct fcn_packet *p; /**< the packet that met congestion */
	/** routed: by kind of notice, index of the next hop, never of a group */
	uint32_t next_hop[FCN_NOTICE_KIND_MAX];
};

/**
 * How far a notice would get from here to the sender of way->p, by what is known now.
 *
 * Where only the neighbour's MAC address is missing, the host functions are asked
 * to find it, so that a later notice can go; at a bounded rate for each port the
 * packets come in by.
 *
 * @param kind   of the notice
 * @param sender IPv6 address it goes to
 */
enum fcn_notify_reach fcn_way_back(
		struct fcn_notify_way *way, unsigned int kind, const uint8_t sender[16]);

#endif /* FCN_WAY_BACK_H */

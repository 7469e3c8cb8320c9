/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Whether a notice can reach the address it goes to, known before the notice is
 * made; for the stages alone.
 *
 * The notice of a bridged packet goes back by the port the packet came in by, to
 * its sender. That of a routed packet takes the route to the address. The next hop
 * that is found goes into the notice, so that the route is looked up once.
 */

#ifndef NOTICE_ROUTE_H
#define NOTICE_ROUTE_H

#include "fcn_stages.h"

/** The question, and the next hop that was found. */
struct fcn_notice_route {
	struct fcn_worker *w;
	const struct fcn_packet *p; /**< the packet that met congestion */
	const uint8_t *sender;      /**< its IPv6 source address, where it stands in the packet */
	uint32_t next_hop;          /**< routed: index of the next hop, never of a group */
};

/**
 * How far a notice about route->p would get from here to an address, by what is known now.
 *
 * Where only the neighbour's MAC address is missing, the host functions are asked
 * to find it, so that a later notice can go; at a bounded rate for each port the
 * packets come in by.
 *
 * @param to IPv6 address; of a bridged packet, the pointer route->sender or nobody it goes to
 */
enum fcn_notify_reach fcn_notice_find_route(struct fcn_notice_route *route, const uint8_t to[16]);

#endif /* NOTICE_ROUTE_H */

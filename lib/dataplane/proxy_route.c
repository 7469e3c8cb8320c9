/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Routes from the proxy to traffic senders. */

#include "notice_route.h"
#include "proxy.h"
#include "route_find.h"

struct fcn_proxy_way
fcn_proxy_find_way(const struct fcn_worker *w, unsigned int table, uint8_t version,
		const uint8_t addr[16])
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_snapshot_table *t = &s->table[table];
	uint32_t index = 0;
	uint64_t found;

	if (t->fib != NULL && version == 4) {
		const uint32_t host = fcn_load_be32(addr);

		fcn_fib4_lookup(t->fib, &host, &found, 1);
		index = t->first + (uint32_t)found;
	} else if (t->fib != NULL) {
		uint8_t key[1][16];

		memcpy(key[0], addr, sizeof(key[0]));
		fcn_fib6_lookup(t->fib, key, &found, 1);
		index = t->first + (uint32_t)found;
	}
	return (struct fcn_proxy_way){
			.route = &s->next_hop[index],
			.hop = &s->next_hop[fcn_route_host(s, index, version, addr)],
	};
}

void
fcn_proxy_map_address(const struct fcn_flow_descriptor *flow, const uint8_t *addr, uint8_t out[16])
{
	if (flow->version == 6)
		memcpy(out, addr, 16);
	else
		fcn_addr_map(addr, out);
}

/* Check in which form packets can be sent by a way, by the port alone that they leave by. */
static enum fcn_notify_reach
reach_by(struct fcn_worker *w, const struct fcn_proxy_claim *claim, const struct fcn_next_hop *nh)
{
	uint8_t sender[16];

	if (fcn_next_hop_is_forward(nh))
		return fcn_notice_reach_by(w, nh->port);
	switch (nh->type) {
	case FCN_NEXT_HOP_ENCAPS: /* the later stages check what one of these leads to */
	case FCN_NEXT_HOP_GROUP:
	case FCN_NEXT_HOP_SELECT:
		return w->snap->ioam.any_edge ? FCN_NOTIFY_REACH_NO_TRACE : FCN_NOTIFY_REACH_ALL;
	case FCN_NEXT_HOP_NO_NEIGHBOUR:
	case FCN_NEXT_HOP_CONNECTED:
		fcn_proxy_map_address(&claim->flow, claim->flow.src, sender);
		fcn_request_resolution(
				w, claim->in_port, w->snap->port[claim->in_port].table, sender);
		return FCN_NOTIFY_REACH_NONE;
	default:
		return FCN_NOTIFY_REACH_NONE;
	}
}

enum fcn_notify_reach
fcn_proxy_reach(struct fcn_worker *w, const struct fcn_proxy_claim *claim,
		const struct fcn_proxy_way *way)
{
	const enum fcn_notify_reach reach = reach_by(w, claim, way->hop);

	/* The trace of a message that came in by an edge is not of this domain. */
	if (reach == FCN_NOTIFY_REACH_ALL &&
			w->snap->port[claim->in_port].ioam.edge != FCN_IOAM_EDGE_OFF)
		return FCN_NOTIFY_REACH_NO_TRACE;
	return reach;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Routes from the proxy to traffic senders. */

#include "notice_route.h"
#include "proxy.h"
#include "route_find.h"

/* Look up an address, without steering or with it. @return index of a next hop */
static uint32_t
look_up(const struct fcn_snapshot_table *t, const struct fcn_fib *fib, uint8_t version,
		const uint8_t addr[16])
{
	uint64_t found = 0;

	if (fib != NULL && version == 4) {
		const uint32_t host = fcn_load_be32(addr);

		fcn_fib4_lookup(fib, &host, &found, 1);
	} else if (fib != NULL) {
		uint8_t key[1][16];

		memcpy(key[0], addr, sizeof(key[0]));
		fcn_fib6_lookup(fib, key, &found, 1);
	}
	return t->first + (uint32_t)found;
}

const struct fcn_next_hop *
fcn_proxy_find_route(const struct fcn_worker *w, unsigned int table, uint8_t version,
		const uint8_t addr[16])
{
	const struct fcn_snapshot_table *t = &w->snap->table[table];

	return &w->snap->next_hop[look_up(t, t->normal, version, addr)];
}

void
fcn_proxy_map_address(const struct fcn_flow_descriptor *flow, const uint8_t *addr, uint8_t out[16])
{
	if (flow->version == 6)
		memcpy(out, addr, 16);
	else
		fcn_addr_map(addr, out);
}

/* Choose the next hop of a packet to the sender by steering rules, or among paths of equal cost, as
 * the stage `route` does with the packet. */
static __rte_noinline uint32_t
choose(struct fcn_worker *w, const struct fcn_proxy_claim *claim, unsigned int table,
		uint32_t index)
{
	const struct fcn_proxy_conf *conf = &w->snap->proxy;
	const struct fcn_flow_descriptor *flow = &claim->flow;
	const uint32_t ports = fcn_route_ports(flow->src_port, FCN_ROCE_UDP_PORT);
	struct fcn_own_packet packet = {.key = {.port = FCN_PORT_NONE,
							.dscp = conf->dscp,
							.is_roce = true,
							.version = flow->version,
							.dst = flow->src},
			.table = (uint16_t)table,
			.in_port = claim->in_port};

	if (flow->version == 4) {
		uint8_t addresses[8];

		memcpy(addresses, flow->dst, 4);
		memcpy(addresses + 4, flow->src, 4);
		packet.hash = fcn_route_hash4(&w->hash_key, addresses, ports);
	} else {
		packet.hash = fcn_route_hash6(&w->hash_key,
				claim->translation == FCN_PROXY_CNP ? flow->dst
								    : conf->fastcnp.conf.source,
				flow->src, ports);
	}
	return fcn_route_choose(w, &packet, index);
}

enum fcn_notify_reach
fcn_proxy_reach(struct fcn_worker *w, const struct fcn_proxy_claim *claim,
		struct fcn_notify_way *way)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_flow_descriptor *flow = &claim->flow;
	const unsigned int table = s->port[claim->in_port].table;
	const struct fcn_snapshot_table *t = &s->table[table];
	uint32_t index = look_up(t, t->fib, flow->version, flow->src);
	enum fcn_notify_reach reach;
	uint8_t sender[16];

	index = fcn_route_host(s, index, flow->version, flow->src);
	if (s->next_hop[index].type == FCN_NEXT_HOP_SELECT ||
			s->next_hop[index].type == FCN_NEXT_HOP_GROUP)
		index = choose(w, claim, table, index);
	*way = fcn_notice_way(s, &s->next_hop[index], true);
	fcn_proxy_map_address(flow, flow->src, sender);
	reach = fcn_route_reach(w, claim->in_port, table, sender, &s->next_hop[index]);
	/* The trace of a message that came in by an edge is not of this domain. */
	return reach == FCN_NOTIFY_REACH_ALL && s->port[claim->in_port].ioam.edge !=
								FCN_IOAM_EDGE_OFF
			       ? FCN_NOTIFY_REACH_NO_TRACE
			       : reach;
}

/* Check whether a route to a sender leads to the sender itself, and not to a gateway. The neighbour
 * table has those that are configured, too, and those with a route of their own. */
static bool
is_attached(const struct fcn_snapshot *s, const struct fcn_next_hop *route,
		const struct fcn_flow_descriptor *flow)
{
	return route->type == FCN_NEXT_HOP_CONNECTED ||
	       (fcn_next_hop_is_forward(route) &&
			       fcn_neighbour_find(&s->neighbours, flow->version, route->interface,
					       flow->src) != 0);
}

enum fcn_proxy_attachment
fcn_proxy_find_link(struct fcn_worker *w, const struct fcn_proxy_claim *claim, uint16_t *port)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_flow_descriptor *flow = &claim->flow;
	const unsigned int table = s->port[claim->in_port].table;
	const struct fcn_next_hop *route = fcn_proxy_find_route(w, table, flow->version, flow->src);
	uint8_t sender[16];

	if (route->type == FCN_NEXT_HOP_NO_NEIGHBOUR) {
		fcn_proxy_map_address(flow, flow->src, sender);
		fcn_request_resolution(w, claim->in_port, table, sender);
		return FCN_PROXY_LINK_CLOSED;
	}
	if (!is_attached(s, route, flow))
		return FCN_PROXY_NOT_ATTACHED;
	*port = s->port[route->interface].parent;
	return fcn_notice_reach_by(w, *port) == FCN_NOTIFY_REACH_NONE ? FCN_PROXY_LINK_CLOSED
								      : FCN_PROXY_LINK_OPEN;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_inet.h"
#include "fcn_punt.h"
#include "route_find.h"
#include "notice_route.h"
#include "route_check.h"
#include "route_remember.h"
#include "srv6.h"
#include "steer.h"

/* Token bucket for the resolution of neighbours on behalf of the packets of one port. */
#define RESOLVE_COST_NS 1000000
#define RESOLVE_BURST 32

/* Minimum time between two requests for the same sender. */
#define RESOLVE_AGAIN_NS 100000000

/*
 * Check whether the neighbour of a sender was requested recently. Each sender has one slot in a
 * small table; a sender that was displaced may be requested again sooner.
 */
static bool
is_requested(struct fcn_worker *w, const uint8_t sender[16])
{
	struct fcn_resolve_recent *slot;
	uint64_t key[2];

	memcpy(key, sender, sizeof(key));
	slot = &w->resolve.recent[fcn_dest_cache_place(&w->dest_cache, key) %
				  FCN_RESOLVE_RECENT_MAX];
	if (memcmp(slot->sender, sender, sizeof(slot->sender)) == 0 && slot->time_ns != 0 &&
			w->now - slot->time_ns < RESOLVE_AGAIN_NS)
		return true;
	memcpy(slot->sender, sender, sizeof(slot->sender));
	slot->time_ns = RTE_MAX(w->now, (uint64_t)1);
	return false;
}

/* Take a token for a request on behalf of the packets of one port. */
static bool
take_token(struct fcn_worker *w, uint16_t port)
{
	uint64_t full = RTE_MAX(w->resolve.tat[port], w->now);

	if (full - w->now > RESOLVE_COST_NS * (RESOLVE_BURST - 1))
		return false;
	w->resolve.tat[port] = full + RESOLVE_COST_NS;
	return true;
}

void
fcn_request_resolution(
		struct fcn_worker *w, uint16_t in_port, unsigned int table, const uint8_t addr[16])
{
	struct fcn_resolve_request request = {.in_port = in_port, .table = (uint16_t)table};

	if (w->resolve.requests == NULL || !(w->snap->punt >> FCN_PUNT_NO_NEIGHBOUR & 1) ||
			is_requested(w, addr) || !take_token(w, in_port))
		return;
	/* If the ring is full, the request is repeated with a later packet. */
	memcpy(request.sender, addr, sizeof(request.sender));
	rte_ring_sp_enqueue_elem(w->resolve.requests, &request, sizeof(request));
}

/*
 * Check whether a notice can leave by a segment list. Of several paths to the first segment, the
 * one that it will take is not known yet, so it has no trace if any port is an edge.
 */
static __rte_noinline enum fcn_notify_reach
reach_by_policy(struct fcn_worker *w, uint16_t in_port, const struct fcn_next_hop *nh)
{
	const struct fcn_encaps *e = &w->snap->srv6.encaps[nh->first_member];
	const struct fcn_next_hop *via = &w->snap->next_hop[e->via];
	enum fcn_notify_reach reach;

	if (via->type != FCN_NEXT_HOP_GROUP && !fcn_next_hop_is_forward(via)) {
		fcn_request_resolution(w, in_port, FCN_TABLE_MAIN, e->first);
		return FCN_NOTIFY_REACH_NONE;
	}
	reach = fcn_notice_reach_by(w, nh->port);
	return reach == FCN_NOTIFY_REACH_ALL && via->type == FCN_NEXT_HOP_GROUP &&
					       w->snap->ioam.any_edge
			       ? FCN_NOTIFY_REACH_NO_TRACE
			       : reach;
}

enum fcn_notify_reach
fcn_route_reach(struct fcn_worker *w, uint16_t in_port, unsigned int table, const uint8_t addr[16],
		const struct fcn_next_hop *nh)
{
	switch (nh->type) {
	case FCN_NEXT_HOP_FORWARD:
	case FCN_NEXT_HOP_FORWARD_TAGGED:
		return fcn_notice_reach_by(w, nh->port);
	case FCN_NEXT_HOP_ENCAPS:
		return reach_by_policy(w, in_port, nh);
	case FCN_NEXT_HOP_NO_NEIGHBOUR:
	case FCN_NEXT_HOP_CONNECTED:
		fcn_request_resolution(w, in_port, table, addr);
		return FCN_NOTIFY_REACH_NONE;
	default:
		return FCN_NOTIFY_REACH_NONE;
	}
}

/* Tell whether a notice over IPv4 cannot leave by a next hop, as it has no address to come from:
 * the interface has none, or it is not known yet by which one it leaves, behind a policy. */
static bool
lacks_source4(const struct fcn_snapshot *s, const struct fcn_next_hop *nh)
{
	return nh->type == FCN_NEXT_HOP_ENCAPS ||
	       (fcn_next_hop_is_forward(nh) &&
			       fcn_ip4_is_unspecified(s->notify.common.source4[nh->interface]));
}

/* Look up an IPv4 address in a route table and the neighbour table. */
static __rte_noinline uint32_t
look_up4(struct fcn_worker *w, unsigned int number, const uint8_t mapped[16])
{
	const struct fcn_snapshot_table *table = &w->snap->table[number];
	const uint32_t key = fcn_get_be32(mapped + 12);
	uint8_t addr[16] = {0};
	uint32_t index;
	uint64_t nh;

	memcpy(addr, mapped + 12, 4);
	fcn_fib4_lookup(table->fib, &key, &nh, 1);
	index = fcn_route_host(w->snap, table->first + (uint32_t)nh, 4, addr);
	/* The fast path forwards to whatever IPv4 address it finds. */
	if (likely(number == FCN_TABLE_MAIN && fcn_is_host4(key)))
		fcn_route_remember4(w, addr, index);
	return index;
}

/* Get the address of an IPv4 sender, given where that of an IPv6 sender would stand. */
static inline const uint8_t *
sender4_of(const struct fcn_notice_route *route)
{
	return route->sender - offsetof(struct rte_ipv6_hdr, src_addr) +
	       offsetof(struct rte_ipv4_hdr, src_addr);
}

/* The same for an IPv6 address. */
static __rte_noinline uint32_t
look_up6(struct fcn_worker *w, unsigned int number, const uint8_t sender[16])
{
	const struct fcn_snapshot_table *table = &w->snap->table[number];
	uint8_t addr[1][16];
	uint32_t index;
	uint64_t nh;

	memcpy(addr[0], sender, sizeof(addr[0]));
	fcn_fib6_lookup(table->fib, addr, &nh, 1);
	index = fcn_route_host(w->snap, table->first + (uint32_t)nh, 6, addr[0]);
	if (likely(number == FCN_TABLE_MAIN))
		fcn_route_remember(w, addr[0], index);
	return index;
}

uint32_t
fcn_route_choose(struct fcn_worker *w, const struct fcn_own_packet *packet, uint32_t index)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_next_hop *nh = &s->next_hop[index];
	const struct fcn_steering *rule;

	if (nh->type == FCN_NEXT_HOP_SELECT) {
		index = fcn_steer(w, nh, packet->table, packet->in_port, &packet->key, 0, &rule);
		nh = &s->next_hop[index];
	}
	return nh->type == FCN_NEXT_HOP_GROUP ? fcn_route_member(s, nh, packet->hash) : index;
}

/* Choose the next hop of a notice by steering rules, or among paths of equal cost. The flow hash is
 * that of the addresses of the loopback and the target. */
static __rte_noinline uint32_t
choose(const struct fcn_notice_route *route, unsigned int table, const uint8_t to[16])
{
	const struct fcn_snapshot *s = route->w->snap;
	const bool mapped = fcn_addr_is_mapped(to);
	const struct fcn_own_packet packet = {
			.key = {.port = FCN_PORT_NONE,
					.dscp = route->is_arn ? s->arn.dscp : s->notify.common.dscp,
					.is_roce = !route->is_arn &&
						   s->notify.kind[route->kind].kind->is_roce,
					.version = mapped ? 4 : 6,
					.dst = mapped ? to + 12 : to},
			.hash = fcn_route_hash6(&route->w->hash_key, s->notify.common.source, to,
					fcn_route_ports(route->p->info.src_port,
							FCN_ROCE_UDP_PORT)),
			.table = (uint16_t)table,
			.in_port = route->p->in_port};

	return fcn_route_choose(route->w, &packet, route->next_hop);
}

/* Check whether the switch is both the congested node and the proxy, and takes a notice itself. */
static bool
takes_itself(const struct fcn_snapshot *s, const struct fcn_notice_route *route,
		const struct fcn_next_hop *nh)
{
	return nh->type == FCN_NEXT_HOP_LOCAL && nh->local == FCN_LOCAL_HOST && s->proxy.receive &&
	       !route->is_arn && s->notify.kind[route->kind].kind->to_proxy;
}

/*
 * Check whether a SID of the switch takes a notice out of its tunnel, and passes it on to the
 * sender: the switch is both the congested node and the headend. By which port the notice leaves
 * afterwards is not followed further than to see that it can, so it has no trace if any is an edge.
 */
static __rte_noinline enum fcn_notify_reach
reach_by_sid(const struct fcn_notice_route *route, const struct fcn_next_hop *nh)
{
	struct fcn_worker *w = route->w;
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_srv6_sid *sid = &s->srv6.sid[nh->first_member];
	const struct fcn_next_hop *to;

	if (!(sid->inner & FCN_SRV6_INNER_IPV6))
		return FCN_NOTIFY_REACH_NONE;
	if (sid->behavior == FCN_SRV6_END_CON) {
		if (!fcn_endcon_is_p_node(s, s->notify.common.source))
			return FCN_NOTIFY_REACH_NONE;
		to = &s->next_hop[look_up6(w, sid->table, route->sender)];
		if (to->type != FCN_NEXT_HOP_GROUP && to->type != FCN_NEXT_HOP_SELECT &&
				fcn_route_reach(w, route->p->in_port, sid->table, route->sender,
						to) == FCN_NOTIFY_REACH_NONE)
			return FCN_NOTIFY_REACH_NONE;
	}
	return s->ioam.any_edge ? FCN_NOTIFY_REACH_NO_TRACE : FCN_NOTIFY_REACH_ALL;
}

enum fcn_notify_reach
fcn_notice_find_route(
		struct fcn_notice_route *route, const uint8_t to[16], struct fcn_notify_way *way)
{
	struct fcn_worker *w = route->w;
	const struct fcn_packet *p = route->p;
	const struct fcn_next_hop *nh;
	unsigned int table;
	const bool is_sender = to == route->sender;
	const bool is_sender4 = is_sender && !route->is_arn && p->info.flags & FCN_PKT_INNER_IPV4;
	const bool is_ip4 = is_sender4 || (!is_sender && fcn_addr_is_mapped(to));
	uint8_t mapped[16];
	uint64_t key[2];

	/* In a bridge, a notice to the sender goes back to it. */
	if (p->flags & FCN_PACKET_BRIDGED && is_sender) {
		route->next_hop = FCN_NOTICE_BY_BRIDGE;
		way->port = p->in_port;
		way->head = RTE_ETHER_HDR_LEN +
			    (p->vlan != w->snap->port[p->in_port].pvid ? RTE_VLAN_HLEN : 0);
		return fcn_notice_reach_by(w, p->in_port);
	}
	fcn_dest_cache_begin(&w->dest_cache, w->snap->generation);
	/* The sender is in the table of its packet; other receivers, as END.CON, are in main. */
	table = is_sender ? fcn_route_table(w->snap, p) : FCN_TABLE_MAIN;
	if (unlikely(is_sender4)) {
		fcn_addr_map(sender4_of(route), mapped);
		to = mapped;
	}
	if (unlikely(is_ip4))
		fcn_dest_cache_key4(to + 12, key);
	else
		memcpy(key, to, sizeof(key));
	if (unlikely(table != FCN_TABLE_MAIN ||
			    !fcn_dest_cache_find_key(&w->dest_cache, key, &route->next_hop)))
		route->next_hop = is_ip4 ? look_up4(w, table, to) : look_up6(w, table, to);
	nh = &w->snap->next_hop[route->next_hop];
	if (unlikely(nh->type == FCN_NEXT_HOP_SELECT || nh->type == FCN_NEXT_HOP_GROUP)) {
		route->next_hop = choose(route, table, to);
		nh = &w->snap->next_hop[route->next_hop];
	}
	if (unlikely(is_ip4) && !is_sender4 && lacks_source4(w->snap, nh))
		return FCN_NOTIFY_REACH_NONE;
	*way = fcn_notice_way(w->snap, nh,
			!route->is_arn && w->snap->notify.kind[route->kind].kind->is_roce);
	if (likely(fcn_next_hop_is_forward(nh)))
		return fcn_notice_reach_by(w, nh->port);
	if (nh->type == FCN_NEXT_HOP_LOCAL && nh->local == FCN_LOCAL_SRV6 && !is_sender)
		return reach_by_sid(route, nh);
	if (takes_itself(w->snap, route, nh))
		return FCN_NOTIFY_REACH_ALL;
	return fcn_route_reach(w, p->in_port, table, to, nh);
}

bool
fcn_notice_finder_enter(struct fcn_notice_finder *f, uint16_t in_port)
{
	/* What a local behaviour has changed may be in any table. */
	const bool is_main = !(f->flags & (FCN_PACKET_BRIDGED | FCN_PACKET_REROUTE)) &&
			     f->w->snap->port[in_port].table == FCN_TABLE_MAIN;

	f->in_port = is_main ? in_port : UINT32_MAX;
	return is_main;
}

struct fcn_notify_found
fcn_notice_find_any(struct fcn_notice_finder *f, const struct fcn_packet *p,
		const struct fcn_notify_case *c)
{
	struct fcn_notice_route route = {
			.w = f->w,
			.p = p,
			.sender = fcn_notify_sender(c->data, c->info),
			.kind = f->kind,
	};
	struct fcn_notify_found found;

	found.reach = fcn_notice_find_route(&route, c->due.to, &found.way);
	found.next_hop = route.next_hop;
	found.framed = NULL;
	if (found.reach == FCN_NOTIFY_REACH_NONE || route.next_hop == FCN_NOTICE_BY_BRIDGE)
		return found;
	if (fcn_notice_is_framed(&f->hops[route.next_hop], f->framed_mtu))
		found.framed = &f->hops[route.next_hop];
	if (found.framed != NULL && found.reach == FCN_NOTIFY_REACH_ALL)
		fcn_port_set_add(&f->open, found.framed->port);
	return found;
}

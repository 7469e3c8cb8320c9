/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Check whether a notice can reach its target, before the notice is made. Used by the stages only.
 *
 * A notice to the sender of a bridged packet is sent by the ingress port of the packet. Any other
 * notice is routed to its target: to the sender by the table of its packet, to others by the main
 * table. The next hop is stored in the notice, so that the route is looked up only once.
 */

#ifndef NOTICE_ROUTE_H
#define NOTICE_ROUTE_H

#include "fcn_notify_limits.h"
#include "fcn_port_set.h"
#include "fcn_stages.h"
#include "steer.h"

/** Argument of fcn_notice_find_route(), and the next hop that was found. */
struct fcn_notice_route {
	struct fcn_worker *w;
	const struct fcn_packet *p; /**< the packet that met congestion */
	const uint8_t *sender;      /**< fcn_notify_sender() of it */
	bool is_arn;                /**< it is an Adaptive Routing Notification instead */
	uint8_t kind;               /**< enum fcn_notice_kind_number of the notice */
	/** index of the next hop, never of a group or steered prefix; or FCN_NOTICE_BY_BRIDGE */
	uint32_t next_hop;
};

/**
 * Tell whether a notice is framed: its kind puts the Ethernet header of its next hop in front while
 * it builds it, and its metadata is written when it is added, so that the stages `notice` and
 * `route` have nothing to do for it. Such a notice goes to a station behind a port, in whatever
 * form it is.
 *
 * @param framed_mtu of its kind
 */
static inline bool
fcn_notice_is_framed(const struct fcn_next_hop *nh, uint32_t framed_mtu)
{
	return nh->type == FCN_NEXT_HOP_FORWARD && nh->mtu >= framed_mtu;
}

/** Get the least MTU of a next hop with which notices of a kind are framed. */
static inline uint32_t
fcn_notice_framed_mtu(const struct fcn_notice_kind *kind)
{
	return kind->framed_max != 0 ? kind->framed_max : UINT32_MAX;
}

/**
 * Check whether, and in which form, what tells a sender about congestion can leave by a port. It
 * must not cross the border or leave by a closed port, and an IOAM trace must not leave its domain
 * (RFC 9486 section 4).
 */
static inline enum fcn_notify_reach
fcn_notice_reach_by(const struct fcn_worker *w, uint16_t port)
{
	const struct fcn_worker_port *wp = &w->port[port];

	if ((wp->egress == NULL && wp->cross_core == NULL) || w->snap->port[port].down ||
			w->snap->port[port].err_disabled ||
			fcn_port_set_has(&w->snap->border.ports, port))
		return FCN_NOTIFY_REACH_NONE;
	return likely(w->snap->port[port].ioam.edge == FCN_IOAM_EDGE_OFF)
			       ? FCN_NOTIFY_REACH_ALL
			       : FCN_NOTIFY_REACH_NO_TRACE;
}

/**
 * Check whether a notice about route->p can be sent to a target, and write route->next_hop.
 *
 * If only the MAC address of a neighbour is unknown, the host functions are requested to resolve it
 * for later notices. The rate of these requests is limited for each ingress port.
 *
 * @param to address of the target, network byte order: IPv6, or IPv4-mapped for a notice over IPv4,
 *           which needs an IPv4 address of the interface that it leaves by. If this is the pointer
 *           route->sender, it is the sender itself, which may be an IPv4 station, and a notice
 * about a bridged packet returns by the bridge
 * @param way written unless the result is FCN_NOTIFY_REACH_NONE: by which link it leaves
 */
enum fcn_notify_reach fcn_notice_find_route(
		struct fcn_notice_route *route, const uint8_t to[16], struct fcn_notify_way *way);

/**
 * Get the link by which a notice leaves that takes a next hop, and the length of the headers that
 * it gets. If the switch takes the notice itself, it is FCN_NOTIFY_NO_LINK.
 *
 * @param nh      no group and no steered prefix
 * @param is_roce the notice is RoCEv2
 */
static inline struct fcn_notify_way
fcn_notice_way(const struct fcn_snapshot *s, const struct fcn_next_hop *nh, bool is_roce)
{
	struct fcn_notify_way way = {.port = nh->port, .head = RTE_ETHER_HDR_LEN};

	if (likely(nh->type == FCN_NEXT_HOP_FORWARD))
		return way;
	if (nh->type == FCN_NEXT_HOP_FORWARD_TAGGED) {
		way.head += RTE_VLAN_HLEN;
	} else if (nh->type == FCN_NEXT_HOP_ENCAPS) {
		const struct fcn_encaps *e = &s->srv6.encaps[nh->first_member];

		way.head += is_roce ? e->roce.len : e->other.len;
	} else {
		way.port = FCN_NOTIFY_NO_LINK;
	}
	return way;
}

/**
 * Finds the routes of the notices about successive packets: those that are framed, and known
 * without a look-up in tables, at once, and any other by fcn_notice_find_route(). What belongs to a
 * port is kept, as the packets of a burst and their notices often have the same.
 */
struct fcn_notice_finder {
	struct fcn_worker *w;
	const struct fcn_next_hop *hops; /**< the table of next hops */
	/** ingress port of the packets before, which are looked up in the main table; or
	 * UINT32_MAX: none yet, or another table */
	uint32_t in_port;
	/** ports by which a framed notice is known to leave with its trace */
	struct fcn_port_set open;
	uint32_t framed_mtu; /**< fcn_notice_framed_mtu() of the kind */
	uint16_t flags;      /**< FCN_PACKET_* that all the packets have */
	uint8_t kind;        /**< enum fcn_notice_kind_number of the notices */
};

/**
 * Find the next hop to the sender of a packet of the main table, if the cache of destinations has
 * it.
 *
 * @param c its notice goes to the sender itself
 */
static __rte_always_inline bool
fcn_notice_know_sender(
		const struct fcn_worker *w, const struct fcn_notify_case *c, uint32_t *next_hop)
{
	uint64_t key[2];

	if (unlikely(c->info->flags & FCN_PKT_INNER_IPV4))
		fcn_dest_cache_key4(fcn_notify_sender4(c->data, c->info), key);
	else
		memcpy(key, c->due.to, sizeof(key));
	return fcn_dest_cache_find_key(&w->dest_cache, key, next_hop);
}

/** Begin to find routes of the notices of a kind about packets that all have the same flags. */
static inline void
fcn_notice_finder_begin(struct fcn_notice_finder *f, struct fcn_worker *w, unsigned int kind,
		uint16_t flags)
{
	fcn_dest_cache_begin(&w->dest_cache, w->snap->generation);
	f->w = w;
	f->hops = w->snap->next_hop;
	f->in_port = UINT32_MAX;
	f->open = (struct fcn_port_set){0};
	f->framed_mtu = fcn_notice_framed_mtu(w->snap->notify.kind[kind].kind);
	f->flags = flags;
	f->kind = (uint8_t)kind;
}

/* The parts of fcn_notice_find() that are not inline: another ingress port, of which it tells
 * whether its packets are looked up in the main table; and any packet. */
bool fcn_notice_finder_enter(struct fcn_notice_finder *f, uint16_t in_port);
struct fcn_notify_found fcn_notice_find_any(struct fcn_notice_finder *f, const struct fcn_packet *p,
		const struct fcn_notify_case *c);

/**
 * Find the route of the notice about a packet.
 *
 * @return next_hop is as in struct fcn_notice_route; `framed` is this next hop if the notice is
 *         framed, or NULL
 */
static __rte_always_inline struct fcn_notify_found
fcn_notice_find(struct fcn_notice_finder *f, const struct fcn_packet *p,
		const struct fcn_notify_case *c)
{
	const struct fcn_next_hop *nh;
	uint32_t next_hop;

	if (unlikely(c->sender_set == NULL ||
			    (p->in_port != f->in_port && !fcn_notice_finder_enter(f, p->in_port)) ||
			    !fcn_notice_know_sender(f->w, c, &next_hop)))
		return fcn_notice_find_any(f, p, c);
	nh = &f->hops[next_hop];
	if (unlikely(!fcn_notice_is_framed(nh, f->framed_mtu) ||
			    !fcn_port_set_has(&f->open, nh->port)))
		return fcn_notice_find_any(f, p, c);
	return (struct fcn_notify_found){
			.reach = FCN_NOTIFY_REACH_ALL,
			.way = {.port = nh->port, .head = RTE_ETHER_HDR_LEN},
			.next_hop = next_hop,
			.framed = nh,
	};
}

/**
 * Find the route of the notice about a single packet, as fcn_notice_find() does.
 *
 * @param kind enum fcn_notice_kind_number of the notice
 */
static __rte_always_inline struct fcn_notify_found
fcn_notice_find_one(struct fcn_worker *w, unsigned int kind, const struct fcn_packet *p,
		const struct fcn_notify_case *c)
{
	const struct fcn_snapshot *s = w->snap;
	struct fcn_notice_finder f;
	uint32_t next_hop;

	fcn_dest_cache_begin(&w->dest_cache, s->generation);
	/* What a local behaviour has changed may be in any table. */
	if (likely(c->sender_set != NULL &&
			    !(p->flags & (FCN_PACKET_BRIDGED | FCN_PACKET_REROUTE)) &&
			    s->port[p->in_port].table == FCN_TABLE_MAIN &&
			    fcn_notice_know_sender(w, c, &next_hop))) {
		const struct fcn_next_hop *nh = &s->next_hop[next_hop];

		if (likely(fcn_notice_is_framed(
					   nh, fcn_notice_framed_mtu(s->notify.kind[kind].kind)) &&
				    fcn_notice_reach_by(w, nh->port) == FCN_NOTIFY_REACH_ALL))
			return (struct fcn_notify_found){
					.reach = FCN_NOTIFY_REACH_ALL,
					.way = {.port = nh->port, .head = RTE_ETHER_HDR_LEN},
					.next_hop = next_hop,
					.framed = nh,
			};
	}
	fcn_notice_finder_begin(&f, w, kind, p->flags);
	return fcn_notice_find_any(&f, p, c);
}

/** A packet that the switch is to send, as far as its way depends on it. */
struct fcn_own_packet {
	struct fcn_steer_key key;
	uint32_t hash;    /**< its flow hash, see fcn_route_flow_hash() */
	uint16_t table;   /**< number of the route table */
	uint16_t in_port; /**< port for whose packets neighbours are requested */
};

/**
 * Follow the result of a route lookup through steering rules and equal-cost paths.
 *
 * @param index index of a next hop
 * @return index of a next hop of neither of these types; it may be the same
 */
uint32_t fcn_route_choose(
		struct fcn_worker *w, const struct fcn_own_packet *packet, uint32_t index);

/**
 * Check whether, and in which form, what tells somebody about congestion can be sent to a next hop
 * now. A neighbour that is unknown is requested, as with fcn_request_resolution().
 *
 * @param in_port port for whose packets it is requested
 * @param table   number of the route table of the address
 * @param addr    address whose next hop this is: IPv6, or IPv4-mapped
 * @param nh      no group and no steered prefix
 */
enum fcn_notify_reach fcn_route_reach(struct fcn_worker *w, uint16_t in_port, unsigned int table,
		const uint8_t addr[16], const struct fcn_next_hop *nh);

/**
 * Request the host functions to resolve the neighbour on the way to an address, as above, which is
 * looked up in a table, for packets that cannot wait for it. The rate of requests is limited for
 * each ingress port.
 */
void fcn_request_resolution(
		struct fcn_worker *w, uint16_t in_port, unsigned int table, const uint8_t addr[16]);

#endif /* NOTICE_ROUTE_H */

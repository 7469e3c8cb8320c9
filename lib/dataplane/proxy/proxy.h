/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The switch as a proxy network node: the way of Congestion Notification Messages from the local
 * behaviour `cnm` to what their senders are told
 * (draft-xiao-rtgwg-proxy-congestion-notification section 3). Used by the stages only.
 */

#ifndef PROXY_H
#define PROXY_H

#include <netinet/in.h>

#include "fcn_stages.h"

/** Messages, and orders to mark, that a worker may put on the rings to another before that one
 * takes them. */
#define FCN_PROXY_RING 255

/** Check whether a packet to an address of the switch is a message, well-formed or not. */
static inline bool
fcn_proxy_is_message(const struct fcn_proxy_conf *conf, const struct fcn_packet *p)
{
	return conf->receive && p->info.dst_port == conf->port && p->info.proto == IPPROTO_UDP &&
	       p->info.l4_off != 0 && !(p->info.flags & (FCN_PKT_TUNNEL | FCN_PKT_FRAGMENT)) &&
	       !(p->flags & FCN_PACKET_BRIDGED);
}

/* ---- routes to senders (proxy_route.c) ---- */

/**
 * Look up an address, as if there were no steering rules.
 *
 * @param version 4 or 6
 * @param addr    network byte order, 16 bytes of which IPv4 uses the first 4 and the others are 0
 * @return the result of the route lookup: a connected network rather than a host on it
 */
const struct fcn_next_hop *fcn_proxy_find_route(const struct fcn_worker *w, unsigned int table,
		uint8_t version, const uint8_t addr[16]);

/**
 * Check whether a CNP or Fast CNP can be sent to the sender of a flow now, not across the border of
 * the domain, and whether it may contain an IOAM trace. If only the MAC address of a neighbour is
 * unknown, the host functions are requested to resolve it.
 *
 * @param way result: by which link it leaves
 */
enum fcn_notify_reach fcn_proxy_reach(struct fcn_worker *w, const struct fcn_proxy_claim *claim,
		struct fcn_notify_way *way);

/** Whether the link of a sender can be paused. */
enum fcn_proxy_attachment {
	FCN_PROXY_LINK_OPEN,
	/** The port is down or at the border of the domain, or what is there is not known yet. */
	FCN_PROXY_LINK_CLOSED,
	FCN_PROXY_NOT_ATTACHED, /**< the sender is behind a gateway, or there is no route to it */
};

/**
 * Find the link of the sender of a flow: it is on a connected network, or it is a neighbour, found
 * or configured, to which its route leads. Steering rules do not matter, as they are about packets.
 *
 * @param port written with FCN_PROXY_LINK_OPEN
 */
enum fcn_proxy_attachment fcn_proxy_find_link(
		struct fcn_worker *w, const struct fcn_proxy_claim *claim, uint16_t *port);

/** Write an address of a flow as IPv6, or IPv4-mapped. */
void fcn_proxy_map_address(
		const struct fcn_flow_descriptor *flow, const uint8_t *addr, uint8_t out[16]);

/* ---- messages (proxy_send.c) ---- */

/** Hand a message to the worker that owns its flow, which may be this one. */
void fcn_proxy_hand_over(struct fcn_worker *w, const struct fcn_proxy_claim *claim);

/** Check whether messages, or orders of other workers, wait for this worker. */
bool fcn_proxy_is_pending(const struct fcn_worker *w);

/** Discard the messages that wait for this worker, which count as lost, and the orders. */
void fcn_proxy_discard(struct fcn_worker *w);

/**
 * Process messages and orders that wait, a bounded number of them.
 *
 * @param b written: Fast CNPs and CNPs, for the stage `route`
 */
void fcn_proxy_process(struct fcn_worker *w, struct fcn_burst *b);

/* ---- pauses (proxy_pause.c) ---- */

/** Have the link partner of a port pause a class at least until a time. */
void fcn_proxy_pause(struct fcn_worker *w, uint16_t port, unsigned int class, uint64_t until_ns);

/** Check whether this worker has a class of the link partner of a port paused. */
static inline bool
fcn_proxy_pauses(const struct fcn_worker *w, uint16_t port, unsigned int class)
{
	return w->proxy.pause_until[port][class] != 0;
}

/** End the pauses whose time is over. The part that is not inline. */
void fcn_proxy_pause_end(struct fcn_worker *w);

/** End the pauses whose time is over. To be called once a turn. */
static inline void
fcn_proxy_pause_update(struct fcn_worker *w)
{
	if (unlikely(w->proxy.pause_next_ns <= w->now))
		fcn_proxy_pause_end(w);
}

/** Forget the pauses of a port, as another port has its number now. */
void fcn_proxy_forget_port(struct fcn_worker *w, uint16_t port);

/** Adapt to a new snapshot. */
void fcn_proxy_reconfigure(struct fcn_worker *w);

/* ---- marks (proxy_mark.c) ---- */

/**
 * Mark packets of a flow, from now on until a time. A higher level that runs already has precedence
 * until its own time is over. Nothing is done if its sender is not to be told by marks any more.
 *
 * @param flow with the level
 */
void fcn_proxy_mark_flow(
		struct fcn_worker *w, const struct fcn_flow_descriptor *flow, uint64_t until_ns);

/** Stop marking packets. */
void fcn_proxy_mark_none(struct fcn_worker *w);
/** Find the FCN_PROXY_MARK_WAYS elements of fcn_proxy_state.mark among which the flow of a packet
 * is. @return index of the first; FCN_PROXY_MARKS: the packet has no flow */
uint32_t fcn_proxy_mark_find(
		const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p);

#endif /* PROXY_H */

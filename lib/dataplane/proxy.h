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

/** Messages that a worker may put on the ring to another before that one takes them. */
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

/** What leads to an address. */
struct fcn_proxy_way {
	const struct fcn_next_hop *route; /**< result of the look-up in the route table */
	const struct fcn_next_hop *hop; /**< the same, or that of the host on a connected network */
};

/** Look up an address. @param version 4 or 6 @param addr network byte order, 16 bytes of which IPv4
 * uses the first 4 and the others are 0 */
struct fcn_proxy_way fcn_proxy_find_way(const struct fcn_worker *w, unsigned int table,
		uint8_t version, const uint8_t addr[16]);

/**
 * Check whether packets can be sent by a way now, not across the border of the domain, and whether
 * they may contain an IOAM trace. If only the MAC address of the sender is unknown, the host
 * functions are requested to resolve it.
 */
enum fcn_notify_reach fcn_proxy_reach(struct fcn_worker *w, const struct fcn_proxy_claim *claim,
		const struct fcn_proxy_way *way);

/** Write an address of a flow as IPv6, or IPv4-mapped. */
void fcn_proxy_map_address(
		const struct fcn_flow_descriptor *flow, const uint8_t *addr, uint8_t out[16]);

/* ---- messages (proxy_send.c) ---- */

/** Hand a message to the worker that owns its flow, which may be this one. */
void fcn_proxy_hand_over(struct fcn_worker *w, const struct fcn_proxy_claim *claim);

/** Check whether messages, or orders of other workers, wait for this worker. */
bool fcn_proxy_is_pending(const struct fcn_worker *w);

/** Discard the messages that wait for this worker, which count as lost, and orders of others. */
void fcn_proxy_discard(struct fcn_worker *w);

/**
 * Process messages that wait, a bounded number of them.
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

/** Mark packets of a flow, from now on until a time, or change the level and the time of one whose
 * packets are marked. */
void fcn_proxy_mark_flow(
		struct fcn_worker *w, const struct fcn_flow_descriptor *flow, uint64_t until_ns);

/** Stop marking packets. */
void fcn_proxy_mark_none(struct fcn_worker *w);

#endif /* PROXY_H */

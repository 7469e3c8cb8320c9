/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Checks of received packets before the route lookup: whether a packet may be forwarded, is for the
 * switch itself, or is to be dropped. Used by the stages only.
 */

#ifndef ROUTE_CHECK_H
#define ROUTE_CHECK_H

#include "fcn_inet.h"
#include "fcn_local.h"
#include "fcn_snapshot.h"
#include "fcn_stages.h"

/** Check whether an IPv6 address is ::1 or :: (RFC 4291 sections 2.5.2 and 2.5.3). */
static inline bool
fcn_is_loopback_or_unspecified6(const uint8_t *addr)
{
	static const uint8_t zero[15];

	return addr[15] <= 1 && memcmp(addr, zero, sizeof(zero)) == 0;
}

/** Scope in which a packet may be forwarded, by its addresses. */
enum fcn_reach {
	FCN_REACH_ANY,     /**< it may be forwarded */
	FCN_REACH_NOWHERE, /**< no packet may carry such addresses */
	FCN_REACH_GROUP,   /**< it is addressed to a group, and is not routed */
	FCN_REACH_LINK,    /**< it is for hosts of one link only */
};

/** Determine how far packets from or to an IPv6 address may go (RFC 4291 sections 2.5 and 2.7). */
static inline enum fcn_reach
fcn_reach_of6(const uint8_t *addr)
{
	if (addr[0] == 0xff)
		return FCN_REACH_GROUP;
	if (fcn_is_loopback_or_unspecified6(addr))
		return FCN_REACH_NOWHERE;
	return fcn_ip6_is_link_local(addr) ? FCN_REACH_LINK : FCN_REACH_ANY;
}

/**
 * Determine how far packets from or to an IPv4 address may go (RFC 1812 section 5.3.7, RFC 3927
 * section 2.7).
 *
 * @param addr host byte order
 */
static inline enum fcn_reach
fcn_reach_of4(uint32_t addr)
{
	if (addr >> 28 >= 14)
		return FCN_REACH_GROUP;
	if (addr >> 24 == 127 || addr >> 24 == 0)
		return FCN_REACH_NOWHERE;
	return addr >> 16 == 0xa9fe ? FCN_REACH_LINK : FCN_REACH_ANY;
}

/** Determine how far a packet may go by its two addresses. No packet is from a group. */
static inline enum fcn_reach
fcn_reach_between(enum fcn_reach src, enum fcn_reach dst)
{
	if (src == FCN_REACH_GROUP || src == FCN_REACH_NOWHERE)
		return FCN_REACH_NOWHERE;
	return src == FCN_REACH_LINK && dst == FCN_REACH_ANY ? src : dst;
}

/** Check whether an IPv4 address is that of a host that packets may be forwarded from and to. */
static inline bool
fcn_is_host4(uint32_t addr)
{
	return fcn_reach_of4(addr) == FCN_REACH_ANY;
}

/** Determine how far an IPv6 or IPv4 packet may go by its outermost header. */
static inline enum fcn_reach
fcn_reach_of(const struct fcn_wire_info *info, const uint8_t *data)
{
	const uint8_t *l3 = data + info->l3_off;
	const struct rte_ipv4_hdr *ip4;

	if (likely(info->flags & FCN_PKT_IPV6)) {
		const struct rte_ipv6_hdr *ip = (const struct rte_ipv6_hdr *)l3;

		return fcn_reach_between(fcn_reach_of6((const uint8_t *)&ip->src_addr),
				fcn_reach_of6((const uint8_t *)&ip->dst_addr));
	}
	ip4 = (const struct rte_ipv4_hdr *)l3;
	return fcn_reach_between(fcn_reach_of4(rte_be_to_cpu_32(ip4->src_addr)),
			fcn_reach_of4(rte_be_to_cpu_32(ip4->dst_addr)));
}

/** Check whether no IPv6 or IPv4 packet may carry the source of this one. */
static inline bool
fcn_route_is_from_nowhere(const struct fcn_wire_info *info, const uint8_t *data)
{
	const uint8_t *l3 = data + info->l3_off;
	const enum fcn_reach reach =
			info->flags & FCN_PKT_IPV6
					? fcn_reach_of6(l3 +
							  offsetof(struct rte_ipv6_hdr, src_addr))
					: fcn_reach_of4(rte_be_to_cpu_32(
							  ((const struct rte_ipv4_hdr *)l3)
									  ->src_addr));

	return reach == FCN_REACH_GROUP || reach == FCN_REACH_NOWHERE;
}

/** Check whether a packet is IPv6 or IPv4. */
static inline bool
fcn_is_ip(const struct fcn_wire_info *info)
{
	return (info->flags & (FCN_PKT_IPV6 | FCN_PKT_IPV4)) != 0;
}

/**
 * Check whether a packet received on a routed port may be forwarded, before its route is looked up.
 */
static inline bool
fcn_route_is_forwardable(
		const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;

	/* The stage sub_interface has removed the tag of packets for its interfaces. */
	return p->info.n_vlans == 0 &&
	       rte_is_same_ether_addr(&eth->dst_addr, &s->port[p->in_port].mac) &&
	       !fcn_wire_error_is_fatal(p->info.error) && fcn_is_ip(&p->info) &&
	       fcn_reach_of(&p->info, data) == FCN_REACH_ANY;
}

/** Result of the check of a packet that may not be forwarded. */
struct fcn_route_verdict {
	/** enum fcn_drop_reason; of a local packet, the reason if it is not accepted */
	uint8_t drop;
	uint8_t local; /**< enum fcn_local */
	bool is_local; /**< it is for the switch: to be delivered */
};

/** Check a packet received on a routed port that is not forwardable. */
struct fcn_route_verdict fcn_route_check(
		const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data);

/**
 * Check a packet whose frame is addressed to a group, or is neither IPv6 nor IPv4: whether the
 * switch is one of its receivers. Such a packet is never forwarded.
 */
struct fcn_route_verdict fcn_route_check_group(
		const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data);

/**
 * Check the IP header alone: its defects, and its addresses (RFC 4291 sections 2.5 and 2.7, RFC
 * 1812 section 5.3.7).
 *
 * @return FCN_DROP_NONE: it may be forwarded
 */
enum fcn_drop_reason fcn_route_check_ip(const struct fcn_wire_info *info, const uint8_t *data);

/**
 * Mark packet i for delivery by the local stage.
 *
 * @param unwanted drop reason for the case that the packet is not accepted
 */
static inline void
fcn_local_mark(struct fcn_burst *b, unsigned int i, uint8_t behaviour,
		enum fcn_drop_reason unwanted)
{
	struct fcn_packet *p = &b->pkt[i];

	p->flags |= FCN_PACKET_LOCAL;
	p->local = behaviour;
	p->unwanted = unwanted;
	b->n_local++;
}

/** Mark packet i for delivery, or drop it, according to the result of the check. */
static inline void
fcn_route_stop(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		struct fcn_route_verdict verdict)
{
	if (verdict.is_local)
		fcn_local_mark(b, i, verdict.local, verdict.drop);
	else
		fcn_drop(w, b, i, verdict.drop);
}

#endif /* ROUTE_CHECK_H */

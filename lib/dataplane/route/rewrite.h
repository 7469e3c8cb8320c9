/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Rewriting of packets that are routed. Used by the stage `route` only.
 */

#ifndef REWRITE_H
#define REWRITE_H

#include "fcn_stages.h"

/*
 * Decrease the TTL by one (RFC 1812 section 5.3.1) and update the header checksum: one less in the
 * upper octet of a word adds 0x0100 to the checksum (RFC 1141). A checksum of 0xFFFF is written as
 * 0 (RFC 1624 section 3).
 */
static inline void
fcn_rewrite_ttl(struct rte_ipv4_hdr *ip)
{
	/* The sum is the same in either byte order (RFC 1071 section 2). */
	uint32_t sum = (uint32_t)ip->hdr_checksum + RTE_BE16(0x0100);

	ip->time_to_live--;
	ip->hdr_checksum = (uint16_t)(sum + (sum >= 0xFFFF));
}

/** Decrease the hop limit or TTL, which must be above 1, by one (RFC 8200 section 3). */
static inline void
fcn_rewrite_hop_limit(uint8_t *ip, struct fcn_packet *p)
{
	if (likely(p->info.flags & FCN_PKT_IPV6))
		((struct rte_ipv6_hdr *)ip)->hop_limits--;
	else
		fcn_rewrite_ttl((struct rte_ipv4_hdr *)ip);
	p->info.ttl--;
}

/** The part of fcn_rewrite() that is not inline: it takes any packet and next hop. */
bool fcn_rewrite_any(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh);

/**
 * Remove the octets after the IP packet, and replace everything in front of it by the Ethernet
 * header of the next hop, with an 802.1Q tag if that is a sub-interface.
 *
 * @return false when the mbuf has no headroom for it
 */
static inline bool
fcn_rewrite(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);

	if (unlikely(nh->type != FCN_NEXT_HOP_FORWARD || p->info.l3_off != sizeof(*eth) ||
			    m->pkt_len > sizeof(*eth) + p->info.ip_len))
		return fcn_rewrite_any(m, p, nh);
	/* the EtherType remains */
	memcpy(eth, &nh->l2, 2 * RTE_ETHER_ADDR_LEN);
	return true;
}

/** Rewrite a packet with FCN_PACKET_CHECKED and no padding: MAC addresses and hop limit. */
static inline void
fcn_rewrite_usual(uint8_t *data, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	fcn_rewrite_hop_limit(data + RTE_ETHER_HDR_LEN, p);
	memcpy(data, &nh->l2, 2 * RTE_ETHER_ADDR_LEN);
	p->out_port = nh->port;
}

/** Prepend the Ethernet header to a notice over IPv6. Its buffer is new and therefore has headroom.
 */
static inline void
fcn_rewrite_notice(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	memcpy(rte_pktmbuf_prepend(m, sizeof(nh->l2)), &nh->l2, sizeof(nh->l2));
	p->info.l3_off = sizeof(nh->l2);
	p->out_port = nh->port;
}

#endif /* REWRITE_H */

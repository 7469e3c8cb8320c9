/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What changes in a packet that is routed; for the route stage alone.
 */

#ifndef REWRITE_H
#define REWRITE_H

#include "fcn_stages.h"

/*
 * RFC 1141: one less in the upper octet of a word adds 0x0100 to the checksum.
 * A sum of 0xFFFF is 0 (RFC 1624 section 3).
 */
static inline void
fcn_rewrite_ttl(struct rte_ipv4_hdr *ip)
{
	uint32_t sum = rte_be_to_cpu_16(ip->hdr_checksum) + 0x0100u;

	ip->time_to_live--;
	ip->hdr_checksum = rte_cpu_to_be_16(sum + (sum >= 0xFFFF));
}

/** One less, which leaves at least 1. */
static inline void
fcn_rewrite_hop_limit(struct rte_mbuf *m, struct fcn_packet *p)
{
	uint8_t *ip = rte_pktmbuf_mtod_offset(m, uint8_t *, p->info.l3_off);

	if (likely(p->info.flags & FCN_PKT_IPV6))
		((struct rte_ipv6_hdr *)ip)->hop_limits--;
	else
		fcn_rewrite_ttl((struct rte_ipv4_hdr *)ip);
	p->info.ttl--;
}

/** fcn_rewrite() of any packet. */
bool fcn_rewrite_any(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh);

/**
 * Cut off what stands behind the IP packet, and put the next hop's Ethernet header, with a tag if
 * it is of a sub-interface, in front of it in place of what stands there.
 *
 * @return false: no room for it
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

/** A packet with FCN_PACKET_FAST_ROUTE, without padding: MAC addresses and hop limit. */
static inline void
fcn_rewrite_fast(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);

	((struct rte_ipv6_hdr *)(data + RTE_ETHER_HDR_LEN))->hop_limits = --p->info.ttl;
	memcpy(data, &nh->l2, 2 * RTE_ETHER_ADDR_LEN);
	p->out_port = nh->port;
}

/**
 * A packet with FCN_PACKET_FAST_ROUTE that leaves by a sub-interface.
 *
 * @return false: there is more to it, and nothing was changed
 */
bool fcn_rewrite_fast_tagged(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_next_hop *nh);

/** A notice, which has no Ethernet header yet: a fresh buffer has room for one. */
static inline void
fcn_rewrite_notice(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	memcpy(rte_pktmbuf_prepend(m, sizeof(nh->l2)), &nh->l2, sizeof(nh->l2));
	p->info.l3_off = sizeof(nh->l2);
	p->out_port = nh->port;
}

#endif /* REWRITE_H */

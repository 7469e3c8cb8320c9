/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Rewriting of routed packets: remove padding, replace the Ethernet header. */

#include "rewrite.h"

/* Length of an Ethernet header with a tag. */
#define TAGGED_LEN (RTE_ETHER_HDR_LEN + sizeof(struct rte_vlan_hdr))

/* Write the Ethernet header and tag of a packet that leaves by a sub-interface. */
static inline void
write_tagged(uint8_t *data, struct fcn_packet *p, const struct fcn_next_hop *nh,
		rte_be16_t ether_type)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)data;
	struct rte_vlan_hdr *tag = (struct rte_vlan_hdr *)(eth + 1);

	*eth = nh->l2;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_VLAN);
	p->info.n_vlans = 1;
	p->info.vlan_tci = fcn_vlan_tci(p->class, nh->vlan);
	tag->vlan_tci = rte_cpu_to_be_16(p->info.vlan_tci);
	tag->eth_proto = ether_type;
}

/* Replace everything in front of the IP header by the Ethernet header of the next hop. */
static bool
rewrite_l2(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	const bool tagged = nh->type == FCN_NEXT_HOP_FORWARD_TAGGED;
	const int len = tagged ? TAGGED_LEN : (int)sizeof(nh->l2);
	const rte_be16_t ether_type = p->info.flags & FCN_PKT_IPV6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6)
								   : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	int shift = len - p->info.l3_off;
	struct rte_ether_hdr *eth;

	if (unlikely(shift > 0)) {
		if (rte_pktmbuf_prepend(m, shift) == NULL)
			return false;
	} else if (unlikely(shift < 0)) {
		rte_pktmbuf_adj(m, -shift);
	}
	if (unlikely(shift != 0)) {
		fcn_wire_info_shift(&p->info, shift);
		p->info.l3_off = len; /* a notice has no header in front yet */
		p->info.n_vlans = 0;
	}
	eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	if (tagged) {
		write_tagged((uint8_t *)eth, p, nh, ether_type);
	} else {
		*eth = nh->l2;
		eth->ether_type = ether_type;
	}
	return true;
}

/* Shorten a chained packet; segments behind the new end are freed. */
static void
trim_chain(struct rte_mbuf *m, uint32_t len)
{
	struct rte_mbuf *last = m;
	uint32_t left = len;
	uint16_t segs = 1;

	for (; left > last->data_len; segs++) {
		left -= last->data_len;
		last = last->next;
	}
	rte_pktmbuf_free(last->next);
	last->next = NULL;
	last->data_len = left;
	m->nb_segs = segs;
	m->pkt_len = len;
}

/* Remove the octets behind the IP packet (Ethernet padding). */
static void
trim(struct rte_mbuf *m, const struct fcn_wire_info *info)
{
	uint32_t len = (uint32_t)info->l3_off + info->ip_len;

	if (likely(m->pkt_len <= len))
		return;
	if (likely(m->nb_segs == 1))
		rte_pktmbuf_trim(m, m->pkt_len - len);
	else
		trim_chain(m, len);
}

bool
fcn_rewrite_any(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_next_hop *nh)
{
	trim(m, &p->info);
	return rewrite_l2(m, p, nh);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The stage `trust`: packets of untrusted ports get out of the protected classes, whatever class
 * their hosts request.
 */

#include "fcn_ipv4_tos.h"
#include "fcn_stages.h"

#define PCP_SHIFT 13
#define VLAN_AND_DEI 0x1FFF

/* Set the class of a packet as fcn_stage_classify() does. */
static void
set_class(struct fcn_packet *p, uint8_t class, uint8_t lossless)
{
	p->class = class;
	p->flags &= ~FCN_PACKET_LOSSLESS;
	if (lossless >> class & 1)
		p->flags |= FCN_PACKET_LOSSLESS;
}

/* Write the PCP of the outermost VLAN tag (IEEE 802.1Q section 9.6). */
static bool
write_pcp(struct rte_mbuf *m, struct fcn_packet *p)
{
	struct rte_vlan_hdr *tag;
	uint16_t tci = (uint16_t)(p->class << PCP_SHIFT | (p->info.vlan_tci & VLAN_AND_DEI));

	if (p->info.n_vlans == 0 || tci == p->info.vlan_tci)
		return false;
	tag = rte_pktmbuf_mtod_offset(m, struct rte_vlan_hdr *, RTE_ETHER_HDR_LEN);
	tag->vlan_tci = rte_cpu_to_be_16(tci);
	p->info.vlan_tci = tci;
	return true;
}

/*
 * Write the DSCP of the outermost IP header (RFC 2474 section 3); the ECN field stays. Neither the
 * UDP checksum nor the ICRC of RoCEv2 covers the traffic class.
 */
static bool
write_dscp(struct rte_mbuf *m, struct fcn_packet *p, uint8_t dscp)
{
	uint8_t tclass = (uint8_t)(dscp << 2 | (p->info.tclass & 0x3));
	uint8_t *ip = rte_pktmbuf_mtod_offset(m, uint8_t *, p->info.l3_off);

	if (!(p->info.flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)) || tclass == p->info.tclass)
		return false;
	if (p->info.flags & FCN_PKT_IPV6) {
		ip[0] = (uint8_t)((ip[0] & 0xF0) | tclass >> 4);
		ip[1] = (uint8_t)((ip[1] & 0x0F) | tclass << 4);
	} else {
		fcn_ipv4_set_tos((struct rte_ipv4_hdr *)ip, tclass);
	}
	p->info.tclass = tclass;
	return true;
}

/* Write the class to the PCP, and the configured DSCP, of a packet. */
static void
remark(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_trust_conf *conf)
{
	bool pcp = write_pcp(m, p), dscp = write_dscp(m, p, conf->dscp);

	w->counters[p->in_port].remarked += pcp || dscp;
}

void
fcn_stage_trust(struct fcn_worker *w, struct fcn_burst *b)
{
	const uint8_t protected = w->snap->protected_classes;

	for (unsigned int i = 0; i < b->n; i++) {
		struct fcn_packet *p = &b->pkt[i];
		const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];
		const struct fcn_trust_conf *conf = &port->untrusted;
		bool moved;

		if (b->mbuf[i] == NULL || !conf->untrusted)
			continue;
		moved = protected >> p->class & 1;
		if (moved) {
			set_class(p, conf->class, port->lossless);
			w->counters[p->in_port].moved++;
		}
		if (conf->remark == FCN_REMARK_ALL || (conf->remark == FCN_REMARK_MOVED && moved))
			remark(w, b->mbuf[i], p, conf);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"

static uint8_t
class_of(const struct fcn_snapshot *s, const struct fcn_snapshot_port *port,
		const struct fcn_wire_info *info)
{
	bool ip = info->flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6);

	switch (port->trust) {
	case FCN_TRUST_DSCP:
		if (likely(ip))
			return s->class_map.dscp[info->tclass >> 2];
		return info->n_vlans > 0 ? s->class_map.pcp[info->vlan_tci >> 13] : 0;
	case FCN_TRUST_PCP:
		if (info->n_vlans > 0)
			return s->class_map.pcp[info->vlan_tci >> 13];
		return ip ? s->class_map.dscp[info->tclass >> 2] : 0;
	case FCN_TRUST_NONE:
		return 0;
	}
	return 0;
}

static void
count(struct fcn_port_counters *c, const struct fcn_wire_info *info)
{
	if (likely(info->flags & FCN_PKT_ROCE)) {
		c->roce_packets++;
		if (likely(info->error == FCN_WIRE_OK))
			return;
	} else if (info->flags & FCN_PKT_ROCE_PORT)
		c->roce_malformed++;
	if (unlikely(info->flags & FCN_PKT_IOAM_INVALID))
		c->ioam_malformed++;
	if (unlikely(info->error != FCN_WIRE_OK))
		c->wire_error[info->error]++;
}

static void
classify(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint8_t flags,
		const struct fcn_snapshot_port *port, struct fcn_port_counters *c)
{
	const struct fcn_snapshot *s = w->snap;
	const struct rte_mbuf *m = b->mbuf[i];
	struct fcn_packet *p = &b->pkt[i];

	fcn_parse(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len, &s->codes,
			&p->info);
	p->out_port = FCN_PORT_NONE;
	p->vlan = 0;
	p->next_hop = 0;
	p->drop = FCN_DROP_NONE;
	p->verdict = FCN_NOTIFY_NONE;
	p->level = FCN_LEVEL_NONE;
	p->flags = flags;
	p->class = class_of(s, port, &p->info);
	count(c, &p->info);

	/* 4 octets of VLAN tag each are no part of what the MTU limits. */
	if (unlikely(p->info.error == FCN_WIRE_ETH_TRUNCATED))
		fcn_drop(w, b, i, FCN_DROP_ETH_TRUNCATED);
	else if (unlikely(m->pkt_len > port->mtu + (uint32_t)RTE_ETHER_HDR_LEN) &&
			unlikely(m->pkt_len > port->mtu + RTE_ETHER_HDR_LEN + 4u * p->info.n_vlans))
		fcn_drop(w, b, i, FCN_DROP_RX_OVERSIZE);
}

/* Packets of one port stand together in the burst: what is the port's is looked up once a run. */
void
fcn_stage_classify(struct fcn_worker *w, struct fcn_burst *b)
{
	for (unsigned int i = 0; i < b->n;) {
		uint16_t in = b->pkt[i].in_port;
		const struct fcn_snapshot_port *port = &w->snap->port[in];
		struct fcn_port_counters *c = &w->counters[in];
		uint8_t flags = port->mode == FCN_PORT_BRIDGED ? FCN_PACKET_BRIDGED : 0;

		for (; i < b->n && b->pkt[i].in_port == in; i++)
			classify(w, b, i, flags, port, c);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_ready.h"

#include "fcn_parse_ip4.h"
#include "fcn_parse_trace.h"

/*
 * Write what the parser finds in a frame of RoCEv2 that was recognised at receipt: directly behind
 * IPv6 or IPv4, or behind IPv6 with an IOAM trace.
 *
 * @return false if it is none of them
 */
static bool
read_headers(const struct rte_mbuf *m, struct fcn_wire_info *info)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct rte_ipv6_hdr *ip6 = (const struct rte_ipv6_hdr *)(data + RTE_ETHER_HDR_LEN);
	struct fcn_trace_layout layout = {.head = 0};

	if (((const struct rte_ether_hdr *)data)->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4))
		return fcn_parse_fast_ip4(data, m->data_len, m->pkt_len, info);
	if (likely(ip6->proto == IPPROTO_UDP)) {
		fcn_parse_fast_info(data, fcn_get_be64((const uint8_t *)ip6), info);
		return true;
	}
	return fcn_parse_trace(data, m->data_len, m->pkt_len, &layout, info);
}

void
fcn_ready_packet(
		const struct fcn_snapshot *s, const struct fcn_queue_entry *e, struct fcn_packet *p)
{
	const struct rte_mbuf *m = e->mbuf;
	const uint32_t where = fcn_ready_where(e);
	const uint16_t in_port = fcn_ready_in_port(e);
	const struct fcn_snapshot_port *port = &s->port[in_port];

	p->next_hop = 0;
	p->out_port = (uint16_t)(where >> 8);
	p->flags = 0;
	p->class = (uint8_t)where;
	p->trace = 0;
	p->vlan = 0;
	p->in_port = in_port;
	p->drop = FCN_DROP_NONE;
	p->level = FCN_LEVEL_NONE;
	memset(p->verdict, 0, sizeof(p->verdict));
	p->delay_off = 0;
	if (unlikely(e->flags & FCN_READY_NOTICE)) {
		p->info = (struct fcn_wire_info){0};
		p->flags = FCN_PACKET_NOTICE |
			   (uint16_t)(fcn_ready_notice_kind(e) << FCN_PACKET_KIND_SHIFT);
		return;
	}
	if (e->flags & FCN_READY_LOSSLESS)
		p->flags |= FCN_PACKET_LOSSLESS;
	if (e->flags & FCN_READY_ACCOUNTED)
		p->flags |= FCN_PACKET_ACCOUNTED;
	if (port->mode == FCN_PORT_BRIDGED) {
		p->flags |= FCN_PACKET_BRIDGED;
		p->vlan = port->pvid;
	}
	if (unlikely(!read_headers(m, &p->info)))
		fcn_parse_slow(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, m->pkt_len,
				&s->codes, &p->info);
}

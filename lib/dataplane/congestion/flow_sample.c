/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "flow_sample.h"

/* Write what tells the flow of a packet from others. */
static void
make_key(const uint8_t *data, const struct fcn_wire_info *info, struct fcn_flow_key *key)
{
	const uint8_t *ip = data + info->inner_l3_off;
	const struct rte_ether_hdr *ether = (const struct rte_ether_hdr *)data;

	*key = (struct fcn_flow_key){.form = FCN_FLOW_PORTS};
	if (info->l3_off == 0) {
		key->form = FCN_FLOW_LINK;
		key->ether_type = info->ether_type;
		memcpy(key->sender, &ether->src_addr, RTE_ETHER_ADDR_LEN);
		memcpy(key->receiver, &ether->dst_addr, RTE_ETHER_ADDR_LEN);
		return;
	}
	if (info->flags & FCN_PKT_INNER_IPV4) {
		fcn_addr_map(ip + offsetof(struct rte_ipv4_hdr, src_addr), key->sender);
		fcn_addr_map(ip + offsetof(struct rte_ipv4_hdr, dst_addr), key->receiver);
	} else {
		memcpy(key->sender, ip + offsetof(struct rte_ipv6_hdr, src_addr), 16);
		memcpy(key->receiver,
				info->final_dst_off != 0
						? data + info->final_dst_off
						: ip + offsetof(struct rte_ipv6_hdr, dst_addr),
				16);
	}
	if (info->flags & (FCN_PKT_ROCE | FCN_PKT_TRIMMED)) {
		key->form = FCN_FLOW_ROCE;
		key->dest_qp = info->dest_qp;
		return;
	}
	key->proto = info->proto;
	key->src_port = info->src_port;
	key->dst_port = info->dst_port;
}

/* Add a packet that was drawn. */
static void
add(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p, struct fcn_queue *q,
		const struct fcn_flow_arrival *arrival)
{
	struct fcn_flow_key key;

	make_key(rte_pktmbuf_mtod(m, const uint8_t *), &p->info, &key);
	fcn_top_flows_add(q->top_flows, &q->next_drawn, &key, arrival, &w->drawing, w->now);
}

static unsigned int
mark_of(const struct fcn_packet *p)
{
	return p->flags & FCN_PACKET_CE_MARKED ? FCN_FLOW_MARKED : 0;
}

__rte_noinline void
fcn_flow_sample_add(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_queue *q, bool refused)
{
	const struct fcn_flow_arrival arrival = {
			.end = q->stats.arrived_bytes,
			.packets = q->stats.arrived_packets,
			.len = m->pkt_len,
			.fate = refused ? FCN_FLOW_DROPPED : mark_of(p),
	};

	add(w, m, p, q, &arrival);
}

__rte_noinline void
fcn_flow_sample_add_run(struct fcn_worker *w, struct rte_mbuf *const *m, const struct fcn_packet *p,
		unsigned int n, const uint32_t *occupancy, struct fcn_queue *q)
{
	const uint64_t packets = q->stats.arrived_packets - n;
	/* The position of a byte is this and the occupancy with it. */
	const uint64_t base = q->stats.arrived_bytes - occupancy[n - 1];

	for (unsigned int i = 0; i < n; i++) {
		struct fcn_flow_arrival arrival;

		if (q->next_drawn >= base + occupancy[i])
			continue;
		arrival.end = base + occupancy[i];
		arrival.packets = packets + i + 1;
		arrival.len = m[i]->pkt_len;
		arrival.fate = mark_of(&p[i]);
		add(w, m[i], &p[i], q, &arrival);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"

/* Ethernet header of a notice caused in a bridge: back to where the data packet came from. */
static void
return_by_bridge(struct fcn_worker *w, struct fcn_packet *p, struct rte_mbuf *m,
		const struct fcn_notice *notice)
{
	const struct fcn_packet *cause = notice->cause;
	const struct fcn_snapshot_port *port = &w->snap->port[cause->in_port];
	const struct rte_ether_hdr *cause_eth = rte_pktmbuf_mtod(
			notice->cause_mbuf, const struct rte_ether_hdr *);
	bool tagged = cause->vlan != port->pvid;
	uint16_t len = RTE_ETHER_HDR_LEN + (tagged ? sizeof(struct rte_vlan_hdr) : 0);
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)rte_pktmbuf_prepend(m, len);

	/* A fresh buffer has headroom: it cannot fail. */
	eth->dst_addr = cause_eth->src_addr;
	eth->src_addr = port->mac;
	if (tagged) {
		struct rte_vlan_hdr *tag = (struct rte_vlan_hdr *)(eth + 1);

		eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_VLAN);
		tag->vlan_tci = rte_cpu_to_be_16(fcn_vlan_tci(p->class, cause->vlan));
		tag->eth_proto = RTE_BE16(RTE_ETHER_TYPE_IPV6);
		p->info.n_vlans = 1;
	} else {
		eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	}
	p->info.l3_off = len;
	p->info.inner_l3_off = len;
	p->flags |= FCN_PACKET_BRIDGED;
	p->vlan = cause->vlan;
	p->out_port = cause->in_port;
}

/* Apart, so that nothing of it is done when nobody listens. */
static __rte_noinline void
notice_event(struct fcn_worker *w, const struct fcn_notice *notice,
		const struct fcn_fastcnp_request *req)
{
	const struct fcn_packet *cause = notice->cause;
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_NOTICE,
			.class = cause->class,
			.level = cause->level,
			.verdict = cause->verdict,
			.port = cause->out_port,
			.in_port = cause->in_port,
			.occupancy = notice->occupancy,
			.dest_qp = req->dest_qp,
			.len = req->len,
	};

	memcpy(ev.sender, req->sender, sizeof(ev.sender));
	memcpy(ev.receiver, req->receiver, sizeof(ev.receiver));
	fcn_worker_event(w, &ev);
}

/* What is the same in all notices. Out of line: made once, not anew for each of them. */
static __rte_noinline struct fcn_packet
plain_notice(const struct fcn_notify_conf *conf)
{
	return (struct fcn_packet){
			.info =
					{
							.flags = FCN_PKT_IPV6,
							.ether_type = RTE_ETHER_TYPE_IPV6,
							.dst_port = FCN_ROCE_UDP_PORT,
							.opcode = FCN_BTH_OPCODE_CNP,
							.proto = IPPROTO_UDP,
							.tclass = conf->fastcnp.conf.dscp << 2,
							.ttl = conf->fastcnp.conf.hop_limit,
					},
			.out_port = FCN_PORT_NONE,
			.class = conf->class,
			.flags = FCN_PACKET_NOTICE,
			.level = FCN_LEVEL_NONE,
	};
}

/*
 * The notices are a burst of their own, which walks on from `route` like any
 * other. They cause no notices.
 */
void
fcn_stage_notice(struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_notify_conf *conf = &w->snap->notify;
	const bool noted = fcn_capture_wants_notes(&w->capture);
	struct fcn_packet plain;

	b->n = w->n_notices;
	b->n_traced = 0;
	if (likely(w->n_notices == 0))
		return;
	fcn_fastcnp_build_burst(&conf->fastcnp, w->notice_req, w->n_notices);
	w->notice_ledger.made += b->n;
	plain = plain_notice(conf);
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_notice *notice = &w->notice[i];
		const struct fcn_fastcnp_request *req = &w->notice_req[i];
		const struct fcn_packet *cause = notice->cause;
		struct fcn_packet *p = &b->pkt[i];

		b->mbuf[i] = notice->mbuf;
		notice->mbuf->data_len = req->len;
		notice->mbuf->pkt_len = req->len;
		*p = plain;
		p->info.ip_len = req->len;
		p->info.src_port = req->src_port;
		p->info.dest_qp = req->dest_qp;
		p->in_port = cause->out_port;
		p->next_hop = notice->next_hop;
		if (cause->flags & FCN_PACKET_BRIDGED)
			return_by_bridge(w, p, notice->mbuf, notice);
		w->counters[cause->out_port].generated++;
		if (unlikely(noted))
			fcn_capture_note_notice(notice->mbuf, cause->out_port, cause->class,
					cause->level, notice->occupancy);
		if (w->events != NULL)
			notice_event(w, notice, req);
		if (unlikely(cause->trace != 0)) {
			p->trace = fcn_trace_notice(w, cause->trace,
					rte_pktmbuf_mtod(notice->mbuf, const uint8_t *),
					notice->mbuf->pkt_len);
			b->n_traced += p->trace != 0;
		}
	}
	w->n_notices = 0;
}

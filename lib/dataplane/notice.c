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
notice_event(struct fcn_worker *w, const struct fcn_notice *notice)
{
	const struct fcn_packet *cause = notice->cause;
	const uint8_t *data = rte_pktmbuf_mtod(notice->cause_mbuf, const uint8_t *);
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_NOTICE,
			.class = cause->class,
			.kind = notice->kind,
			.level = cause->level,
			.verdict = notice->verdict,
			.port = cause->out_port,
			.in_port = cause->in_port,
			.occupancy = notice->occupancy,
			.dest_qp = cause->info.dest_qp,
			.len = notice->mbuf->pkt_len,
	};

	memcpy(ev.sender, fcn_notify_sender(data, &cause->info), sizeof(ev.sender));
	memcpy(ev.receiver, data + cause->info.final_dst_off, sizeof(ev.receiver));
	fcn_worker_event(w, &ev);
}

/* The notices of one kind, of those that there are. */
static void
build(struct fcn_worker *w, unsigned int kind, struct fcn_burst *b)
{
	const struct fcn_notices_conf *notices = &w->snap->notify;
	const struct fcn_notify_conf *conf = &notices->kind[kind];
	struct fcn_notice_requests *requests = &w->requests[kind];
	struct fcn_wire_info *info[FCN_NOTICE_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->n; i++) {
		if (w->notice[i].kind == kind)
			info[n++] = &b->pkt[i].info;
	}
	conf->kind->build(conf->own, &notices->common, requests->data, n, info);
	w->notice_ledger[kind].made += n;
	requests->n = 0;
}

/* What is known of a notice without its headers; info was written when it was built. */
static inline void
begin(const struct fcn_worker *w, const struct fcn_notice *notice, struct fcn_packet *p)
{
	const struct fcn_packet fresh = {
			.out_port = FCN_PORT_NONE,
			.class = w->snap->notify.common.class,
			.flags = FCN_PACKET_NOTICE | notice->kind << FCN_PACKET_KIND_SHIFT,
			.level = FCN_LEVEL_NONE,
			.in_port = notice->cause->out_port,
	};

	fcn_packet_begin(p, &fresh);
	p->next_hop = notice->next_hop;
	notice->mbuf->data_len = p->info.ip_len;
	notice->mbuf->pkt_len = p->info.ip_len;
}

/*
 * The notices are a burst of their own, which walks on from `route` like any
 * other. They cause no notices.
 */
void
fcn_stage_notice(struct fcn_worker *w, struct fcn_burst *b)
{
	const bool noted = fcn_capture_wants_notes(&w->capture);

	b->n = w->n_notices;
	b->n_traced = 0;
	if (likely(w->n_notices == 0))
		return;
	for (unsigned int k = 0; k < w->snap->notify.n_kinds; k++) {
		if (w->requests[k].n != 0)
			build(w, k, b);
	}
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_notice *notice = &w->notice[i];
		const struct fcn_packet *cause = notice->cause;
		struct fcn_packet *p = &b->pkt[i];

		b->mbuf[i] = notice->mbuf;
		begin(w, notice, p);
		if (w->events != NULL)
			notice_event(w, notice);
		if (cause->flags & FCN_PACKET_BRIDGED)
			return_by_bridge(w, p, notice->mbuf, notice);
		w->counters[cause->out_port].generated++;
		if (unlikely(noted))
			fcn_capture_note_notice(notice->mbuf, cause->out_port, cause->class,
					cause->level, notice->occupancy);
		if (unlikely(cause->trace != 0)) {
			p->trace = fcn_trace_notice(w, cause->trace,
					rte_pktmbuf_mtod(notice->mbuf, const uint8_t *),
					notice->mbuf->pkt_len);
			b->n_traced += p->trace != 0;
		}
	}
	w->n_notices = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "congestion.h"
#include "event_burst.h"
#include "fcn_stages.h"

/*
 * Write the Ethernet header of a notice about a bridged packet: it goes back to the source of the
 * packet.
 */
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

	/* A new buffer has headroom, so this cannot fail. */
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
	p->next_hop = 0;
	p->vlan = cause->vlan;
	p->out_port = cause->in_port;
}

/* Write the event of a notice, every member of it once. */
static inline void
write_event(struct fcn_event *ev, uint64_t now, const struct fcn_notice *notice,
		const struct fcn_notice_order *order)
{
	const struct fcn_packet *cause = notice->cause;

	ev->time_ns = now;
	ev->type = FCN_EVENT_NOTICE;
	ev->class = cause->class;
	ev->kind = notice->kind;
	ev->level = cause->level;
	ev->verdict = notice->verdict;
	ev->port = cause->out_port;
	ev->in_port = cause->in_port;
	ev->occupancy = notice->occupancy;
	ev->dest_qp = cause->info.dest_qp;
	ev->wait_ns = 0;
	ev->len = order->mbuf->pkt_len - (order->head != NULL ? RTE_ETHER_HDR_LEN : 0);
	fcn_notify_addresses(order->data, &cause->info, ev->sender, ev->receiver);
}

/* Push the events of all notices that were built. */
static __rte_noinline void
notice_events(struct fcn_worker *w)
{
	const struct fcn_notice *notice = w->notice;
	const struct fcn_notice_order *order = w->order;
	const uint64_t now = w->now;
	struct fcn_event_burst events;

	fcn_event_burst_begin(w, w->n_notices, &events);
	for (unsigned int i = 0; i < events.n; i++)
		write_event(fcn_event_burst_at(&events, i), now, &notice[i], &order[i]);
	fcn_event_burst_end(w, &events);
}

/* Let a kind that quotes packets build its notices. */
static __rte_noinline void
build_quoting(const struct fcn_worker *w, unsigned int kind, const struct fcn_notice_order *order)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_notify_conf *conf = &s->notify.kind[kind];
	struct fcn_notice_quote quote[FCN_NOTICE_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->n_notices; i++) {
		const struct fcn_notice *notice = &w->notice[i];
		const struct fcn_next_hop *nh =
				&s->next_hop[notice->next_hop == FCN_NOTICE_BY_BRIDGE
								? 0
								: notice->next_hop];

		if (notice->kind != kind)
			continue;
		quote[n++] = (struct fcn_notice_quote){
				.cause = notice->cause_mbuf,
				.source4 = nh->type == FCN_NEXT_HOP_LOCAL
							   ? NULL
							   : s->notify.common.source4
									     [nh->interface],
				/* One for a local SID is routed again, and next hop 0 is none. */
				.mtu = nh->mtu != 0 ? nh->mtu : UINT16_MAX,
				.level = (uint8_t)RTE_MAX(notice->cause->level, 0),
		};
	}
	conf->kind->build_quoting(conf->own, conf->common, order, quote, n);
}

/* Let a kind build its notices, and count them. */
static void
build(struct fcn_worker *w, unsigned int kind, const struct fcn_notice_order *order, unsigned int n)
{
	const struct fcn_notify_conf *conf = &w->snap->notify.kind[kind];

	if (likely(conf->kind->build != NULL))
		conf->kind->build(conf->own, conf->common, order, n);
	else
		build_quoting(w, kind, order);
	w->notice_accounting[kind].made += n;
}

/* Build the notices of one kind, where several kinds are on. */
static void
build_one_kind(struct fcn_worker *w, unsigned int kind)
{
	struct fcn_notice_order order[FCN_NOTICE_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->n_notices; i++) {
		if (w->notice[i].kind == kind)
			order[n++] = w->order[i];
	}
	if (n > 0)
		build(w, kind, order, n);
}

/* Build all notices. With one kind on, which is usual, the orders are in one piece already. */
static void
build_all(struct fcn_worker *w)
{
	unsigned int on = w->snap->notify.on;

	if (likely((on & (on - 1)) == 0)) {
		build(w, w->notice[0].kind, w->order, w->n_notices);
		return;
	}
	for (; on != 0; on &= on - 1)
		build_one_kind(w, __builtin_ctz(on));
}

/* Initialise the metadata of a notice that was just built; info has been set already. */
static inline void
begin(const struct fcn_notice *notice, const struct fcn_packet *fresh, struct fcn_packet *p)
{
	fcn_packet_begin(p, fresh);
	p->flags = FCN_PACKET_NOTICE | notice->kind << FCN_PACKET_KIND_SHIFT;
	p->in_port = notice->cause->out_port;
	p->next_hop = notice->next_hop;
}

/*
 * Build the notices into a burst of their own, which continues with the stage `route` like any
 * other, unless all of them are framed. Notices cause no notices.
 */
bool
fcn_stage_notice(struct fcn_worker *w, struct fcn_burst *b)
{
	const bool noted = fcn_capture_wants_notes(&w->capture);
	const unsigned int framed = w->n_framed;
	struct fcn_packet fresh;

	b->n = w->n_notices;
	b->n_traced = 0;
	if (likely(w->n_notices == 0))
		return false;
	build_all(w);
	if (w->events != NULL)
		notice_events(w);
	w->n_notices = 0;
	w->n_framed = 0;
	if (likely(framed == b->n && !noted))
		return false;
	fresh = fcn_congestion_fresh(w, FCN_PORT_NONE, 0);
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_notice *notice = &w->notice[i];
		const struct fcn_packet *cause = notice->cause;
		struct fcn_packet *p = &b->pkt[i];
		struct rte_mbuf *m = w->order[i].mbuf;

		if (unlikely(noted))
			fcn_capture_note_notice(m, cause->out_port, cause->class, cause->level,
					notice->occupancy);
		if (likely(w->order[i].head != NULL))
			continue;
		b->mbuf[i] = m;
		begin(notice, &fresh, p);
		if (notice->next_hop == FCN_NOTICE_BY_BRIDGE)
			return_by_bridge(w, p, m, notice);
		w->counters[cause->out_port].generated++;
		w->counters[cause->out_port].notices[notice->kind]++;
		if (unlikely(cause->trace != 0)) {
			p->trace = fcn_trace_notice(w, cause->trace,
					rte_pktmbuf_mtod(m, const uint8_t *), m->pkt_len);
			b->n_traced += p->trace != 0;
		}
	}
	return framed != b->n;
}

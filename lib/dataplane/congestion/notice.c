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
		const struct fcn_notice_order *o)
{
	const struct fcn_packet *cause = fcn_congestion_cause(o);
	const struct fcn_snapshot_port *port = &w->snap->port[cause->in_port];
	const struct rte_ether_hdr *cause_eth = (const struct rte_ether_hdr *)o->data;
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
		tag->eth_proto = rte_cpu_to_be_16(p->info.ether_type);
		p->info.n_vlans = 1;
	} else {
		eth->ether_type = rte_cpu_to_be_16(p->info.ether_type);
	}
	p->info.l3_off = len;
	p->info.inner_l3_off = len;
	p->flags |= FCN_PACKET_BRIDGED;
	p->next_hop = 0;
	p->vlan = cause->vlan;
	p->out_port = cause->in_port;
}

/* What the head of an event of a notice is made of. It is compared as words. */
struct head_parts {
	uint64_t out;   /* of the cause: out_port and class, and what stands beside them */
	uint64_t in;    /* in_port and level, likewise */
	uint16_t which; /* form and kind of the notice */
};

static inline struct head_parts
parts_of(const struct fcn_notice_order *o)
{
	const struct fcn_packet *cause = fcn_congestion_cause(o);
	struct head_parts parts;

	_Static_assert(offsetof(struct fcn_packet, class) + sizeof(uint8_t) <=
							offsetof(struct fcn_packet, out_port) +
									sizeof(parts.out) &&
					offsetof(struct fcn_packet, level) + sizeof(int8_t) <=
							offsetof(struct fcn_packet, in_port) +
									sizeof(parts.in) &&
					offsetof(struct fcn_notice_order, kind) ==
							offsetof(struct fcn_notice_order, form) + 1,
			"the words have all members");
	memcpy(&parts.out, &cause->out_port, sizeof(parts.out));
	memcpy(&parts.in, &cause->in_port, sizeof(parts.in));
	memcpy(&parts.which, &o->form, sizeof(parts.which));
	return parts;
}

/* Make the head of the event of a notice. The notices of a run often have the same. */
static __rte_noinline uint64_t
make_head(const struct fcn_notice_order *o)
{
	const struct fcn_packet *cause = fcn_congestion_cause(o);

	return fcn_event_head(FCN_EVENT_NOTICE, cause->class, o->kind, cause->level,
			fcn_congestion_verdict(o), cause->out_port, cause->in_port);
}

/* Push the events of all notices that were built. */
static __rte_noinline void
notice_events(struct fcn_worker *w)
{
	const struct fcn_notice_order *o = w->order;
	const uint64_t now = w->now;
	struct fcn_event_burst events;
	struct head_parts last;
	struct fcn_event *ev;
	uint64_t head;

	fcn_event_burst_begin(w, w->n_notices, &events);
	if (events.n == 0)
		return;
	ev = fcn_event_burst_first(&events);
	last = parts_of(o);
	head = make_head(o);
	for (unsigned int i = 0; i < events.n; o++) {
		const struct head_parts parts = parts_of(o);
		uint64_t sender[2], receiver[2];

		if (unlikely(((parts.out ^ last.out) | (parts.in ^ last.in) |
					     (uint16_t)(parts.which ^ last.which)) != 0)) {
			last = parts;
			head = make_head(o);
		}
		fcn_event_write_half(ev, now, head, o->occupancy, o->about->dest_qp, 0,
				o->mbuf->pkt_len - (o->head != NULL ? RTE_ETHER_HDR_LEN : 0));
		fcn_notify_addresses(o->data, o->about, sender, receiver);
		memcpy(ev->sender, sender, sizeof(ev->sender));
		memcpy(ev->receiver, receiver, sizeof(ev->receiver));
		ev = fcn_event_burst_next(&events, ev, ++i);
	}
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
		const struct fcn_notice_order *o = &w->order[i];
		const struct fcn_next_hop *nh =
				&s->next_hop[o->next_hop == FCN_NOTICE_BY_BRIDGE ? 0 : o->next_hop];

		if (o->kind != kind)
			continue;
		quote[n++] = (struct fcn_notice_quote){
				.source4 = nh->type == FCN_NEXT_HOP_LOCAL
							   ? NULL
							   : s->notify.common.source4
									     [nh->interface],
				/* One for a local SID is routed again, and next hop 0 is none. */
				.mtu = nh->mtu != 0 ? nh->mtu : UINT16_MAX,
				.level = (uint8_t)RTE_MAX(fcn_congestion_cause(o)->level, 0),
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
		if (w->order[i].kind == kind)
			order[n++] = w->order[i];
	}
	if (n > 0)
		build(w, kind, order, n);
}

/* Check whether all notices are of one kind. */
static inline bool
are_alike(const struct fcn_worker *w)
{
	for (unsigned int i = 1; i < w->n_notices; i++) {
		if (w->order[i].kind != w->order[0].kind)
			return false;
	}
	return true;
}

/* Build all notices. Of one kind, which is usual, the orders are in one piece already. */
static void
build_all(struct fcn_worker *w)
{
	unsigned int on = w->snap->notify.on | w->snap->notify.on_loss;

	if (likely((on & (on - 1)) == 0 || are_alike(w))) {
		build(w, w->order[0].kind, w->order, w->n_notices);
		return;
	}
	for (; on != 0; on &= on - 1)
		build_one_kind(w, __builtin_ctz(on));
}

/* Initialise the metadata of a notice that was just built; info has been set already. */
static inline void
begin(const struct fcn_notice_order *o, const struct fcn_packet *fresh, struct fcn_packet *p)
{
	fcn_packet_begin(p, fresh);
	p->notice_kind = o->kind;
	p->in_port = fcn_congestion_cause(o)->out_port;
	p->next_hop = o->next_hop;
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
		const struct fcn_notice_order *o = &w->order[i];
		const struct fcn_packet *cause = fcn_congestion_cause(o);
		struct fcn_packet *p = &b->pkt[i];
		struct rte_mbuf *m = o->mbuf;

		if (unlikely(noted))
			fcn_capture_note_notice(m, cause->out_port, cause->class, cause->level,
					o->occupancy);
		if (likely(o->head != NULL))
			continue;
		begin(o, &fresh, p);
		if (o->next_hop == FCN_NOTICE_BY_BRIDGE)
			return_by_bridge(w, p, m, o);
		w->counters[cause->out_port].generated++;
		w->counters[cause->out_port].notices[o->kind]++;
		/* It may not be known yet whether the trace of the packet is kept. */
		if (unlikely(cause->trace != 0) && fcn_trace_candidate(w, cause) == 0) {
			p->trace = fcn_trace_notice(w, cause->trace,
					rte_pktmbuf_mtod(m, const uint8_t *), m->pkt_len);
			b->n_traced += p->trace != 0;
		}
	}
	return framed != b->n;
}

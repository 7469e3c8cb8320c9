/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_punt.h"
#include "fcn_stages.h"

#define LLC_MAX_LENGTH 1500 /* in place of an EtherType: a length (IEEE 802.3) */

/* Groups of IS-IS (ISO 10589 8.4.8, RFC 5309): all level 1, all level 2, all systems. */
static bool
is_isis_group(const struct rte_ether_addr *mac)
{
	static const struct rte_ether_addr groups[] = {
			{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x14}},
			{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x15}},
			{{0x09, 0x00, 0x2B, 0x00, 0x00, 0x05}},
	};

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		if (rte_is_same_ether_addr(mac, &groups[i]))
			return true;
	}
	return false;
}

/* What routing protocols send: to a group of this link, between link-local addresses, by LLC. */
static bool
is_control(const struct fcn_packet *p, const uint8_t *data, enum fcn_drop_reason why)
{
	static const uint8_t group4[] = {224, 0, 0};
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const uint8_t *ip = data + p->info.l3_off;

	if (p->info.n_vlans > 0)
		return false;
	switch (why) {
	case FCN_DROP_MULTICAST:
		if (p->info.flags & FCN_PKT_IPV6)
			return ip[24] == 0xFF && (ip[25] & 0x0F) == 2;
		return p->info.flags & FCN_PKT_IPV4 && memcmp(ip + 16, group4, sizeof(group4)) == 0;
	case FCN_DROP_LINK_LOCAL:
		return true;
	case FCN_DROP_ETHER_TYPE:
		return p->info.ether_type <= LLC_MAX_LENGTH && is_isis_group(&eth->dst_addr);
	default:
		return false;
	}
}

/* Of ARP and ND, what the host functions may want; of the rest, what they can answer. */
static int
host_reason(const struct fcn_packet *p, const uint8_t *data, enum fcn_drop_reason why)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const bool icmp6 = p->info.flags & FCN_PKT_IPV6 && p->info.proto == IPPROTO_ICMPV6;

	if (p->flags & FCN_PACKET_NOTICE) /* made here: nobody is to be told */
		return -1;
	switch (why) {
	case FCN_DROP_LOCAL:
		return FCN_PUNT_LOCAL;
	case FCN_DROP_MULTICAST:
		return icmp6 && (data[p->info.l3_off + 25] & 0x0F) == 2 ? FCN_PUNT_LINK : -1;
	case FCN_DROP_MARTIAN: /* the unspecified address asks whether another is taken */
	case FCN_DROP_LINK_LOCAL:
		return icmp6 ? FCN_PUNT_LINK : -1;
	case FCN_DROP_ETHER_TYPE:
		return p->info.ether_type == RTE_ETHER_TYPE_ARP && p->info.n_vlans == 0 &&
						       (rte_is_broadcast_ether_addr(
									&eth->dst_addr) ||
								       !rte_is_multicast_ether_addr(
										       &eth->dst_addr))
				       ? FCN_PUNT_ARP
				       : -1;
	case FCN_DROP_NO_NEIGHBOUR:
		return FCN_PUNT_NO_NEIGHBOUR;
	case FCN_DROP_NO_ROUTE:
		return FCN_PUNT_NO_ROUTE;
	case FCN_DROP_HOP_LIMIT:
		return FCN_PUNT_HOP_LIMIT;
	case FCN_DROP_MTU:
		return FCN_PUNT_MTU;
	default:
		return -1;
	}
}

static int
punt_reason(const struct fcn_worker *w, const struct fcn_packet *p, const uint8_t *data,
		enum fcn_drop_reason why)
{
	int reason = host_reason(p, data, why);

	if (reason < 0 && w->snap->port[p->in_port].kernel && is_control(p, data, why))
		return FCN_PUNT_CONTROL;
	return reason;
}

/* So many at once and so many a second: the host functions are one thread. */
static bool
take_token(struct fcn_worker *w)
{
	uint64_t tat = RTE_MAX(w->punt_tat, w->now);

	if (tat - w->now > FCN_PUNT_COST_NS * (FCN_PUNT_BURST - 1))
		return false;
	w->punt_tat = tat + FCN_PUNT_COST_NS;
	return true;
}

void
fcn_punt_or_drop(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_drop_reason why)
{
	const struct fcn_packet *p = &b->pkt[i];
	struct fcn_port_counters *c = &w->counters[p->in_port];
	struct fcn_punt punt;
	int reason;

	if (likely(w->punts == NULL)) {
		fcn_drop(w, b, i, why);
		return;
	}
	reason = punt_reason(w, p, rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *), why);
	if (reason < 0 || !(w->snap->punt >> reason & 1)) {
		fcn_drop(w, b, i, why);
		return;
	}
	punt = (struct fcn_punt){
			.mbuf = b->mbuf[i],
			.in_port = p->in_port,
			.reason = reason,
			.class = p->class,
			.l3_off = p->info.l3_off,
			.mtu = reason == FCN_PUNT_MTU ? w->snap->port[p->out_port].mtu : 0,
			.time_ns = w->now,
	};
	if (!take_token(w) || rte_ring_sp_enqueue_elem(w->punts, &punt, sizeof(punt)) != 0) {
		c->punt_limited++;
		fcn_drop(w, b, i, why);
		return;
	}
	c->punted++;
	c->consumed++;
	b->mbuf[i] = NULL;
}

/* Frames of the host functions, whole: they have only to be queued, behind a tag if it has to be.
 */
void
fcn_stage_inject(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_inject frame[FCN_RX_BURST];

	b->n = 0;
	b->n_traced = 0;
	if (likely(w->injects == NULL || rte_ring_empty(w->injects)))
		return;
	b->n = rte_ring_sc_dequeue_burst_elem(
			w->injects, frame, sizeof(frame[0]), RTE_DIM(frame), NULL);
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_snapshot_port *conf = &w->snap->port[frame[i].out_port];

		b->mbuf[i] = frame[i].mbuf;
		b->pkt[i] = (struct fcn_packet){
				.out_port = conf->phys,
				.in_port = frame[i].out_port,
				.class = frame[i].class,
				.flags = FCN_PACKET_OWN,
				.level = FCN_LEVEL_NONE,
		};
		w->counters[frame[i].out_port].generated++;
		w->counters[frame[i].out_port].injected++;
		if (unlikely(fcn_capture_wants_notes(&w->capture)))
			fcn_capture_note_host(frame[i].mbuf);
		if (conf->vlan != 0 && !fcn_sub_interface_tag(w, frame[i].mbuf, frame[i].out_port,
						       frame[i].class))
			fcn_drop(w, b, i, FCN_DROP_HEADROOM);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"

/* 01-80-C2-00-00-00 to -0F: for the bridge itself, never forwarded (IEEE 802.1Q table 8-1). */
static bool
is_reserved(const struct rte_ether_addr *mac)
{
	static const uint8_t prefix[] = {0x01, 0x80, 0xC2, 0x00, 0x00};

	return (mac->addr_bytes[5] & 0xF0) == 0 &&
	       memcmp(mac->addr_bytes, prefix, sizeof(prefix)) == 0;
}

/* VLAN a frame is in by the rules of the port it came in by; 0 when it may not enter. */
static uint16_t
ingress_vlan(const struct fcn_snapshot_port *port, const struct fcn_wire_info *info)
{
	uint16_t vid = info->n_vlans > 0 ? info->vlan_tci & 0x0FFF : 0;

	if (vid == 0) /* untagged, or tagged for its priority alone */
		return port->pvid;
	return vid == port->pvid || fcn_vlan_is_set(port->tagged, vid) ? vid : 0;
}

static bool
is_member(const struct fcn_snapshot_port *port, uint16_t vlan)
{
	return port->pvid == vlan || fcn_vlan_is_set(port->tagged, vlan);
}

/*
 * Give the frame the tag its egress port wants: the port's own VLAN goes out
 * untagged, the others tagged. A priority tag (VLAN 0) counts as none.
 */
static int
retag(struct rte_mbuf *m, struct fcn_packet *p, const struct fcn_snapshot_port *out)
{
	bool want = out->pvid != p->vlan;
	bool has = p->info.n_vlans > 0;
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_vlan_hdr *tag;
	int shift;

	if (likely(!want && !has))
		return 0;
	if (want && has) {
		tag = (struct rte_vlan_hdr *)(eth + 1);
		tag->vlan_tci = rte_cpu_to_be_16((p->info.vlan_tci & 0xF000) | p->vlan);
		return 0;
	}
	if (want) {
		uint8_t *front = (uint8_t *)rte_pktmbuf_prepend(m, sizeof(*tag));

		if (front == NULL)
			return -ENOSPC;
		memmove(front, eth, 2 * RTE_ETHER_ADDR_LEN);
		eth = (struct rte_ether_hdr *)front;
		tag = (struct rte_vlan_hdr *)(eth + 1);
		eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_VLAN);
		tag->vlan_tci = rte_cpu_to_be_16(fcn_vlan_tci(p->class, p->vlan));
		shift = sizeof(*tag);
		p->info.n_vlans++;
	} else {
		memmove((uint8_t *)eth + sizeof(*tag), eth, 2 * RTE_ETHER_ADDR_LEN);
		rte_pktmbuf_adj(m, sizeof(*tag));
		shift = -(int)sizeof(*tag);
		p->info.n_vlans--;
	}
	fcn_wire_info_shift(&p->info, shift);
	return 0;
}

static void
send_to(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t out)
{
	const struct fcn_snapshot_port *port = &w->snap->port[out];
	struct fcn_packet *p = &b->pkt[i];

	p->out_port = out;
	if (unlikely(b->mbuf[i]->pkt_len > port->mtu + RTE_ETHER_HDR_LEN + 4u * p->info.n_vlans))
		fcn_drop(w, b, i, FCN_DROP_MTU);
	else if (unlikely(retag(b->mbuf[i], p, port) != 0))
		fcn_drop(w, b, i, FCN_DROP_HEADROOM);
}

/* A copy that is not made. */
static void
flood_none(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i, uint16_t out,
		enum fcn_drop_reason why)
{
	struct fcn_packet copy = b->pkt[i];

	copy.out_port = out;
	w->counters[copy.in_port].drop[why]++;
	if (unlikely(w->capture.ports[FCN_CAPTURE_DROP] != 0))
		fcn_capture_drop(w, b->mbuf[i], &copy, why);
}

/* A copy for one more port; whole, as later stages write into it. */
static void
flood_copy(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i, uint16_t out)
{
	struct fcn_burst *f = w->flood;
	struct fcn_port_counters *c = &w->counters[b->pkt[i].in_port];
	struct rte_mbuf *m;

	if (f->n == FCN_BURST_MAX) {
		c->replicated++;
		flood_none(w, b, i, out, FCN_DROP_FLOOD_LIMIT);
		return;
	}
	m = rte_pktmbuf_copy(b->mbuf[i], w->pool, 0, UINT32_MAX);
	c->replicated++;
	if (m == NULL) {
		flood_none(w, b, i, out, FCN_DROP_NO_MBUF);
		return;
	}
	f->mbuf[f->n] = m;
	f->pkt[f->n] = b->pkt[i];
	f->pkt[f->n].trace = 0;
	send_to(w, f, f->n, out);
	f->n++;
}

/* Copies to all members but the last, the packet itself to the last. */
static void
flood(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_bridge *bridge)
{
	struct fcn_packet *p = &b->pkt[i];
	uint64_t members = bridge->members & ~(1ull << p->in_port);
	uint16_t last = FCN_PORT_NONE;

	for (; members != 0; members &= members - 1) {
		uint16_t out = __builtin_ctzll(members);

		if (!is_member(&w->snap->port[out], p->vlan))
			continue;
		if (last != FCN_PORT_NONE)
			flood_copy(w, b, i, last);
		last = out;
	}
	if (last == FCN_PORT_NONE)
		fcn_drop(w, b, i, FCN_DROP_NO_FLOOD_PORT);
	else
		send_to(w, b, i, last);
}

/* A MAC address on its way to another worker. */
struct learned {
	struct fcn_mac_key key;
	uint16_t port;
};

_Static_assert(sizeof(struct learned) == FCN_LEARNED_SIZE, "what the rings are made for");

/* Others are told again this often: they forget by their own clocks. */
#define RETELL_PARTS 4
#define HEAR_BURST 32

/* With other workers: they have to know too, for what they receive. */
static __rte_noinline void
learn_and_tell(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port)
{
	struct learned what = {.key = *key, .port = port};
	uint64_t retell = w->snap->bridge[key->bridge].ageing_ns / RETELL_PARTS;

	if (fcn_mac_table_learn_shared(w->macs, key, port, w->now, retell) <= 0)
		return;
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (rte_ring_sp_enqueue_elem(w->peer[i].tell, &what, sizeof(what)) != 0)
			w->learn_lost++;
	}
}

/* @return addresses heard of */
static unsigned int
hear(struct fcn_worker *w, struct rte_ring *ring)
{
	struct learned what[HEAR_BURST];
	unsigned int n;

	n = rte_ring_sc_dequeue_burst_elem(ring, what, sizeof(what[0]), HEAR_BURST, NULL);
	for (unsigned int k = 0; k < n; k++)
		fcn_mac_table_learn_shared(w->macs, &what[k].key, what[k].port, w->now, UINT64_MAX);
	return n;
}

void
fcn_bridge_hear(struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (unlikely(!rte_ring_empty(w->peer[i].hear)))
			hear(w, w->peer[i].hear);
	}
}

unsigned int
fcn_bridge_forget(struct fcn_worker *w, int port)
{
	/* What others told before is not to come after: a part of it may be about that port. */
	for (unsigned int i = 0; i < w->n_peers; i++) {
		unsigned int waiting = rte_ring_count(w->peer[i].hear), n = 1;

		for (; waiting != 0 && n != 0; waiting -= RTE_MIN(n, waiting))
			n = hear(w, w->peer[i].hear);
	}
	return fcn_mac_table_flush(w->macs, port);
}

/* First pass: VLAN admission, and what the sources teach. */
static void
admit_and_learn(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(
			b->mbuf[i], const struct rte_ether_hdr *);
	struct fcn_mac_key key;

	if (unlikely(rte_is_multicast_ether_addr(&eth->src_addr))) {
		fcn_drop(w, b, i, FCN_DROP_SOURCE_MAC);
		return;
	}
	if (unlikely(is_reserved(&eth->dst_addr))) {
		fcn_drop(w, b, i, FCN_DROP_RESERVED_MAC);
		return;
	}
	p->vlan = ingress_vlan(port, &p->info);
	if (unlikely(p->vlan == 0)) {
		fcn_drop(w, b, i, FCN_DROP_VLAN_NOT_MEMBER);
		return;
	}
	key = (struct fcn_mac_key){.mac = eth->src_addr, .vlan = p->vlan, .bridge = port->bridge};
	if (likely(w->n_peers == 0))
		fcn_mac_table_learn(w->macs, &key, p->in_port, w->now);
	else
		learn_and_tell(w, &key, p->in_port);
}

/* Second pass: where the destination is. */
static void
forward(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];
	const struct fcn_snapshot_bridge *bridge = &w->snap->bridge[port->bridge];
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(
			b->mbuf[i], const struct rte_ether_hdr *);
	struct fcn_mac_key key = {.mac = eth->dst_addr, .vlan = p->vlan, .bridge = port->bridge};
	int out = -ENOENT;

	if (likely(!rte_is_multicast_ether_addr(&eth->dst_addr)))
		out = fcn_mac_table_lookup(w->macs, &key, w->now, bridge->ageing_ns);
	/* The port may have left the bridge, or the VLAN, since the address was learned. */
	if (unlikely(out < 0 || !(bridge->members >> out & 1) ||
			    !is_member(&w->snap->port[out], p->vlan)))
		flood(w, b, i, bridge);
	else if (unlikely(out == p->in_port))
		fcn_drop(w, b, i, FCN_DROP_SAME_PORT);
	else
		send_to(w, b, i, out);
}

/*
 * All sources of a burst are learned before its first destination is looked
 * up: so all packets of a flow in one burst are either flooded or not, and
 * none overtakes another.
 */
void
fcn_stage_bridge(struct fcn_worker *w, struct fcn_burst *b)
{
	w->flood->n = 0;
	if (b->n_bridged == 0)
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL && b->pkt[i].flags & FCN_PACKET_BRIDGED)
			admit_and_learn(w, b, i);
	}
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL && b->pkt[i].flags & FCN_PACKET_BRIDGED)
			forward(w, b, i);
	}
}

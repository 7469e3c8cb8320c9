/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "bridge.h"
#include "proxy_edge.h"

/*
 * Check whether an address is 01-80-C2-00-00-00 to -0F, which is for the bridge itself and never
 * forwarded (IEEE 802.1Q table 8-1).
 */
static bool
is_reserved(const struct rte_ether_addr *mac)
{
	static const uint8_t prefix[] = {0x01, 0x80, 0xC2, 0x00, 0x00};

	return (mac->addr_bytes[5] & 0xF0) == 0 &&
	       memcmp(mac->addr_bytes, prefix, sizeof(prefix)) == 0;
}

/*
 * Get the VLAN of a frame by the rules of its ingress port (IEEE 802.1Q sections 6.9 and 8.6.2); 0
 * when the frame may not enter.
 */
static uint16_t
ingress_vlan(const struct fcn_snapshot_port *port, const struct fcn_wire_info *info)
{
	uint16_t vid = info->n_vlans > 0 ? info->vlan_tci & 0x0FFF : 0;

	if (vid == 0) /* untagged or priority-tagged */
		return port->pvid;
	return vid == port->pvid || fcn_vlan_is_set(port->tagged, vid) ? vid : 0;
}

/*
 * Adapt the tag of a frame to its egress port: frames of the PVID of the port are sent untagged,
 * those of other VLANs tagged. A priority tag (VLAN 0) counts as no tag.
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

void
fcn_bridge_send(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t out)
{
	const struct fcn_snapshot_port *port = &w->snap->port[out];
	struct fcn_packet *p = &b->pkt[i];

	p->out_port = out;
	if (unlikely(b->mbuf[i]->pkt_len > port->mtu + RTE_ETHER_HDR_LEN + 4u * p->info.n_vlans) &&
			!fcn_proxy_leave_out(w, b, i, port->mtu))
		fcn_drop(w, b, i, FCN_DROP_MTU);
	else if (unlikely(retag(b->mbuf[i], p, port) != 0))
		fcn_drop(w, b, i, FCN_DROP_HEADROOM);
}

/* Learn the source address of a packet that has a VLAN. */
static void
learn_source(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(
			b->mbuf[i], const struct rte_ether_hdr *);
	const struct fcn_mac_key key = {.mac = eth->src_addr,
			.vlan = p->vlan,
			.bridge = w->snap->port[p->in_port].bridge};
	const struct fcn_mac_search table = fcn_mac_search(w->macs);
	int rc;

	if (likely(fcn_bridge_refresh(&table, (const uint8_t *)&eth->src_addr, p->vlan,
			    fcn_mac_where(key.bridge, p->in_port), w->now,
			    fcn_bridge_shared_since(w, key.bridge))))
		return;
	rc = fcn_bridge_learn(w, &key, p->in_port);
	if (rc == 0)
		return;
	/*
	 * Another station uses an address of the switch, or a frame of the switch comes back
	 * through a loop. The address must not be learned, whether or not the table has room.
	 */
	if (!fcn_port_set_is_empty(&w->snap->bridge[key.bridge].interfaces) &&
			fcn_bridge_is_own(w->snap, &key)) {
		fcn_mac_table_remove(w->macs, &key);
		fcn_drop(w, b, i, FCN_DROP_SOURCE_MAC);
		return;
	}
	fcn_bridge_learned(w, &key, p->in_port, rc);
}

/* First pass for one packet: VLAN admission, and learning (IEEE 802.1Q section 8.7). */
static void
admit_and_learn(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(
			b->mbuf[i], const struct rte_ether_hdr *);

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
		fcn_drop(w, b, i,
				port->err_disabled ? FCN_DROP_ERR_DISABLED
						   : FCN_DROP_VLAN_NOT_MEMBER);
		return;
	}
	learn_source(w, b, i);
}

/*
 * Handle a frame to a group or to an unknown station. Bridge interfaces are not in the table: they
 * are looked up here, which costs nothing for known stations.
 */
static void
unknown(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_bridge *bridge)
{
	if (likely(fcn_port_set_is_empty(&bridge->interfaces)) ||
			!fcn_bridge_to_interface(w, b, i, bridge))
		fcn_bridge_flood(w, b, i, bridge);
}

/* Second pass: lookup of the destination in the filtering database (IEEE 802.1Q section 8.8). */
void
fcn_bridge_forward(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
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
	if (unlikely(out < 0 || !fcn_port_set_has(&bridge->members, out) ||
			    !fcn_bridge_is_member(&w->snap->port[out], p->vlan)))
		unknown(w, b, i, bridge);
	else if (unlikely(out == p->in_port))
		fcn_drop(w, b, i, FCN_DROP_SAME_PORT);
	else
		fcn_bridge_send(w, b, i, out);
}

/* Send a packet to a station that is known behind another port, if it leaves as it is. */
static inline bool
forward_as_it_is(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_mac_search *table)
{
	const struct rte_mbuf *m = b->mbuf[i];
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];
	const uint64_t mac = fcn_mac_address(rte_pktmbuf_mtod(m, const uint8_t *), p->vlan);
	const struct fcn_mac_place *place = fcn_mac_find(
			table, fcn_mac_home(table, mac, port->bridge), mac, port->bridge);

	if (unlikely(place == NULL || p->info.n_vlans != 0 ||
			    w->now - place->seen_ns > w->snap->bridge[port->bridge].ageing_ns ||
			    m->pkt_len > fcn_bridge_longest(w->snap, p->in_port, place->where)))
		return false;
	p->out_port = fcn_mac_port_of(place);
	return true;
}

/*
 * Process a burst in two passes. All sources are learned before the first destination is looked up.
 * Therefore either all or none of the packets of a flow in a burst are flooded, and none overtakes
 * another.
 */
void
fcn_stage_bridge(struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_mac_search table = fcn_mac_search(w->macs);

	if (b->n_bridged == 0)
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL && b->pkt[i].flags & FCN_PACKET_BRIDGED)
			admit_and_learn(w, b, i);
	}
	for (unsigned int i = 0; i < b->n; i++) {
		if (b->mbuf[i] != NULL && b->pkt[i].flags & FCN_PACKET_BRIDGED &&
				!forward_as_it_is(w, b, i, &table))
			fcn_bridge_forward(w, b, i);
	}
}

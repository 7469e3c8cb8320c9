/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fast_route.h"
#include "fcn_stages.h"

/* The tag of a priority-tagged frame names no VLAN (IEEE 802.1Q section 9.6). */
#define VLAN_NONE 0

#define VLAN_MASK 0x0FFF

/* Get the interface to which a packet belongs; FCN_PORT_NONE when its tag is not supported here. */
static uint16_t
interface_of(const struct fcn_worker *w, const struct fcn_packet *p, const struct rte_mbuf *m)
{
	const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
	uint16_t vlan = p->info.vlan_tci & VLAN_MASK;

	if (p->info.n_vlans > 1)
		return FCN_PORT_NONE;
	if (vlan == VLAN_NONE)
		return p->in_port;
	/* an S-tag belongs to a provider, whose VLANs are different ones */
	if (port->sub == NULL || eth->ether_type != RTE_BE16(RTE_ETHER_TYPE_VLAN))
		return FCN_PORT_NONE;
	return port->sub[vlan];
}

void
fcn_vlan_tag_remove(struct rte_mbuf *m, struct fcn_packet *p)
{
	const uint16_t len = sizeof(struct rte_vlan_hdr);
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);

	memmove(data + len, data, 2 * RTE_ETHER_ADDR_LEN);
	rte_pktmbuf_adj(m, len);
	fcn_wire_info_shift(&p->info, -(int)len);
	p->info.n_vlans = 0;
	p->info.vlan_tci = 0;
}

/* Remove the tag; the packet is then like any other packet of its interface. */
static void
receive_on_sub_interface(
		struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t interface)
{
	const struct fcn_snapshot_port *conf = &w->snap->port[interface];
	const struct rte_ether_hdr to_us = {.dst_addr = conf->mac};
	const uint64_t mac = fcn_mac_word((const uint8_t *)&to_us);
	struct fcn_port_counters *c = &w->counters[interface];
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	const uint8_t *data;

	fcn_vlan_tag_remove(m, p);
	if (interface != p->in_port) {
		c->sub_rx_packets++;
		c->sub_rx_bytes += m->pkt_len;
		p->in_port = interface;
	}
	data = rte_pktmbuf_mtod(m, const uint8_t *);
	if (fcn_passes_checks(&p->info, data, mac, &w->snap->own) &&
			!(p->info.flags & FCN_PKT_FASTCNP))
		p->flags |= fcn_fast_route_flags(conf);
	if (unlikely(m->pkt_len > conf->mtu + (uint32_t)RTE_ETHER_HDR_LEN))
		fcn_drop(w, b, i, FCN_DROP_RX_OVERSIZE);
}

void
fcn_stage_sub_interface(struct fcn_worker *w, struct fcn_burst *b)
{
	if (likely(!b->has_tagged))
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];
		uint16_t interface;

		if (b->mbuf[i] == NULL || p->info.n_vlans == 0 || p->flags & FCN_PACKET_BRIDGED)
			continue;
		interface = interface_of(w, p, b->mbuf[i]);
		if (likely(interface != FCN_PORT_NONE))
			receive_on_sub_interface(w, b, i, interface);
	}
}

bool
fcn_sub_interface_tag(struct fcn_worker *w, struct rte_mbuf *m, uint16_t interface, uint8_t class)
{
	const uint16_t vlan = w->snap->port[interface].vlan;
	const uint32_t len = m->pkt_len;
	struct rte_vlan_hdr *tag;
	uint8_t *data;

	data = (uint8_t *)rte_pktmbuf_prepend(m, sizeof(*tag));
	if (unlikely(data == NULL))
		return false;
	memmove(data, data + sizeof(*tag), 2 * RTE_ETHER_ADDR_LEN);
	((struct rte_ether_hdr *)data)->ether_type = RTE_BE16(RTE_ETHER_TYPE_VLAN);
	/* the EtherType of the frame follows the tag */
	tag = (struct rte_vlan_hdr *)(data + RTE_ETHER_HDR_LEN);
	tag->vlan_tci = rte_cpu_to_be_16(fcn_vlan_tci(class, vlan));
	fcn_sub_interface_sent(w, interface, len);
	return true;
}

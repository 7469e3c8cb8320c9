/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The switch as a station of a bridge: frames that are addressed to it, and frames that it sends.
 */

#include "bridge.h"
#include "route_check.h"

#define ARP_OPERANDS 8 /* offset of the hardware and protocol addresses */
#define ARP_SENDER_IP (ARP_OPERANDS + 6)
#define ARP_TARGET_IP (ARP_OPERANDS + 16)
#define ARP_LEN 28
#define ICMP6_NEIGHBOUR_SOLICIT 135
#define ICMP6_NEIGHBOUR_ADVERT 136
#define ND_TARGET 8
#define ND_LEN 24
#define IP4_SRC 12
#define IP4_DST 16
#define IP6_SRC 8
#define IP6_DST 24

/* Find the interface of a bridge in a VLAN; NULL when there is none. */
static const struct fcn_snapshot_port *
interface_of(const struct fcn_snapshot *s, const struct fcn_snapshot_bridge *bridge, uint16_t vlan)
{
	FCN_PORT_SET_FOREACH (p, &bridge->interfaces) {
		const struct fcn_snapshot_port *port = &s->port[p];

		if (port->vlan == vlan)
			return port;
	}
	return NULL;
}

bool
fcn_bridge_is_own(const struct fcn_snapshot *s, const struct fcn_mac_key *key)
{
	const struct fcn_snapshot_port *port = interface_of(s, &s->bridge[key->bridge], key->vlan);

	return port != NULL && rte_is_same_ether_addr(&port->mac, &key->mac);
}

/* Check whether the interface has an address of an IP version. */
static bool
has_address(const struct fcn_snapshot_port *port, uint8_t version, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < port->n_own; i++) {
		if (port->own[i].version == version &&
				memcmp(port->own[i].bytes, bytes, version == 6 ? 16 : 4) == 0)
			return true;
	}
	return false;
}

/* Check whether len bytes from an offset on are in the first segment of a packet. */
static bool
has(const struct rte_mbuf *m, uint32_t off, uint32_t len)
{
	return off + len <= m->data_len;
}

static bool
is_icmp6(const struct fcn_packet *p, const struct rte_mbuf *m, uint32_t len)
{
	return p->info.flags & FCN_PKT_IPV6 && p->info.proto == IPPROTO_ICMPV6 &&
	       p->info.l4_off != 0 && has(m, p->info.l4_off, len);
}

/*
 * Check whether a frame to a group concerns an address of the interface: a neighbour solicitation
 * (RFC 4861 section 4.3) or ARP request (RFC 826) for it, or an announcement of it. Other frames
 * are only for the stations of the bridge.
 */
static bool
concerns_interface(const struct fcn_snapshot_port *port, const struct fcn_packet *p,
		const struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint32_t arp = RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN * p->info.n_vlans;

	if (p->info.ether_type == RTE_ETHER_TYPE_ARP)
		return has(m, arp, ARP_LEN) &&
		       (has_address(port, 4, data + arp + ARP_TARGET_IP) ||
				       has_address(port, 4, data + arp + ARP_SENDER_IP));
	if (!is_icmp6(p, m, ND_LEN))
		return false;
	data += p->info.l4_off;
	return (data[0] == ICMP6_NEIGHBOUR_SOLICIT || data[0] == ICMP6_NEIGHBOUR_ADVERT) &&
	       has_address(port, 6, data + ND_TARGET);
}

/* Check whether an IP packet is addressed to the interface. */
static bool
is_addressed_to(const struct fcn_snapshot_port *port, const struct fcn_packet *p,
		const struct rte_mbuf *m)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, p->info.l3_off);

	if (p->info.flags & FCN_PKT_IPV6)
		return has_address(port, 6, ip + IP6_DST);
	return p->info.flags & FCN_PKT_IPV4 && has_address(port, 4, ip + IP4_DST);
}

/* Check whether an IP packet is from an address of the switch, so that another node forged it. */
static bool
is_from_own(const struct fcn_snapshot_port *port, const struct fcn_packet *p,
		const struct rte_mbuf *m)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, p->info.l3_off);

	if (p->info.flags & FCN_PKT_IPV6)
		return has_address(port, 6, ip + IP6_SRC);
	return has_address(port, 4, ip + IP4_SRC);
}

/*
 * Classify a frame for the interface as if a routed port had received it. It is policed at its
 * ingress port, so that no port of the bridge can block others.
 */
static void
receive_on_bridge_interface(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_port *port, bool group)
{
	struct fcn_packet *p = &b->pkt[i];
	struct fcn_port_counters *c = &w->counters[port - w->snap->port];

	if (fcn_wire_error_is_fatal(p->info.error)) {
		fcn_drop(w, b, i, fcn_drop_of_wire_error(p->info.error));
		return;
	}
	if (p->info.n_vlans > 1) {
		fcn_drop(w, b, i, FCN_DROP_VLAN_UNEXPECTED);
		return;
	}
	if (p->info.n_vlans != 0)
		fcn_vlan_tag_remove(b->mbuf[i], p);
	c->sub_rx_packets++;
	c->sub_rx_bytes += b->mbuf[i]->pkt_len;
	p->out_port = port - w->snap->port;
	if (group || p->info.ether_type == RTE_ETHER_TYPE_ARP)
		fcn_route_stop(w, b, i,
				fcn_route_check_group(w->snap, p,
						rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *)));
	else if (!is_addressed_to(port, p, b->mbuf[i]))
		fcn_drop(w, b, i, FCN_DROP_BRIDGE_INTERFACE);
	else if (is_from_own(port, p, b->mbuf[i]))
		fcn_drop(w, b, i, FCN_DROP_OWN_SOURCE);
	else if (fcn_route_is_from_nowhere(&p->info, rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *)))
		fcn_drop(w, b, i, FCN_DROP_MARTIAN);
	else
		fcn_local_mark(b, i, FCN_LOCAL_HOST, FCN_DROP_LOCAL);
}

/* Give the interface a copy of a frame. The frame itself is for the stations of the bridge. */
static void
enter_copy(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_port *port)
{
	struct fcn_burst *f = w->flood;

	if (fcn_bridge_copy(w, b, i))
		receive_on_bridge_interface(w, f, f->n - 1, port, true);
}

bool
fcn_bridge_to_interface(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_bridge *bridge)
{
	const struct fcn_packet *p = &b->pkt[i];
	const struct rte_mbuf *m = b->mbuf[i];
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
	const struct fcn_snapshot_port *port = interface_of(w->snap, bridge, p->vlan);

	if (port == NULL || p->flags & FCN_PACKET_OWN)
		return false;
	if (rte_is_multicast_ether_addr(&eth->dst_addr)) {
		if (concerns_interface(port, p, m))
			enter_copy(w, b, i, port);
		return false;
	}
	if (!rte_is_same_ether_addr(&eth->dst_addr, &port->mac))
		return false;
	receive_on_bridge_interface(w, b, i, port, false);
	return true;
}

void
fcn_bridge_inject(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	const struct fcn_snapshot_port *port = &w->snap->port[p->in_port];

	p->flags |= FCN_PACKET_BRIDGED;
	p->vlan = port->vlan;
	fcn_sub_interface_sent(w, p->in_port, b->mbuf[i]->pkt_len);
	fcn_bridge_forward(w, b, i);
}

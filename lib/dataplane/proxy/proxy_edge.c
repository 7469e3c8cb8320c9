/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The Proxy Network Node Address option at the edges of the domain
 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.2): it is inserted where packets of a
 * traffic sender come in, and removed where they leave.
 */

#include <netinet/in.h>

#include "fcn_inet.h"
#include "fcn_proxy_option.h"
#include "icrc_place.h"
#include "proxy_edge.h"
#include "srv6.h"

#define IPV6_SRC_OFF offsetof(struct rte_ipv6_hdr, src_addr)
#define IPV6_DST_OFF offsetof(struct rte_ipv6_hdr, dst_addr)
#define IPV6_MULTICAST 0xFF
#define ADDR_LEN 16

/* Least MTU that a Packet Too Big can make a host obey (RFC 8201 section 4). */
#define MIN_MTU 1280

/*
 * Get the address for the option of a packet; NULL when it gets none. Messages of ICMPv6, and
 * packets that do not leave the link, are no traffic for whose congestion a sender could be told.
 */
static const uint8_t *
proxy_of(const struct fcn_snapshot *s, const struct fcn_packet *p, const struct rte_mbuf *m)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, p->info.l3_off);

	if (!(p->info.flags & FCN_PKT_IPV6) || p->info.proto == IPPROTO_ICMPV6 ||
			fcn_wire_error_is_fatal(p->info.error) ||
			ip[IPV6_DST_OFF] == IPV6_MULTICAST ||
			fcn_ip6_is_link_local(ip + IPV6_DST_OFF))
		return NULL;
	return fcn_proxy_map_find6(s->proxy_edge.senders, ip + IPV6_SRC_OFF);
}

/* Insert the option into packet i, if that is possible, and count what was done. */
static void
insert(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, const uint8_t *addr)
{
	const uint8_t type = w->snap->codes.proxy_addr;
	struct fcn_packet *p = &b->pkt[i];
	struct fcn_port_counters *c = &w->counters[p->in_port];
	struct rte_mbuf *m = b->mbuf[i];
	struct fcn_proxy_option_place place;
	uint8_t *icrc = NULL, *data;

	switch (fcn_proxy_option_find_place(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len,
			&p->info, type, &place)) {
	case FCN_PROXY_OPTION_FITS:
		break;
	case FCN_PROXY_OPTION_PRESENT:
		c->proxy_present++;
		return;
	case FCN_PROXY_OPTION_UNFIT:
		c->proxy_unfit++;
		return;
	}
	if (p->info.flags & FCN_PKT_ROCE)
		icrc = fcn_icrc_place(m, &p->info);
	if (!fcn_mbuf_is_private(m) || rte_pktmbuf_headroom(m) < place.growth ||
			(p->info.flags & FCN_PKT_ROCE && icrc == NULL)) {
		c->proxy_unfit++;
		return;
	}
	data = (uint8_t *)rte_pktmbuf_prepend(m, place.growth);
	fcn_proxy_option_insert(
			data, &p->info, &place, type, addr, w->snap->notify.common.icrc_mode, icrc);
	p->flags |= FCN_PACKET_PROXY_ADDED;
	c->proxy_inserted++;
}

void
fcn_stage_proxy_insert(struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_snapshot *s = w->snap;

	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];
		const uint8_t *addr;

		if (b->mbuf[i] == NULL ||
				!(s->port[p->in_port].proxy_option & FCN_PROXY_EDGE_INSERT))
			continue;
		addr = proxy_of(s, p, b->mbuf[i]);
		if (addr != NULL)
			insert(w, b, i, addr);
	}
}

/* Remove the option from packet i. @return by how many bytes it is shorter; 0: it has none, or it
 * cannot be removed */
static uint16_t
take_out(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_packet *p = &b->pkt[i];
	struct rte_mbuf *m = b->mbuf[i];
	uint8_t *icrc = NULL;
	uint32_t removed;

	if (p->info.flags & FCN_PKT_ROCE) {
		icrc = fcn_icrc_place(m, &p->info);
		if (icrc == NULL || !fcn_mbuf_is_private(rte_pktmbuf_lastseg(m)))
			return 0;
	}
	if (!fcn_mbuf_is_private(m) ||
			!fcn_proxy_option_remove(rte_pktmbuf_mtod(m, uint8_t *), m->data_len,
					&p->info, w->snap->codes.proxy_addr,
					w->snap->notify.common.icrc_mode, icrc, &removed))
		return 0;
	rte_pktmbuf_adj(m, (uint16_t)removed);
	p->flags &= ~FCN_PACKET_PROXY_ADDED;
	return (uint16_t)removed;
}

uint16_t
fcn_proxy_take_back(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return take_out(w, b, i);
}

bool
fcn_proxy_leave_out(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t mtu)
{
	struct fcn_packet *p = &b->pkt[i];
	const bool error = w->snap->proxy_edge.too_big == FCN_PROXY_TOO_BIG_ERROR &&
			   !(p->flags & FCN_PACKET_BRIDGED) &&
			   mtu >= MIN_MTU + FCN_PROXY_OPTION_GROWTH;

	if (!(p->flags & FCN_PACKET_PROXY_ADDED) || error || take_out(w, b, i) == 0)
		return false;
	w->counters[p->in_port].proxy_omitted++;
	return p->info.ip_len <= mtu;
}

/* Check whether the option is removed from a packet that leaves by a port. Of the packets that
 * leave the domain, those lose it that this switch has inserted it into. */
static inline bool
is_removed(const struct fcn_snapshot *s, const struct fcn_packet *p)
{
	if (s->port[p->out_port].proxy_option & FCN_PROXY_EDGE_REMOVE)
		return true;
	return p->flags & FCN_PACKET_PROXY_ADDED && fcn_port_set_has(&s->border.ports, p->out_port);
}

/*
 * Remove the option from packet i, and keep the address of the proxy in front of the frame: the
 * queue that the packet enters may be congested, and its sender's proxy is to be told. Nothing is
 * put in front of the frame after this stage.
 *
 * @return whether it was removed
 */
static bool
take_out_and_keep(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_wire_info *info = &b->pkt[i].info;
	struct rte_mbuf *m = b->mbuf[i];
	const uint8_t *proxy = fcn_wire_proxy(rte_pktmbuf_mtod(m, const uint8_t *), info);
	uint8_t addr[ADDR_LEN];

	if (proxy != NULL)
		memcpy(addr, proxy, sizeof(addr));
	if (take_out(w, b, i) == 0)
		return false;
	/* In a tunnel, the address is that of the inner packet, which keeps its option. */
	if (proxy != NULL && !(info->flags & FCN_PKT_PROXY) &&
			rte_pktmbuf_headroom(m) >= sizeof(addr)) {
		memcpy(rte_pktmbuf_mtod(m, uint8_t *) - sizeof(addr), addr, sizeof(addr));
		fcn_wire_proxy_in_front(info, sizeof(addr));
	}
	return true;
}

void
fcn_stage_proxy_remove(struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_snapshot *s = w->snap;

	if (likely(!s->proxy_edge.any_remove))
		return;
	for (unsigned int i = 0; i < b->n; i++) {
		struct fcn_packet *p = &b->pkt[i];
		const struct rte_mbuf *m = b->mbuf[i];

		if (m == NULL || p->out_port == FCN_PORT_NONE || p->flags & FCN_PACKET_NOTICE ||
				!is_removed(s, p) ||
				!fcn_proxy_option_is_there(rte_pktmbuf_mtod(m, const uint8_t *),
						m->data_len, &p->info, s->codes.proxy_addr))
			continue;
		if (take_out_and_keep(w, b, i))
			w->counters[p->in_port].proxy_removed++;
		else
			w->counters[p->in_port].proxy_stuck++;
	}
}

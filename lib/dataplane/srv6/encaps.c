/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "encaps.h"
#include "srv6.h"

#define SEGMENTS_LEFT_OFF (FCN_IP6_LEN + FCN_SRH_SEGMENTS_LEFT_OFF)

/*
 * Prepend room to a packet. If there is not enough in front of it, its bytes are moved towards the
 * end of the buffer.
 *
 * @return new beginning of the packet; NULL: there is no room
 */
static uint8_t *
prepend(struct rte_mbuf *m, uint16_t len)
{
	const uint16_t headroom = rte_pktmbuf_headroom(m);
	uint16_t by;

	/* The room in front of bytes that others share may be theirs. */
	if (unlikely(RTE_MBUF_CLONED(m) || rte_mbuf_refcnt_read(m) != 1))
		return NULL;
	if (unlikely(headroom < len)) {
		by = (uint16_t)(len - headroom);
		if (!fcn_mbuf_is_private(m) || rte_pktmbuf_tailroom(m) < by)
			return NULL;
		memmove(rte_pktmbuf_mtod(m, uint8_t *) + by, rte_pktmbuf_mtod(m, uint8_t *),
				m->data_len);
		m->data_off = (uint16_t)(m->data_off + by);
	}
	return (uint8_t *)rte_pktmbuf_prepend(m, len);
}

/* What the parser would find in outer headers. */
static inline uint32_t
flags_of(const struct fcn_srv6_encaps *outer)
{
	const bool has_left = outer->len > FCN_IP6_LEN && outer->header[SEGMENTS_LEFT_OFF] > 0;

	return FCN_PKT_IPV6 | FCN_PKT_TUNNEL | (has_left ? FCN_PKT_SRH : 0);
}

/* Adapt what the parser has found to the outer headers at p->info.l3_off. */
static inline void
adapt(struct fcn_packet *p, const struct fcn_srv6_encaps *outer,
		const struct fcn_srv6_encaps_fields *f)
{
	const uint16_t len = outer->len, l3_off = p->info.l3_off;
	struct fcn_wire_info *info = &p->info;

	fcn_wire_info_shift(info, len);
	info->l3_off = l3_off;
	info->ether_type = RTE_ETHER_TYPE_IPV6;
	info->inner_l3_off = l3_off + len;
	info->flags &= ~(FCN_PKT_IPV4 | FCN_PKT_HBH);
	info->flags |= flags_of(outer);
	info->ip_len += len;
	info->tclass = f->tclass;
	info->ttl = f->hop_limit;
}

/*
 * Write the outer headers of a packet, and adapt its metadata.
 *
 * @param data the packet, in front of which room was prepended for them
 */
static void
put_headers(struct fcn_packet *p, const struct fcn_encaps *e, const struct fcn_srv6_encaps *outer,
		uint32_t hash, uint8_t *data)
{
	uint8_t *ip = data + p->info.l3_off;
	const bool is_ipv6 = p->info.flags & FCN_PKT_IPV6;
	const struct fcn_srv6_encaps_fields inner = {
			.flow_label = is_ipv6 ? fcn_get_be32(ip + outer->len) & FCN_ROUTE_FLOW_LABEL
					      : 0,
			.inner_len = p->info.ip_len,
			.inner_proto = is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IPIP,
			.tclass = p->info.tclass,
			.hop_limit = p->info.ttl,
	};
	const struct fcn_srv6_encaps_fields f = fcn_encaps_fields(e, inner, hash);

	fcn_srv6_encaps_write(outer, &f, ip);
	adapt(p, outer, &f);
	/* The node data of a transit node would belong to the outer header, which has none. */
	p->flags &= ~FCN_PACKET_IOAM;
	p->flags |= FCN_PACKET_HOP_COUNTED;
}

/* Get the outer headers for a packet. */
static inline const struct fcn_srv6_encaps *
outer_of(const struct fcn_encaps *e, const struct fcn_packet *p)
{
	return p->info.flags & (FCN_PKT_ROCE | FCN_PKT_TRIMMED) ? &e->roce : &e->other;
}

/*
 * Read the headers of a packet that is in two tunnels now: the parser reads the outer one only. In
 * front of the outer header, whose EtherType is there, is what was in front of the packet, with its
 * tags.
 */
static __rte_noinline void
read_again(const struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_wire_info *info)
{
	const uint16_t front = info->l3_off - RTE_ETHER_HDR_LEN, tci = info->vlan_tci;
	const uint8_t n_vlans = info->n_vlans;

	fcn_parse_slow(rte_pktmbuf_mtod_offset(m, const uint8_t *, front), m->data_len - front,
			m->pkt_len - front, &w->snap->codes, info);
	fcn_wire_info_shift(info, front);
	info->n_vlans = n_vlans;
	info->vlan_tci = tci;
}

bool
fcn_encaps_push(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_next_hop *nh, uint32_t hash)
{
	const struct fcn_encaps *e = &w->snap->srv6.encaps[nh->first_member];
	const struct fcn_srv6_encaps *outer = outer_of(e, p);
	const uint16_t l3_off = p->info.l3_off;
	const bool was_tunnel = p->info.flags & FCN_PKT_TUNNEL;
	uint8_t *data = prepend(m, outer->len);

	if (unlikely(data == NULL))
		return false;
	w->srv6.segments[e->slot].packets++;
	w->srv6.segments[e->slot].bytes += p->info.ip_len;
	put_headers(p, e, outer, hash, data);
	/* The EtherType is in front of the outer header; a notice has no Ethernet header yet. */
	if (unlikely(l3_off < RTE_ETHER_HDR_LEN))
		return true;
	fcn_put_be16(data + l3_off - sizeof(rte_be16_t), RTE_ETHER_TYPE_IPV6);
	if (unlikely(was_tunnel))
		read_again(w, m, &p->info);
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "encaps.h"
#include "fcn_tunnel_ecn.h"
#include "rewrite.h"
#include "route_find.h"
#include "srv6.h"

#define FLOW_LABEL_MASK 0xFFFFF
#define SEGMENTS_LEFT_OFF (FCN_IP6_LEN + FCN_SRH_SEGMENTS_LEFT_OFF)

uint32_t
fcn_encaps_via(const struct fcn_snapshot *s, const struct fcn_next_hop *nh, uint32_t hash)
{
	const uint32_t via = s->srv6.encaps[nh->first_member].via;
	const struct fcn_next_hop *to = &s->next_hop[via];

	return likely(to->type != FCN_NEXT_HOP_GROUP) ? via : fcn_route_member(s, to, hash);
}

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

static inline struct fcn_srv6_encaps_fields
fields_of(const struct fcn_encaps *e, const struct fcn_wire_info *info, const uint8_t *ip,
		uint32_t hash)
{
	const bool is_ipv6 = info->flags & FCN_PKT_IPV6;
	const uint8_t dscp = unlikely(e->dscp != FCN_SRV6_INNER) ? (uint8_t)(e->dscp << 2)
								 : info->tclass & 0xFC;

	return (struct fcn_srv6_encaps_fields){
			.flow_label = (is_ipv6 ? fcn_get_be32(ip) : hash) & FLOW_LABEL_MASK,
			.inner_len = info->ip_len,
			.inner_proto = is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IPIP,
			.tclass = dscp | fcn_tunnel_ecn_encaps(e->ecn, info->tclass),
			.hop_limit = likely(e->hop_limit != FCN_SRV6_INNER) ? (uint8_t)e->hop_limit
									    : info->ttl,
	};
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
	info->inner_l3_off = l3_off + len;
	info->flags &= ~(FCN_PKT_IPV4 | FCN_PKT_HBH);
	info->flags |= FCN_PKT_IPV6 | FCN_PKT_TUNNEL;
	if (len > FCN_IP6_LEN && outer->header[SEGMENTS_LEFT_OFF] > 0)
		info->flags |= FCN_PKT_SRH;
	info->ether_type = RTE_ETHER_TYPE_IPV6;
	info->ip_len += len;
	info->tclass = f->tclass;
	info->ttl = f->hop_limit;
}

bool
fcn_encaps_push(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_next_hop *nh, uint32_t hash)
{
	const struct fcn_encaps *e = &w->snap->srv6.encaps[nh->first_member];
	const struct fcn_srv6_encaps *outer = p->info.flags & FCN_PKT_ROCE ? &e->roce : &e->other;
	const uint16_t l3_off = p->info.l3_off;
	const bool was_tunnel = p->info.flags & FCN_PKT_TUNNEL;
	const struct fcn_srv6_encaps_fields f = fields_of(
			e, &p->info, rte_pktmbuf_mtod_offset(m, const uint8_t *, l3_off), hash);
	struct fcn_segment_list_counters *c = &w->srv6.segments[e->slot];
	uint8_t *data = prepend(m, outer->len);

	if (unlikely(data == NULL))
		return false;
	c->packets++;
	c->bytes += p->info.ip_len;
	fcn_srv6_encaps_write(outer, &f, data + l3_off);
	/* The EtherType is in front of the outer header; a notice has no Ethernet header yet. */
	if (likely(l3_off >= RTE_ETHER_HDR_LEN))
		fcn_put_be16(data + l3_off - sizeof(rte_be16_t), RTE_ETHER_TYPE_IPV6);
	adapt(p, outer, &f);
	if (unlikely(was_tunnel)) /* Of two tunnels the parser reads the outer one only. */
		fcn_parse_slow(data, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
	/* The node data of a transit node would belong to the outer header, which has none. */
	p->flags &= ~FCN_PACKET_IOAM;
	p->flags |= FCN_PACKET_HOP_COUNTED;
	return true;
}

bool
fcn_encaps_forward_fast(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_next_hop *nh)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, RTE_ETHER_HDR_LEN);
	const struct fcn_encaps *e;
	const struct fcn_next_hop *via;
	uint32_t index;

	if (unlikely(nh->type != FCN_NEXT_HOP_ENCAPS || p->info.ip_len > nh->mtu ||
			    p->info.ttl <= 1 || p->info.flags & FCN_PKT_TUNNEL ||
			    !fcn_mbuf_is_private(m) ||
			    m->pkt_len != (uint32_t)RTE_ETHER_HDR_LEN + p->info.ip_len))
		return false;
	e = &w->snap->srv6.encaps[nh->first_member];
	index = e->via;
	via = &w->snap->next_hop[index];
	if (unlikely(via->type == FCN_NEXT_HOP_GROUP)) {
		index = fcn_route_member(w->snap, via,
				fcn_route_hash6(&w->hash_key,
						ip + offsetof(struct rte_ipv6_hdr, src_addr),
						ip + offsetof(struct rte_ipv6_hdr, dst_addr),
						fcn_route_ports(p->info.src_port,
								p->info.dst_port)));
		via = &w->snap->next_hop[index];
	}
	if (unlikely(via->type != FCN_NEXT_HOP_FORWARD || rte_pktmbuf_headroom(m) < e->other.len))
		return false;
	fcn_rewrite_hop_limit(m, p);
	fcn_encaps_push(w, m, p, nh, 0);
	p->next_hop = index;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), &via->l2, sizeof(via->l2));
	p->out_port = via->port;
	return true;
}

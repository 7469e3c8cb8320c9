/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "encaps.h"
#include "rewrite.h"
#include "route_find.h"
#include "srv6.h"

#define IP6_NEXT_HEADER_OFF 6
#define IP6_HOP_LIMIT_OFF 7
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24
#define PLAIN_ROCE (FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT)
/* In the first eight octets of an IPv6 header, as a number. */
#define FLOW_LABEL_BITS ((uint64_t)FCN_ROUTE_FLOW_LABEL << 32)
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
		bool is_ipv6, uint32_t hash)
{
	return (struct fcn_srv6_encaps_fields){
			.flow_label = fcn_srv6_flow_label(e->flow_label,
					is_ipv6 ? fcn_get_be32(ip) & FCN_ROUTE_FLOW_LABEL : 0,
					hash),
			.inner_len = info->ip_len,
			.inner_proto = is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IPIP,
			.tclass = (info->tclass & e->tclass_copied) | e->tclass,
			.hop_limit = likely(e->hop_limit != FCN_SRV6_INNER) ? (uint8_t)e->hop_limit
									    : info->ttl,
	};
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
	const struct fcn_srv6_encaps_fields f = fields_of(
			e, &p->info, ip + outer->len, p->info.flags & FCN_PKT_IPV6, hash);

	fcn_srv6_encaps_write(outer, &f, ip);
	adapt(p, outer, &f);
	/* The node data of a transit node would belong to the outer header, which has none. */
	p->flags &= ~FCN_PACKET_IOAM;
	p->flags |= FCN_PACKET_HOP_COUNTED;
}

static inline void
count(struct fcn_worker *w, uint16_t slot, unsigned int packets, uint64_t bytes)
{
	struct fcn_segment_list_counters *c = &w->srv6.segments[slot];

	c->packets += packets;
	c->bytes += bytes;
}

/* Get the outer headers for a packet. */
static inline const struct fcn_srv6_encaps *
outer_of(const struct fcn_encaps *e, const struct fcn_packet *p)
{
	return p->info.flags & FCN_PKT_ROCE ? &e->roce : &e->other;
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
	count(w, e->slot, 1, p->info.ip_len);
	put_headers(p, e, outer, hash, data);
	/* The EtherType is in front of the outer header; a notice has no Ethernet header yet. */
	if (unlikely(l3_off < RTE_ETHER_HDR_LEN))
		return true;
	fcn_put_be16(data + l3_off - sizeof(rte_be16_t), RTE_ETHER_TYPE_IPV6);
	if (unlikely(was_tunnel))
		read_again(w, m, &p->info);
	return true;
}

/* What consecutive packets to a segment list have in common: plain RoCEv2 over IPv6. */
struct run {
	const struct fcn_srv6_encaps *outer;
	const struct fcn_next_hop *via; /* next hop towards the first segment */
	/*
	 * The first eight octets of the outer header as a number: bits that are those of the inner
	 * header, and the others, to which the length of the inner packet is added.
	 */
	uint64_t copied;
	uint64_t constant;
	/** if none of these bits of the outer header is 1, its flow label is computed */
	uint64_t labelled;
	struct fcn_hash_prepared key; /* of the flow hash, for these labels */
	uint64_t growth;              /* of inner_l3_off, ip_len, l4_off and final_dst_off */
	uint32_t flags;               /* FCN_PKT_* of the packet in the tunnel */
	uint32_t via_index;
	uint16_t mtu;  /* of the inner packets */
	uint16_t len;  /* bytes of the outer headers */
	uint16_t slot; /* of the counters */
	bool is_one; /* the flow hash has chosen the list or its path: the next packet's may differ
		      */
};

/* Flow hash of plain RoCEv2: as fcn_route_flow_hash(). */
static inline uint32_t
hash_of(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p)
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, RTE_ETHER_HDR_LEN);

	return fcn_route_hash6(&w->hash_key, ip + IP6_SRC_OFF, ip + IP6_DST_OFF,
			fcn_route_ports(p->info.src_port, p->info.dst_port));
}

/*
 * Compute a flow label for plain RoCEv2, in its place in FLOW_LABEL_BITS. Both ports are the first
 * four octets behind the IPv6 header.
 */
static __rte_always_inline uint64_t
label_of(const struct run *r, const uint8_t *ip)
{
	const uint32_t hash = fcn_route_prepared_hash6(&r->key, ip + IP6_SRC_OFF, ip + IP6_DST_OFF,
			fcn_load_be32(ip + FCN_IP6_LEN));

	return (uint64_t)fcn_srv6_flow_label(FCN_SRV6_FLOW_LABEL_HASH, 0, hash) << 32;
}

/*
 * Begin a run with its first packet.
 *
 * @param nh segment list
 * @return false: the packet takes the slow path
 */
static __rte_always_inline bool
begin(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		const struct fcn_next_hop *nh, struct run *r)
{
	const struct fcn_encaps *e = &w->snap->srv6.encaps[nh->first_member];
	const struct fcn_srv6_encaps *outer = &e->roce;
	const uint64_t tclass_copied = e->tclass_copied, tclass = e->tclass;
	const bool is_inner_limit = unlikely(e->hop_limit == FCN_SRV6_INNER);
	const bool is_computed = likely(e->flow_label == FCN_SRV6_FLOW_LABEL_AUTO) ||
				 e->flow_label == FCN_SRV6_FLOW_LABEL_HASH;
	const bool is_copied = likely(e->flow_label == FCN_SRV6_FLOW_LABEL_AUTO) ||
			       e->flow_label == FCN_SRV6_FLOW_LABEL_COPY;

	r->outer = outer;
	r->via_index = e->via;
	r->via = &w->snap->next_hop[e->via];
	if (unlikely(r->via->type == FCN_NEXT_HOP_GROUP)) {
		r->via_index = fcn_route_member(w->snap, r->via, hash_of(w, m, p));
		r->via = &w->snap->next_hop[r->via_index];
		r->is_one = true;
	}
	r->copied = tclass_copied << 52 | (is_copied ? FLOW_LABEL_BITS : 0) |
		    (is_inner_limit ? UINT8_MAX : 0);
	r->labelled = is_computed ? FLOW_LABEL_BITS : UINT64_MAX;
	r->key = fcn_hash_prepare(&w->hash_key);
	r->constant = UINT64_C(6) << 60 | tclass << 52 |
		      (uint64_t)(uint16_t)(outer->len - FCN_IP6_LEN) << 16 |
		      (uint64_t)outer->header[IP6_NEXT_HEADER_OFF] << 8 |
		      (is_inner_limit ? 0 : e->hop_limit);
	r->growth = outer->len * UINT64_C(0x0001000100010001);
	r->flags = PLAIN_ROCE | flags_of(outer);
	r->mtu = nh->mtu;
	r->len = outer->len;
	r->slot = e->slot;
	return likely(r->via->type == FCN_NEXT_HOP_FORWARD);
}

/* Whether a packet may leave by a segment list, and has room for the outer headers. */
static inline bool
is_usual(const struct rte_mbuf *m, const struct fcn_packet *p, uint16_t mtu, uint16_t len)
{
	return p->info.ip_len <= mtu && p->info.ttl > 1 &&
	       m->pkt_len == (uint32_t)RTE_ETHER_HDR_LEN + p->info.ip_len &&
	       fcn_mbuf_is_private(m) && rte_pktmbuf_headroom(m) >= len;
}

/* As put_headers(), and with the Ethernet header, for a packet of a run. */
static __rte_always_inline void
enter(struct rte_mbuf *m, struct fcn_packet *p, const struct run *r)
{
	const uint16_t data_off = (uint16_t)(m->data_off - r->len);
	uint8_t *data = (uint8_t *)m->buf_addr + data_off, *ip = data + RTE_ETHER_HDR_LEN;
	uint8_t *inner = ip + r->len;
	const uint64_t from = fcn_get_be64(inner) - 1; /* the last octet is the hop limit */
	uint64_t word = (from & r->copied) + r->constant + ((uint64_t)p->info.ip_len << 16);
	uint64_t fields;

	if (unlikely((word & r->labelled) == 0))
		word |= label_of(r, inner);
	m->data_off = data_off;
	m->data_len = (uint16_t)(m->data_len + r->len);
	m->pkt_len += r->len;
	memcpy(&fields, &p->info.inner_l3_off, sizeof(fields));
	fields += r->growth;
	memcpy(&p->info.inner_l3_off, &fields, sizeof(fields));
	p->info.flags = r->flags;
	p->info.tclass = (uint8_t)(word >> 52);
	p->info.ttl = (uint8_t)word;
	p->next_hop = r->via_index;
	p->out_port = r->via->port;
	p->flags = (p->flags & ~FCN_PACKET_IOAM) | FCN_PACKET_HOP_COUNTED;
	inner[IP6_HOP_LIMIT_OFF] = (uint8_t)from;
	fcn_srv6_encaps_copy(r->outer, ip);
	fcn_put_be64(ip, word);
	memcpy(data, &r->via->l2, sizeof(r->via->l2));
}

/* Whether the next packet is plain RoCEv2, too, and its destination has the same next hop. */
static inline bool
continues(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		uint32_t found)
{
	uint32_t index;

	return m != NULL && p->flags & FCN_PACKET_FAST_ROUTE && p->info.flags == PLAIN_ROCE &&
	       fcn_dest_cache_find(&w->dest_cache,
			       rte_pktmbuf_mtod_offset(
					       m, const uint8_t *, RTE_ETHER_HDR_LEN + IP6_DST_OFF),
			       &index) &&
	       index == found;
}

/* Begin another run with a packet that continues one. @return false: it is not for this loop */
static inline bool
begin_other(const struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		uint32_t found, struct run *r)
{
	const struct fcn_next_hop *nh = &w->snap->next_hop[found];

	if (likely(nh->type == FCN_NEXT_HOP_GROUP))
		nh = &w->snap->next_hop[fcn_route_member(w->snap, nh, hash_of(w, m, p))];
	return likely(nh->type == FCN_NEXT_HOP_ENCAPS) && begin(w, m, p, nh, r);
}

/* Forward a packet that may be other than plain RoCEv2. */
static __rte_noinline bool
forward_any(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_next_hop *nh)
{
	const struct fcn_encaps *e = &w->snap->srv6.encaps[nh->first_member];
	const struct fcn_srv6_encaps *outer = outer_of(e, p);
	const struct fcn_next_hop *via = &w->snap->next_hop[e->via];
	uint32_t index = e->via, hash;
	uint8_t *data;

	if (unlikely(p->info.flags & FCN_PKT_TUNNEL || !is_usual(m, p, nh->mtu, outer->len)))
		return false;
	hash = fcn_route_flow_hash(&w->hash_key, rte_pktmbuf_mtod(m, const uint8_t *), &p->info);
	if (unlikely(via->type == FCN_NEXT_HOP_GROUP)) {
		index = fcn_route_member(w->snap, via, hash);
		via = &w->snap->next_hop[index];
	}
	if (unlikely(via->type != FCN_NEXT_HOP_FORWARD))
		return false;
	data = (uint8_t *)rte_pktmbuf_prepend(m, outer->len);
	data[outer->len + RTE_ETHER_HDR_LEN + IP6_HOP_LIMIT_OFF] = --p->info.ttl;
	count(w, e->slot, 1, p->info.ip_len);
	put_headers(p, e, outer, hash, data);
	memcpy(data, &via->l2, sizeof(via->l2));
	p->next_hop = index;
	p->out_port = via->port;
	return true;
}

/* Whether the steering rule of one packet is that of another: what its conditions are about is the
 * same of both. Both are RoCEv2. */
static inline bool
is_steered_alike(const struct fcn_packet *p, uint16_t in_port, uint8_t tclass)
{
	return p->in_port == in_port && p->info.tclass >> 2 == tclass >> 2;
}

/*
 * Do the work of fcn_encaps_forward_fast().
 *
 * @param chosen     index of the next hop that a packet with the next hop `found` has: another one
 *                   if it is steered
 * @param is_steered whether the others have to be steered by the rule of the first packet, too
 */
static __rte_always_inline unsigned int
forward_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, uint32_t found,
		uint32_t chosen, const struct fcn_next_hop *nh, bool is_steered)
{
	struct rte_mbuf *const *const first = &b->mbuf[from], *const *const end = &b->mbuf[b->n];
	struct rte_mbuf *const *m = first, *const *since = first; /* since: not counted yet */
	struct fcn_packet *p = &b->pkt[from];
	const uint16_t in_port = p->in_port;
	const uint8_t tclass = p->info.tclass;
	struct run r = {.is_one = w->snap->next_hop[chosen].type == FCN_NEXT_HOP_GROUP};
	uint64_t bytes = 0;

	if (unlikely(p->info.flags != PLAIN_ROCE))
		return forward_any(w, *m, p, nh) ? 1 : 0;
	if (unlikely(!begin(w, *m, p, nh, &r)))
		return 0;
	while (likely(is_usual(*m, p, r.mtu, r.len))) {
		bytes += p->info.ip_len;
		enter(*m, p, &r);
		m++, p++;
		if (m == end || !continues(w, *m, p, found) ||
				(is_steered && !is_steered_alike(p, in_port, tclass)))
			break;
		if (likely(!r.is_one))
			continue;
		count(w, r.slot, (unsigned int)(m - since), bytes);
		since = m;
		bytes = 0;
		if (unlikely(!begin_other(w, *m, p, chosen, &r)))
			break;
	}
	count(w, r.slot, (unsigned int)(m - since), bytes);
	return (unsigned int)(m - first);
}

unsigned int
fcn_encaps_forward_fast(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		uint32_t found, const struct fcn_next_hop *nh)
{
	return forward_run(w, b, from, found, found, nh, false);
}

unsigned int
fcn_encaps_forward_steered(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		uint32_t found, uint32_t chosen, const struct fcn_next_hop *nh)
{
	return forward_run(w, b, from, found, chosen, nh, true);
}

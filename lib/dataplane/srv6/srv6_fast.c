/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Local SIDs on the fast path of the stage `route`: RoCEv2 as fcn_parse_tunnel() accepts it, to
 * End, End.DT6 and End.DT46, and Fast CNPs as fcn_parse_endcon_plain() accepts them, to END.CON,
 * whose next destination is in the destination cache, too. What the
 * parser has found is adapted instead of read again. Everything else takes the slow path
 * (srv6_local.c), as nothing is changed before it is certain that the packet leaves from here.
 */

#include "fast_route.h"
#include "rewrite.h"
#include "srv6.h"
#include "fcn_srh.h"

#define IP6_HOP_LIMIT_OFF 7
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24
#define ECN_BITS (FCN_ECN_MASK << 4) /* of the second octet of an IPv6 header */
#define IP6_LEN ((uint32_t)sizeof(struct rte_ipv6_hdr))

/* Find the next hop of a packet of this length, if it can leave at once. */
static inline const struct fcn_next_hop *
find(const struct fcn_worker *w, const uint8_t *dst, uint32_t len, uint32_t *index)
{
	const struct fcn_next_hop *nh;

	if (unlikely(!fcn_dest_cache_find(&w->dest_cache, dst, index)))
		return NULL;
	nh = &w->snap->next_hop[*index];
	return likely(nh->type == FCN_NEXT_HOP_FORWARD && len <= nh->mtu) ? nh : NULL;
}

/* Go on to the next segment: as fcn_srv6_end(). There is one, and the list is valid. */
static inline bool
go_on(struct fcn_worker *w, struct fcn_packet *p, uint8_t *data, const struct fcn_srv6_sid *sid)
{
	uint8_t *ip = data + RTE_ETHER_HDR_LEN, *srh = ip + IP6_LEN;
	const unsigned int left = srh[FCN_SRH_SEGMENTS_LEFT_OFF] - 1u;
	const uint8_t *dst = fcn_srh_segment(srh, left);
	const struct fcn_next_hop *nh = find(w, dst, p->info.ip_len, &p->next_hop);
	const uint8_t ttl = p->info.ttl;

	if (unlikely(nh == NULL || fcn_differs_from_global(dst[0]) || ttl <= 1))
		return false;
	if (left == 0) {
		if (unlikely(sid->flavors & FCN_SRV6_FLAVOR_PSP))
			return false;
		p->info.flags &= ~FCN_PKT_SRH;
	}
	p->info.ttl = ttl - 1;
	srh[FCN_SRH_SEGMENTS_LEFT_OFF] = (uint8_t)left;
	memcpy(ip + IP6_DST_OFF, dst, 16);
	ip[IP6_HOP_LIMIT_OFF] = ttl - 1;
	memcpy(data, &nh->l2, 2 * RTE_ETHER_ADDR_LEN);
	p->out_port = nh->port;
	return true;
}

#define ROCE (FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT)

/*
 * Cut off the outer headers: as fcn_srv6_decapsulate(), and the hop that a route counts.
 *
 * @param flags FCN_PKT_* of the inner packet. The source address of one with FCN_PKT_FASTCNP is
 *              that of the outer header, which was checked
 * @param cut   bytes of the outer headers
 * @param len   bytes of the inner packet
 */
static __rte_always_inline bool
take_out(struct fcn_worker *w, struct fcn_packet *p, struct rte_mbuf *m, uint8_t *data,
		uint32_t flags, uint32_t cut, uint32_t len)
{
	uint8_t *inner = data + RTE_ETHER_HDR_LEN + cut;
	/* The second octets of the headers have the ECN field in bits 4 and 5. */
	const uint8_t outer_ecn = data[RTE_ETHER_HDR_LEN + 1] & ECN_BITS;
	const uint8_t inner_ecn = inner[1] & ECN_BITS;
	uint8_t changed = 0;
	const struct fcn_next_hop *nh;
	uint64_t fields;

	/* A combination that no standard uses is one for the slow path. */
	if (unlikely(outer_ecn != inner_ecn)) {
		const struct fcn_tunnel_ecn_egress egress = fcn_tunnel_ecn_egress(
				inner_ecn >> 4, outer_ecn >> 4);

		if (egress.combination != FCN_TUNNEL_ECN_USED)
			return false;
		changed = inner_ecn ^ (uint8_t)(egress.ecn << 4);
	}
	nh = find(w, inner + IP6_DST_OFF, len, &p->next_hop);
	if (unlikely(nh == NULL || inner[IP6_HOP_LIMIT_OFF] <= 1 ||
			    (!(flags & FCN_PKT_FASTCNP) &&
					    fcn_differs_from_global(inner[IP6_SRC_OFF])) ||
			    fcn_differs_from_global(inner[IP6_DST_OFF])))
		return false;
	inner[1] ^= changed;
	p->info.ttl = --inner[IP6_HOP_LIMIT_OFF];
	p->info.tclass = (uint8_t)(inner[0] << 4 | inner[1] >> 4);
	m->data_off = (uint16_t)(m->data_off + cut);
	m->data_len = (uint16_t)(m->data_len - cut);
	m->pkt_len -= cut;
	memcpy(data + cut, &nh->l2, sizeof(nh->l2));
	p->info.flags = flags;
	/* inner_l3_off, ip_len, l4_off and final_dst_off */
	memcpy(&fields, &p->info.inner_l3_off, sizeof(fields));
	fields -= cut * UINT64_C(0x0001000100010001);
	memcpy(&p->info.inner_l3_off, &fields, sizeof(fields));
	p->out_port = nh->port;
	return true;
}

/* The destination address of the outer header. */
struct address {
	uint64_t word[2];
};

static inline struct address
destination(const struct rte_mbuf *m)
{
	struct address dst;

	memcpy(&dst, rte_pktmbuf_mtod_offset(m, const uint8_t *, RTE_ETHER_HDR_LEN + IP6_DST_OFF),
			sizeof(dst));
	return dst;
}

static inline bool
is_same(struct address a, struct address b)
{
	return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1])) == 0;
}

/*
 * Forward consecutive packets to a SID that all have segments left, or all have none.
 *
 * @param is_step whether they have segments left
 * @return number of packets
 */
static __rte_always_inline unsigned int
forward_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_srv6_sid *sid, struct address dst, bool is_step)
{
	struct rte_mbuf *const *m = &b->mbuf[from], *const *const end = &b->mbuf[b->n];
	struct fcn_srv6_sid_counters *c = &w->srv6.sid[sid->slot];
	struct fcn_packet *p = &b->pkt[from];
	uint64_t bytes = 0;
	unsigned int n;

	do {
		const uint32_t len = (*m)->pkt_len;
		const uint32_t cut = (uint32_t)p->info.inner_l3_off - RTE_ETHER_HDR_LEN;
		uint8_t *data = rte_pktmbuf_mtod(*m, uint8_t *);

		if (unlikely(!fcn_mbuf_is_private(*m) ||
				    !(is_step ? go_on(w, p, data, sid)
					      : take_out(w, p, *m, data, ROCE, cut,
								p->info.ip_len - cut))))
			break;
		bytes += len;
		m++, p++;
	} while (m < end && *m != NULL && p->flags & FCN_PACKET_TUNNEL &&
			(p->info.flags & (FCN_PKT_SRH | FCN_PKT_FASTCNP)) ==
					(is_step ? FCN_PKT_SRH : 0) &&
			is_same(destination(*m), dst));
	n = (unsigned int)(m - &b->mbuf[from]);
	c->packets += n;
	c->bytes += bytes;
	return n;
}

/*
 * Find what the Fast CNPs of a P node have in common.
 *
 * @return NULL: it is not in the access list
 */
static const struct fcn_endcon_known *
find_node(struct fcn_worker *w, const uint8_t *address)
{
	const struct fcn_srv6_conf *conf = &w->snap->srv6;
	struct fcn_endcon_nodes *nodes = &w->srv6.known;
	const uint64_t hash = fcn_source_limit_hash(&w->hash_key, address);
	struct fcn_endcon_known *known = &nodes->entry[hash >> 32 & (FCN_ENDCON_NODES - 1)];

	if (unlikely(nodes->generation != w->snap->generation)) {
		memset(nodes, 0, sizeof(*nodes));
		nodes->generation = w->snap->generation;
	}
	if (likely(known->used && fcn_endcon_node_is(&known->node, address)))
		return known;
	if (conf->p_nodes == NULL || fcn_prefix_list_lookup6(conf->p_nodes, address, 0) == 0)
		return NULL;
	fcn_endcon_node_init(&w->srv6.crc, conf->icrc, address, &known->node);
	known->hash = hash;
	known->used = true;
	return known;
}

/*
 * Begin with the Fast CNPs of a P node, if there are tokens for as many as there are packets in the
 * burst: then it does not matter which of them the slow path takes, and later.
 */
static const struct fcn_endcon_known *
begin_node(struct fcn_worker *w, const struct fcn_burst *b, uint16_t in_port,
		const uint8_t *address)
{
	const struct fcn_endcon_known *known = find_node(w, address);

	if (unlikely(known == NULL || !fcn_source_limit_has(&w->srv6.nodes, known->hash,
						      &w->snap->srv6.endcon,
						      w->snap->port[in_port].parent, w->now, b->n)))
		return NULL;
	return known;
}

/* Charge the Fast CNPs of a P node that have arrived by one port. */
static void
end_node(struct fcn_worker *w, const struct fcn_endcon_known *known, uint16_t in_port,
		unsigned int n)
{
	if (likely(n != 0))
		fcn_source_limit_take_some(&w->srv6.nodes, known->hash, &w->snap->srv6.endcon,
				w->snap->port[in_port].parent, w->now, n);
}

/*
 * Take consecutive Fast CNPs out of their tunnel to END.CON: as fcn_srv6_endcon(), of which all
 * checks are made. A destination in the cache is not END.CON itself, which is a local SID.
 *
 * @return number of packets
 */
static __rte_noinline unsigned int
endcon_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		const struct fcn_srv6_sid *sid, struct address dst)
{
	struct rte_mbuf *const *const first = &b->mbuf[from], *const *const end = &b->mbuf[b->n];
	struct rte_mbuf *const *m = first, *const *since = first; /* since: not charged yet */
	struct fcn_srv6_sid_counters *c = &w->srv6.sid[sid->slot];
	const enum fcn_icrc_mode mode = w->snap->srv6.icrc;
	struct fcn_packet *p = &b->pkt[from];
	const struct fcn_endcon_known *known = NULL;
	uint16_t in_port = p->in_port; /* by which those have arrived that are not charged yet */
	unsigned int n;

	do {
		uint8_t *data = rte_pktmbuf_mtod(*m, uint8_t *);
		const uint8_t *src = data + RTE_ETHER_HDR_LEN + IP6_SRC_OFF;

		if (unlikely(known == NULL || p->in_port != in_port ||
				    !fcn_endcon_node_is(&known->node, src))) {
			if (known != NULL)
				end_node(w, known, in_port, (unsigned int)(m - since));
			since = m;
			in_port = p->in_port;
			known = begin_node(w, b, in_port, src);
			if (known == NULL)
				break;
		}
		if (unlikely(!fcn_mbuf_is_private(*m) ||
				    !fcn_endcon_plain_is_intact(&w->srv6.crc, mode, &known->node,
						    data + FCN_ENDCON_PLAIN_INNER_OFF) ||
				    !take_out(w, p, *m, data, ROCE | FCN_PKT_FASTCNP, FCN_IP6_LEN,
						    FCN_FASTCNP_OPT1_LEN)))
			break;
		m++, p++;
	} while (m < end && *m != NULL && p->flags & FCN_PACKET_TUNNEL &&
			p->info.flags & FCN_PKT_FASTCNP && is_same(destination(*m), dst));
	if (known != NULL)
		end_node(w, known, in_port, (unsigned int)(m - since));
	n = (unsigned int)(m - first);
	c->packets += n;
	c->bytes += (uint64_t)n * FCN_ENDCON_PLAIN_LEN;
	w->srv6.endcon.taken += n;
	return n;
}

unsigned int
fcn_srv6_forward_fast(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	const struct address dst = destination(b->mbuf[from]);
	const struct fcn_srv6_sid *sid;
	uint32_t index;

	if (unlikely(b->n_traced != 0 ||
			    !fcn_dest_cache_find(&w->sid_cache, (const uint8_t *)&dst, &index)))
		return 0;
	sid = &w->snap->srv6.sid[index];
	/* What is fast depends on the packet, too. */
	if (b->pkt[from].info.flags & FCN_PKT_FASTCNP)
		return sid->is_fast_endcon ? endcon_run(w, b, from, sid, dst) : 0;
	if (b->pkt[from].info.flags & FCN_PKT_SRH)
		return sid->is_fast_step ? forward_run(w, b, from, sid, dst, true) : 0;
	return sid->is_fast_decaps ? forward_run(w, b, from, sid, dst, false) : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for SRv6 tunnels: RoCEv2 as fcn_parse_tunnel_check() accepts it, on its way to a
 * node, or to a local SID with End, End.DT6 or End.DT46, and Fast CNPs of the plain form to
 * END.CON. Everything else takes the stages (lib/dataplane/srv6), as nothing is changed before it
 * is certain that the packet leaves from here. The class of a packet is that of its outer header.
 */

#include "fast_path_loop.h"
#include "fast_route.h"
#include "fcn_endcon_plain.h"
#include "srv6.h"

#define IP6_PROTO_OFF 6
#define IP6_HOP_LIMIT_OFF 7
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24
#define IP6_LEN ((uint32_t)sizeof(struct rte_ipv6_hdr))
#define ECN_BITS (FCN_ECN_MASK << 4) /* of the second octet of an IPv6 header */

/* Packets in tunnels that one receive queue has delivered. */
struct tunnels {
	struct fcn_tunnel_srh srh; /* the Segment Routing Header that was read last */
	struct fcn_own_words6 own; /* addresses of the switch */
	uint64_t mac;    /* fcn_mac_word() of the MAC address of the port that received them */
	uint64_t dst[2]; /* outer destination of the packet before; 0: there was none */
	const struct fcn_srv6_sid *sid; /* that it is; NULL: it is not a local SID */
	/* Packets to the SID that are not counted yet, and their bytes as received. */
	uint64_t packets, bytes;
};

/* Count the packets to a SID. */
static void
count(struct fcn_worker *w, struct tunnels *t)
{
	struct fcn_srv6_sid_counters *c;

	if (t->sid != NULL) {
		c = &w->srv6.sid[t->sid->slot];
		c->packets += t->packets;
		c->bytes += t->bytes;
	}
	t->packets = 0;
	t->bytes = 0;
}

/* Find the entry of a destination. Each is looked up at once: that takes less than the stages.
 * While the cache stores nothing, the stages look up what it does not have. */
static __rte_always_inline const struct fcn_dest_cache_entry *
find_destination(struct fcn_fast *f, const uint8_t *dst)
{
	f->looked_up = 0;
	return fcn_fast_find_address(f, &f->w->dest_cache, dst, 6);
}

/* Find the SID that is the destination of a packet, another one than that of the packet before. */
static __rte_noinline void
find_sid(struct fcn_fast *f, struct tunnels *t, const uint8_t *dst)
{
	struct fcn_worker *w = f->w;
	uint32_t index;

	count(w, t);
	memcpy(t->dst, dst, sizeof(t->dst));
	t->sid = NULL;
	/* What is looked up is stored in one of the two caches. */
	if (fcn_dest_cache_find(&w->sid_cache, dst, &index) ||
			(find_destination(f, dst) == NULL &&
					fcn_dest_cache_find(&w->sid_cache, dst, &index)))
		t->sid = &w->snap->srv6.sid[index];
}

/* Check whether a packet is to this port, and may be changed and forwarded here; and find its SID.
 */
static __rte_always_inline bool
is_for_fast_path(struct fcn_fast *f, struct tunnels *t, const struct rte_mbuf *m,
		const uint8_t *data)
{
	const uint8_t *dst = data + FCN_FAST_IP6_DST_OFF;
	uint64_t word[2];

	if (unlikely(!fcn_is_fast_route(data, t->mac) || m->pkt_len > f->max_frame ||
			    !fcn_mbuf_is_private(m)))
		return false;
	memcpy(word, dst, sizeof(word));
	if (unlikely(((word[0] ^ t->dst[0]) | (word[1] ^ t->dst[1])) != 0))
		find_sid(f, t, dst);
	return true;
}

/*
 * Compute the flow hash of a packet, as fcn_route_flow_hash() does. Its headers have been checked:
 * they are those of RoCEv2 in a tunnel or without one, or of a Fast CNP.
 *
 * @param ip  first header with which it leaves
 * @param dst the destination with which it leaves
 */
static uint32_t
flow_hash(const struct fcn_worker *w, const uint8_t *ip, const uint8_t *dst)
{
	const uint8_t *udp = ip + IP6_LEN;
	uint8_t proto = ip[IP6_PROTO_OFF];
	uint32_t label = 0;

	if (proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS) {
		proto = udp[0];
		udp += 8 * (udp[1] + 1);
	}
	if (proto == IPPROTO_IPV6) {
		label = fcn_route_label(IPPROTO_UDP, fcn_get_be32(ip));
		udp += IP6_LEN;
	}
	return fcn_route_hash6(&w->hash_key, ip + IP6_SRC_OFF, dst,
			fcn_route_ports(fcn_get_be16(udp), FCN_ROCE_UDP_PORT) ^ label);
}

/* Get the next segment of a packet with a Segment Routing Header, which has one. */
static __rte_always_inline const uint8_t *
next_segment(const uint8_t *ip)
{
	const uint8_t *srh = ip + IP6_LEN;

	return fcn_srh_segment(srh, srh[FCN_SRH_SEGMENTS_LEFT_OFF] - 1u);
}

/* Queue a packet by a group, if that is its next hop; otherwise as queue(). */
static __rte_noinline bool
queue_by_group(struct fcn_fast *f, const struct fcn_dest_cache_entry *e, struct rte_mbuf *m,
		const uint8_t *data, uint8_t *out, bool goes_on)
{
	const uint8_t *ip = out + RTE_ETHER_HDR_LEN;
	const struct fcn_dest_cache_group group = fcn_dest_cache_group(e);
	const uint32_t len = m->pkt_len - (uint32_t)(out - data);
	const struct fcn_snapshot *s = f->w->snap;
	struct fcn_fast_station station;
	uint32_t hash;

	if (unlikely(e->max_frame != 0 || group.n == 0)) /* too long, or for the stages */
		return false;
	hash = flow_hash(f->w, ip, goes_on ? next_segment(ip) : ip + IP6_DST_OFF);
	station.member = &s->next_hop[s->member[fcn_route_pick(group.first, group.n, hash)]];
	if (unlikely(station.member->type != FCN_NEXT_HOP_FORWARD ||
			    len > station.member->mtu + (uint32_t)RTE_ETHER_HDR_LEN))
		return false;
	station.to = fcn_ready_to(station.member->port, fcn_fast_class(f, data, 6));
	if (unlikely(fcn_fast_put_to(f, &station, m, out, len) == NULL))
		return false;
	fcn_fast_count_hop(out, 6);
	return true;
}

/*
 * Queue a packet to a station behind a port, or by a group.
 *
 * @param e    entry of its destination, or NULL
 * @param data its frame as received
 * @param out  start of the frame that leaves, and @param len its length in bytes
 * @param goes_on its destination will be the next segment
 * @return false: it is not for the fast path, and is unchanged
 */
static __rte_always_inline bool
queue(struct fcn_fast *f, const struct fcn_dest_cache_entry *e, struct rte_mbuf *m,
		const uint8_t *data, uint8_t *out, uint32_t len, bool goes_on)
{
	struct fcn_fast_station station = {.member = NULL, .entry = e};

	if (unlikely(e == NULL))
		return false;
	if (unlikely(len > e->max_frame))
		return queue_by_group(f, e, m, data, out, goes_on);
	station.to = fcn_ready_to(e->port, fcn_fast_class(f, data, 6));
	if (unlikely(fcn_fast_put_to(f, &station, m, out, len) == NULL))
		return false;
	fcn_fast_count_hop(out, 6);
	return true;
}

/*
 * Check whether the source of a packet is an address of the switch. A packet that comes out of its
 * tunnel here leaves with the inner one.
 *
 * @param cut octets before its Ethernet header
 */
static __rte_always_inline bool
is_own(const struct fcn_fast *f, const struct tunnels *t, const struct rte_mbuf *m,
		const uint8_t *data, uint32_t cut)
{
	return fcn_own_words6_may_have(&t->own, data + cut + RTE_ETHER_HDR_LEN + IP6_SRC_OFF) &&
	       fcn_fast_is_own(f, m, cut, 6);
}

/* Send a packet on to a node that is not this one. */
static __rte_always_inline bool
pass(struct fcn_fast *f, struct rte_mbuf *m, uint8_t *data)
{
	return data[RTE_ETHER_HDR_LEN + IP6_HOP_LIMIT_OFF] > 1 &&
	       queue(f, find_destination(f, data + FCN_FAST_IP6_DST_OFF), m, data, data, m->pkt_len,
			       false);
}

/* Go on to the next segment: as fcn_srv6_end(). There is one, and the list is valid. */
static __rte_always_inline bool
go_on(struct fcn_fast *f, const struct fcn_srv6_sid *sid, struct rte_mbuf *m, uint8_t *data)
{
	uint8_t *ip = data + RTE_ETHER_HDR_LEN, *srh = ip + IP6_LEN;
	const unsigned int left = srh[FCN_SRH_SEGMENTS_LEFT_OFF] - 1u;
	const uint8_t *dst = next_segment(ip);

	if (unlikely(!sid->is_fast_step || ip[IP6_HOP_LIMIT_OFF] <= 1 ||
			    fcn_differs_from_global(dst[0]) ||
			    (left == 0 && sid->flavors & FCN_SRV6_FLAVOR_PSP) ||
			    !queue(f, find_destination(f, dst), m, data, data, m->pkt_len, true)))
		return false;
	srh[FCN_SRH_SEGMENTS_LEFT_OFF] = (uint8_t)left;
	memcpy(ip + IP6_DST_OFF, dst, FCN_SRH_SEGMENT_LEN);
	return true;
}

/*
 * Cut off the outer headers: as fcn_srv6_decapsulate(), and the hop that a router counts.
 *
 * @param cut bytes of the outer headers
 */
static __rte_always_inline bool
take_out(struct fcn_fast *f, struct rte_mbuf *m, uint8_t *data, uint32_t cut)
{
	const uint16_t ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	uint8_t *out = data + cut, *inner = out + RTE_ETHER_HDR_LEN;
	const uint8_t outer_ecn = data[RTE_ETHER_HDR_LEN + 1] & ECN_BITS;
	const bool changes = (inner[1] & ECN_BITS) != outer_ecn;

	/* A combination that no standard uses is one for the stages. */
	if (unlikely(inner[IP6_HOP_LIMIT_OFF] <= 1 ||
			    (fcn_differs_from_global(inner[IP6_SRC_OFF]) |
					    fcn_differs_from_global(inner[IP6_DST_OFF])) != 0 ||
			    (changes && fcn_tunnel_ecn_egress(inner[1] >> 4, outer_ecn >> 4)
									    .combination !=
							    FCN_TUNNEL_ECN_USED) ||
			    !queue(f, find_destination(f, inner + IP6_DST_OFF), m, data, out,
					    m->pkt_len - cut, false)))
		return false;
	if (unlikely(changes))
		fcn_tunnel_ecn_decaps(inner, outer_ecn >> 4);
	memcpy(inner - sizeof(ether_type), &ether_type, sizeof(ether_type));
	m->data_off = (uint16_t)(m->data_off + cut);
	m->data_len = (uint16_t)(m->data_len - cut);
	m->pkt_len -= cut;
	return true;
}

/* Take RoCEv2 in tunnels. */
static __rte_noinline struct rte_mbuf **
take_roce(struct fcn_fast *f, struct tunnels *t, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	struct fcn_parse_tunnel h;

	for (; mbuf != end; mbuf++) {
		struct rte_mbuf *m = *mbuf;
		uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
		const uint32_t len = m->pkt_len;
		uint32_t cut;

		if (unlikely(!fcn_parse_tunnel_check(data, m->data_len, len, &t->srh, &h) ||
				    len != FCN_PLAIN_UDP + (h.word1 >> 16) ||
				    !is_for_fast_path(f, t, m, data)))
			break;
		cut = t->sid != NULL && !(h.flags & FCN_PKT_SRH) ? h.inner_off - RTE_ETHER_HDR_LEN
								 : 0;
		if (is_own(f, t, m, data, cut))
			break;
		if (t->sid == NULL) {
			if (unlikely(!pass(f, m, data)))
				break;
			continue;
		}
		if (unlikely(!(h.flags & FCN_PKT_SRH ? go_on(f, t->sid, m, data)
						     : t->sid->is_fast_decaps &&
								       take_out(f, m, data, cut))))
			break;
		t->packets++;
		t->bytes += len;
	}
	return mbuf;
}

/*
 * Begin with Fast CNPs of a P node, if there are tokens for as many as there are packets in the
 * turn: then it does not matter which of them take the stages, and later.
 *
 * @return what they have in common; NULL: they are not for the fast path
 */
static __rte_noinline const struct fcn_endcon_known *
begin_node(const struct fcn_fast *f, const uint8_t *address)
{
	struct fcn_worker *w = f->w;
	const struct fcn_endcon_known *known = fcn_endcon_know(w, address);

	if (unlikely(known == NULL || !fcn_source_limit_has(&w->srv6.nodes, known->hash,
						      &w->snap->srv6.endcon, f->port->parent,
						      w->now, w->received.n)))
		return NULL;
	return known;
}

/* Charge the Fast CNPs of a P node. */
static void
end_node(const struct fcn_fast *f, const struct fcn_endcon_known *known, size_t n)
{
	struct fcn_worker *w = f->w;

	if (n == 0)
		return;
	fcn_source_limit_take_some(&w->srv6.nodes, known->hash, &w->snap->srv6.endcon,
			f->port->parent, w->now, (uint32_t)n);
	w->srv6.endcon.taken += n;
}

/* Take Fast CNPs out of their tunnel to END.CON: as fcn_srv6_endcon(), of which all checks are
 * made. */
static __rte_noinline struct rte_mbuf **
take_fastcnps(struct fcn_fast *f, struct tunnels *t, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const uint8_t opt1 = f->w->snap->codes.fastcnp_opt1;
	const enum fcn_icrc_mode mode = f->w->snap->srv6.icrc;
	const struct fcn_endcon_known *known = NULL;
	struct rte_mbuf **since = mbuf; /* not charged yet */

	for (; mbuf != end; mbuf++) {
		struct rte_mbuf *m = *mbuf;
		uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
		const uint8_t *src = data + RTE_ETHER_HDR_LEN + IP6_SRC_OFF;

		if (unlikely(!fcn_endcon_is_plain(data, m->data_len, m->pkt_len, opt1) ||
				    !is_for_fast_path(f, t, m, data) || t->sid == NULL ||
				    !t->sid->is_fast_endcon) ||
				is_own(f, t, m, data, 0))
			break;
		if (unlikely(known == NULL || !fcn_endcon_node_is(&known->node, src))) {
			end_node(f, known, (size_t)(mbuf - since));
			since = mbuf;
			known = begin_node(f, src);
			if (known == NULL)
				break;
		}
		if (unlikely(!fcn_endcon_plain_is_intact(&f->w->srv6.crc, mode, &known->node,
					     data + FCN_ENDCON_PLAIN_INNER_OFF) ||
				    !take_out(f, m, data, IP6_LEN)))
			break;
		t->packets++;
		t->bytes += FCN_ENDCON_PLAIN_LEN;
	}
	end_node(f, known, (size_t)(mbuf - since));
	return mbuf;
}

struct rte_mbuf **
fcn_fast_tunnels(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct rte_ether_hdr to_us = {.dst_addr = f->port->mac};
	struct tunnels t = {.own = fcn_own_words6(&f->w->snap->own),
			.mac = fcn_mac_word((const uint8_t *)&to_us)};
	struct rte_mbuf **before;

	if (!f->many)
		fcn_fast_begin_many(f);
	do {
		before = mbuf;
		mbuf = take_roce(f, &t, mbuf, end);
		if (mbuf != end)
			mbuf = take_fastcnps(f, &t, mbuf, end);
	} while (mbuf != end && mbuf != before);
	count(f->w, &t);
	return mbuf;
}

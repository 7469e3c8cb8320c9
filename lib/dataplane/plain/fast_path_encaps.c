/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for RoCEv2 over IPv6 that enters an SRv6 tunnel: its next hop is a segment list of
 * a policy, by itself, as one of a group, or because a steering rule selects it. All others enter
 * it in the stage `route` (enter_tunnel() in route.c).
 */

#include "encaps.h"
#include "fast_path_loop.h"
#include "srv6.h"
#include "steer.h"

#define IP6_HOP_LIMIT_OFF 7

/* Number of packets whose headers are checked at once. Among packets of a group, any of them may
 * not enter a tunnel. */
#define AT_ONCE 16

/* Where packets go, as one after the other does so most often. */
struct encaps_way {
	uint32_t found; /* index of the next hop of their destinations; NOT_KNOWN: see find_tunnel()
			 */
	uint32_t longest; /* IP packet that may go there, in bytes, without outer headers */
	const struct fcn_encaps *list;
	const struct fcn_next_hop *to;   /* station behind a port, towards the first segment */
	const struct fcn_steering *rule; /* that has selected the list; NULL: none */
	uint64_t packets, bytes;         /* not counted yet */
};

#define NOT_KNOWN UINT32_MAX

/* Count packets that have entered a tunnel. */
static inline void
count(struct fcn_worker *w, struct encaps_way *way)
{
	if (way->packets == 0)
		return;
	w->srv6.segments[way->list->slot].packets += way->packets;
	w->srv6.segments[way->list->slot].bytes += way->bytes;
	if (way->rule != NULL) {
		w->srv6.steering[way->rule->slot].packets += way->packets;
		w->srv6.steering[way->rule->slot].bytes += way->bytes;
	}
	way->packets = 0;
	way->bytes = 0;
}

/*
 * Find out where a packet goes. For the next one with this destination, this is not known if a
 * steering rule or the flow hash has decided.
 *
 * @return whether it enters a tunnel here
 */
static __rte_noinline bool
find_tunnel(const struct fcn_fast *f, struct encaps_way *way, const uint8_t *data, uint32_t found,
		uint32_t hash)
{
	const struct fcn_snapshot *s = f->w->snap;
	const struct fcn_next_hop *nh = &s->next_hop[found];

	count(f->w, way);
	way->found = found;
	way->rule = NULL;
	if (nh->type == FCN_NEXT_HOP_SELECT) {
		const struct fcn_steer_key key = {
				.port = f->packet.in_port,
				.dscp = fcn_fast_dscp(fcn_fast_first(data), 6),
				.is_roce = true,
				.version = 6,
				.dst = data + FCN_FAST_IP6_DST_OFF,
		};

		way->found = NOT_KNOWN;
		way->rule = fcn_steer_find(s, nh, &key);
		if (unlikely(way->rule == NULL))
			return false;
		nh = &s->next_hop[way->rule->next_hop];
	}
	if (nh->type == FCN_NEXT_HOP_GROUP) {
		way->found = NOT_KNOWN;
		nh = &s->next_hop[fcn_route_member(s, nh, hash)];
	}
	if (nh->type != FCN_NEXT_HOP_ENCAPS)
		goto none;
	way->list = &s->srv6.encaps[nh->first_member];
	way->to = &s->next_hop[way->list->via];
	if (way->to->type == FCN_NEXT_HOP_GROUP) {
		way->found = NOT_KNOWN;
		way->to = &s->next_hop[fcn_encaps_via(s, nh, hash)];
	}
	if (unlikely(way->to->type != FCN_NEXT_HOP_FORWARD || way->to->mtu < way->list->roce.len))
		goto none;
	way->longest = RTE_MIN(nh->mtu, way->to->mtu - way->list->roce.len);
	return true;
none:
	way->found = NOT_KNOWN;
	return false;
}

/*
 * Queue a packet with outer headers in front of it.
 *
 * @return false: it is not for the fast path, and is unchanged
 */
static __rte_always_inline bool
queue_encapsulated(struct fcn_fast *f, struct encaps_way *way, const struct fcn_hash_prepared *key,
		struct rte_mbuf *m)
{
	const struct fcn_dest_cache_entry *e = fcn_fast_find(f, &f->w->dest_cache, m, 6);
	const rte_be16_t ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	const uint32_t bytes = m->pkt_len - RTE_ETHER_HDR_LEN;
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *), *inner = data + RTE_ETHER_HDR_LEN, *out;
	const uint32_t word = fcn_get_be32(inner);
	struct fcn_fast_station station;
	struct fcn_srv6_encaps_fields fields;
	uint32_t hash;
	uint16_t grows;

	if (unlikely(e == NULL || e->max_frame != 0))
		return false;
	hash = fcn_fast_hash(key, data, 6, FCN_PLAIN_UDP);
	if (unlikely(e->next_hop != way->found) && !find_tunnel(f, way, data, e->next_hop, hash))
		return false;
	grows = way->list->roce.len;
	if (unlikely(bytes > way->longest || !fcn_mbuf_is_private(m) ||
			    rte_pktmbuf_headroom(m) < grows))
		return false;
	out = data - grows;
	station.to = fcn_ready_to(way->to->port, f->class_of_dscp[word >> 22 & 0x3F]);
	station.member = way->to;
	if (unlikely(fcn_fast_put_to(f, &station, m, out, m->pkt_len + grows) == NULL))
		return false;
	fields = fcn_encaps_fields(way->list,
			(struct fcn_srv6_encaps_fields){
					.flow_label = word & FCN_ROUTE_FLOW_LABEL,
					.inner_len = (uint16_t)bytes,
					.inner_proto = IPPROTO_IPV6,
					.tclass = (uint8_t)(word >> 20),
					.hop_limit = --inner[IP6_HOP_LIMIT_OFF],
			},
			hash);
	fcn_srv6_encaps_write(&way->list->roce, &fields, out + RTE_ETHER_HDR_LEN);
	memcpy(out + 2 * RTE_ETHER_ADDR_LEN, &ether_type, sizeof(ether_type));
	m->data_off = (uint16_t)(m->data_off - grows);
	m->data_len = (uint16_t)(m->data_len + grows);
	m->pkt_len += grows;
	way->packets++;
	way->bytes += bytes;
	return true;
}

/* Let series that begin from here on have room for outer headers of all packets of the receive
 * queue. Those that have begun before end. */
static void
make_room(struct fcn_fast *f)
{
	fcn_fast_end_many(f);
	f->bytes += f->growth;
	f->growth = 0;
}

/* Check whether a packet, if it is a plain one, may enter a tunnel. */
static bool
may_enter(struct fcn_fast *f, struct rte_mbuf **mbuf)
{
	const struct fcn_dest_cache_entry *e;
	enum fcn_next_hop_type type;

	if (f->w->snap->srv6.n_encaps == 0 || f->uncached ||
			f->w->fast->count(f, mbuf, mbuf + 1) == 0)
		return false;
	e = fcn_fast_find(f, &f->w->dest_cache, *mbuf, 6);
	if (e == NULL || e->max_frame != 0)
		return false;
	type = f->w->snap->next_hop[e->next_hop].type;
	return type == FCN_NEXT_HOP_ENCAPS || type == FCN_NEXT_HOP_GROUP ||
	       type == FCN_NEXT_HOP_SELECT;
}

struct rte_mbuf **
fcn_fast_encaps(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct fcn_hash_prepared key = fcn_hash_prepare(&f->w->hash_key);
	struct encaps_way way = {.found = NOT_KNOWN};
	struct rte_mbuf **last, **before;

	if (!may_enter(f, mbuf))
		return mbuf;
	if (!f->many)
		fcn_fast_begin_many(f);
	if (f->growth != 0)
		make_room(f);
	do {
		before = mbuf;
		last = mbuf + f->w->fast->count(f, mbuf, RTE_MIN(end, mbuf + AT_ONCE));
		while (mbuf != last && queue_encapsulated(f, &way, &key, *mbuf))
			mbuf++;
	} while (mbuf == last && mbuf != before);
	count(f->w, &way);
	return mbuf;
}
